import { Agent, OpenAIResponsesModel, run, setTracingDisabled } from "@openai/agents";
import OpenAI from "openai";
import { expect, it } from "vitest";
import { frameworkHaft, storyCalls } from "../../../../test/support/framework-haft.ts";
import { wireServer } from "../../../../test/support/wire-server.ts";
import { openaiAgents } from "./openai-agents.ts";

setTracingDisabled(true);

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const response = (output: unknown[]) => ({
  json: { id: "resp_1", object: "response", status: "completed", output, usage },
});
const says = (text: string) =>
  response([
    {
      type: "message",
      id: "m1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [] }],
    },
  ]);
const callsOf = (calls: { id: string; name: string; input: unknown }[]) =>
  response(
    calls.map(({ id, name, input }) => ({
      ...{ type: "function_call", id: `f_${id}`, call_id: id, name, status: "completed" },
      arguments: JSON.stringify(input),
    })),
  );

async function setUp(answer: (cwd: string) => Parameters<typeof wireServer>[0], options = {}) {
  const box = await frameworkHaft(options);
  const server = await wireServer(answer(box.cwd));
  const client = new OpenAI({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  const agent = new Agent({
    name: "coder",
    model: new OpenAIResponsesModel(client, "gpt-test"),
    ...openaiAgents(box.haft),
  });
  const sent = (at: number) =>
    JSON.parse(server.bodies[at]!).input.filter(({ type }: { type: string }) => type === "function_call_output");
  return { ...box, server, agent, sent };
}

it("D15 E04 OpenAI Agents: an asked call interrupts the run, an approval lets it run once", async () => {
  const { agent, cwd, text, sent, close, server } = await setUp((cwd) => [callsOf(storyCalls(cwd)), says("Done.")]);
  let result = await run(agent, "Go.");
  expect(result.interruptions.map(({ name }) => name)).toEqual(["Write"]);
  for (const item of result.interruptions) result.state.approve(item);
  result = await run(agent, result.state);
  expect(result.finalOutput).toBe("Done.");
  expect(text("b.txt")).toBe("beta\n");
  expect(
    sent(1)
      .map(({ call_id }: { call_id: string }) => call_id)
      .toSorted(),
  ).toEqual(["call_01", "call_02"]);
  expect(JSON.stringify(sent(1))).toContain("alpha");
  expect(cwd).toBeTruthy();
  await close();
  await server[Symbol.asyncDispose]();
});

it("D15 J10 OpenAI Agents: denials and misfits are answered in Haft's words", async () => {
  const { agent, sent, close, server } = await setUp(
    (cwd) => [
      callsOf([
        { id: "c1", name: "Write", input: { file_path: `${cwd}/b.txt`, content: "x" } },
        { id: "c2", name: "Read", input: { limit: 2 } },
      ]),
      says("Done."),
    ],
    { rules: { deny: ["write(**)"] } },
  );
  const result = await run(agent, "Go.");
  expect(result.interruptions).toEqual([]);
  expect(JSON.stringify(sent(1))).toContain("write(**)");
  expect(JSON.stringify(sent(1))).toContain("file_path");
  await close();
  await server[Symbol.asyncDispose]();
});
