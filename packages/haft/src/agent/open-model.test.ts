import { expect, it } from "vitest";
import { openModel } from "./open-model.ts";

it.each([
  ["claude", {}, "names no model", "Write provider/name"],
  ["anthropic/", {}, "names no model", "Write provider/name"],
  ["constructor/x", {}, 'no provider "constructor"', "anthropic, openai, google, compatible"],
  ["anthropic/claude-test", {}, "ANTHROPIC_API_KEY is not set", "Set ANTHROPIC_API_KEY"],
  ["google/gemini", { GEMINI: "x" }, "GOOGLE_GENERATIVE_AI_API_KEY is not set", "replay a cassette"],
  ["compatible/llama", {}, "needs to know its server", "OPENAI_BASE_URL"],
])("a model that cannot be opened says what is missing: %s", async (name, env, message, hint) => {
  await expect(openModel(name, env)).rejects.toMatchObject({
    code: "validation_failed",
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  });
});

it("a name may hold slashes of its own", async () => {
  const model = await openModel("compatible/org/model:7b", { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" });
  expect(model.name).toBe("compatible/org/model:7b");
});
