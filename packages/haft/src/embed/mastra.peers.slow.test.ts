import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { expect, it } from "vitest";
import { frameworkHaft, storyCalls } from "../../../../test/support/framework-haft.ts";
import { wireServer } from "../../../../test/support/wire-server.ts";
import { mastra } from "./mastra.ts";

const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ id: "c1", object: "chat.completion.chunk", created: 1, model: "m" },
  choices: [{ index: 0, delta, finish_reason }],
});

it("D15 Mastra: an agent runs Haft's tools, and the model reads their results", async () => {
  const { haft, cwd, text, close } = await frameworkHaft({ ask: async () => ({ behavior: "allow" }) });
  const tool_calls = storyCalls(cwd).map(({ id, name, input }, index) => ({
    ...{ index, id, type: "function" },
    function: { name, arguments: JSON.stringify(input) },
  }));
  await using server = await wireServer([
    { events: [chunk({ role: "assistant", tool_calls }), chunk({}, "tool_calls")], style: "openai" },
    { events: [chunk({ role: "assistant", content: "Done." }), chunk({}, "stop")], style: "openai" },
  ]);
  const model = createOpenAICompatible({ name: "local", baseURL: server.url, apiKey: "none" })("m") as never;
  const agent = new Agent({
    id: "coder",
    name: "coder",
    instructions: "Work.",
    model,
    ...mastra(haft, { createTool }),
  });
  const result = await agent.stream("Go.");
  expect(await result.text).toBe("Done.");
  expect(text("b.txt")).toBe("beta\n");
  const sent = JSON.parse(server.bodies[1]!).messages.filter(({ role }: { role: string }) => role === "tool");
  expect(sent.map(({ tool_call_id }: { tool_call_id: string }) => tool_call_id)).toEqual(["call_01", "call_02"]);
  expect(sent[0].content).toContain("alpha");
  expect(sent[0].content).not.toContain('"output"');
  await close();
});
