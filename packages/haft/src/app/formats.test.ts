import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenAiCall } from "@haft/core/adapter";
import { afterAll, expect, it } from "vitest";
import { geminiProblems, strictProblems } from "../../../core/test/support/schema-dialects.ts";
import { createHaft } from "./create-haft.ts";

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-formats-")));
const haft = await createHaft({ cwd, settings: false, stateDir: false });
afterAll(() => haft[Symbol.asyncDispose]());

it("B09 the built-in tools leave in every format without a private keyword, in the provider's dialect", () => {
  const openai = haft.for("openai").tools;
  const chat = haft.for("openai-chat", { strict: true }).tools;
  const [gemini] = haft.for("gemini").tools;
  const anthropic = haft.for("anthropic").tools;
  const names = anthropic.map(({ name }) => name);
  expect(names).toContain("Read");
  expect(openai.map(({ name }) => name)).toEqual(names);
  expect(chat.map(({ function: { name } }) => name)).toEqual(names);
  expect(gemini?.functionDeclarations.map(({ name }) => name)).toEqual(names);
  for (const tools of [openai, chat, gemini, anthropic, Object.values(haft.for("ai-sdk").tools)])
    expect(JSON.stringify(tools, (_key, value) => (value?.["~standard"] ? value.json : value))).not.toContain(
      '"format":"path"',
    );
  for (const { name, parameters, strict } of openai) if (strict) expect(strictProblems(parameters), name).toEqual([]);
  expect(openai.filter(({ strict }) => strict).length).toBeGreaterThan(openai.length / 2);
  for (const { name, parametersJsonSchema } of gemini?.functionDeclarations ?? [])
    expect(geminiProblems(parametersJsonSchema), name).toEqual([]);
});

it("D15 an unknown format names the known ones", () => {
  const known = "Known formats: anthropic, openai, openai-chat, gemini, ai-sdk, ai-sdk-6.";
  expect(() => haft.for("openai-responses" as "openai")).toThrow(expect.objectContaining({ hint: known }));
});

it("D05 a model in strict mode writes null for what it leaves out, and the call runs", async () => {
  const json = JSON.stringify({ pattern: "*.none", path: null });
  const call: OpenAiCall = { type: "function_call", call_id: "c1", name: "Glob", arguments: json };
  const results = await haft.for("openai").run({ output: [call] });
  expect(results).toEqual([{ type: "function_call_output", call_id: "c1", output: expect.stringMatching(/^No/) }]);
});
