import Anthropic from "@anthropic-ai/sdk";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { expect, expectTypeOf, it } from "vitest";
import { call, messageOf, say } from "../../../../test/support/anthropic-wire.ts";
import { frameworkHaft, storyCalls } from "../../../../test/support/framework-haft.ts";
import { wireServer } from "../../../../test/support/wire-server.ts";
import { type AnthropicRunnableTool, anthropicRunner } from "./anthropic-runner.ts";

it("D15 J10 Anthropic's tool runner runs Haft's tools, and failures are marked", async () => {
  const { haft, cwd, text, close } = await frameworkHaft({ ask: async () => ({ behavior: "allow" }) });
  const calls = storyCalls(cwd).map(({ id, name, input }) => call(id, name, input));
  await using server = await wireServer([
    { json: messageOf([...calls, call("call_03", "Read", { file_path: 5 })]) },
    { json: messageOf([say("Done.")]) },
  ]);
  const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const { tools } = anthropicRunner(haft, { ToolError });
  expectTypeOf<AnthropicRunnableTool>().toHaveProperty("run");
  const message = await client.beta.messages.toolRunner({
    ...{ model: "claude-test", max_tokens: 1000, tools },
    messages: [{ role: "user", content: "Go." }],
  });
  expect(message.content).toMatchObject([{ text: "Done." }]);
  expect(text("b.txt")).toBe("beta\n");
  const results = JSON.parse(server.bodies[1]!).messages.at(-1).content;
  expect(
    results.map((one: { tool_use_id: string; is_error?: boolean }) => [one.tool_use_id, one.is_error === true]),
  ).toEqual([
    ["call_01", false],
    ["call_02", false],
    ["call_03", true],
  ]);
  await close();
});
