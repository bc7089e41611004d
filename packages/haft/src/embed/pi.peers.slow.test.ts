import { Agent, type AgentTool } from "@mariozechner/pi-agent-core";
import { expect, expectTypeOf, it } from "vitest";
import { frameworkHaft, storyCalls } from "../../../../test/support/framework-haft.ts";
import { wireServer } from "../../../../test/support/wire-server.ts";
import { type PiTool, pi } from "./pi.ts";

const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ id: "c1", object: "chat.completion.chunk", created: 1, model: "m" },
  choices: [{ index: 0, delta, finish_reason }],
});

it("D15 pi: an agent runs Haft's tools, and the model reads their results", async () => {
  expectTypeOf<PiTool>().toExtend<AgentTool>();
  const { haft, cwd, text, close } = await frameworkHaft({ ask: async () => ({ behavior: "allow" }) });
  const tool_calls = storyCalls(cwd).map(({ id, name, input }, index) => ({
    ...{ index, id, type: "function" },
    function: { name, arguments: JSON.stringify(input) },
  }));
  await using server = await wireServer([
    { events: [chunk({ role: "assistant", tool_calls }), chunk({}, "tool_calls")], style: "openai" },
    { events: [chunk({ role: "assistant", content: "Done." }), chunk({}, "stop")], style: "openai" },
  ]);
  const model = {
    ...{ id: "m", name: "m", api: "openai-completions", provider: "openai", baseUrl: server.url, reasoning: false },
    ...{
      input: ["text"],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 9999,
      maxTokens: 999,
    },
  } as never;
  const agent = new Agent({ initialState: { model, tools: pi(haft).tools }, getApiKey: () => "none" });
  await agent.prompt("Go.");
  expect(text("b.txt")).toBe("beta\n");
  const sent = JSON.parse(server.bodies[1]!).messages.filter(({ role }: { role: string }) => role === "tool");
  expect(sent.map(({ tool_call_id }: { tool_call_id: string }) => tool_call_id)).toEqual(["call_01", "call_02"]);
  await close();
});
