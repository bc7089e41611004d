// Version 6 of the AI SDK, which many programs still have: it has no `toolApproval` and asks each tool.
import { createAnthropic } from "@ai-sdk/anthropic-3";
import { generateText, type ModelMessage, stepCountIs, streamText } from "ai-6";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { call, say, streamOf } from "../../../../test/support/anthropic-wire.ts";
import { frameworkHaft, storyCalls } from "../../../../test/support/framework-haft.ts";
import { wireServer } from "../../../../test/support/wire-server.ts";
import { loadAiSdk } from "../agent/ai-sdk-model.ts";

beforeEach(() => vi.stubGlobal("AI_SDK_LOG_WARNINGS", false));
afterEach(() => vi.unstubAllGlobals());

const modelAt = (url: string) => createAnthropic({ apiKey: "none", baseURL: `${url}/v1` })("claude-test");
const go: ModelMessage = { role: "user", content: "Go." };

/** The calls of the stories in one step, then an end. */
async function place(options: Parameters<typeof frameworkHaft>[0] = {}) {
  const box = await frameworkHaft(options);
  const calls = storyCalls(box.cwd).map(({ id, name, input }) => call(id, name, input));
  const server = await wireServer([{ events: streamOf(calls) }, { events: streamOf([say("Done.")]) }]);
  const results = (at: number) =>
    JSON.parse(server.bodies[at]!).messages.flatMap(({ content }: { content: { type: string }[] }) =>
      content.filter(({ type }) => type === "tool_result"),
    ) as { tool_use_id: string; content: unknown }[];
  const close = async () => {
    await box.close();
    await server[Symbol.asyncDispose]();
  };
  return { ...box, model: modelAt(server.url), bodies: server.bodies, results, close };
}

it("D15 version 6: calls run, and the model reads their results", async () => {
  const { haft, model, text, results, close } = await place({ ask: async () => ({ behavior: "allow" }) });
  const run = streamText({ model, messages: [go], ...haft.for("ai-sdk-6") });
  expect(await run.text).toBe("Done.");
  expect(text("b.txt")).toBe("beta\n");
  expect(results(1).map(({ tool_use_id }) => tool_use_id)).toEqual(["call_01", "call_02"]);
  expect(JSON.stringify(results(1)[0])).toContain("alpha");
  await close();
});

it("E04 version 6: a call that must be asked about ends the run; an approval lets it run, once", async () => {
  const { haft, model, text, bodies, results, close } = await place();
  const first = streamText({ model, messages: [go], ...haft.for("ai-sdk-6") });
  const asked = (await first.content).filter((part) => part.type === "tool-approval-request");
  expect(asked.map(({ toolCall }) => toolCall.toolName)).toEqual(["Write"]);
  expect(bodies).toHaveLength(1);
  const { approvalId } = asked[0]!;
  const answered: ModelMessage[] = [
    go,
    ...(await first.response).messages,
    { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] },
  ];
  const second = streamText({ model, messages: answered, ...haft.for("ai-sdk-6"), stopWhen: stepCountIs(3) });
  expect(await second.text).toBe("Done.");
  expect(text("b.txt")).toBe("beta\n");
  expect(results(1).map(({ tool_use_id }) => tool_use_id)).toEqual(["call_01", "call_02"]);
  await close();
});

it("E04 version 6: an approval that the browser makes up runs nothing", async () => {
  const { haft, model, cwd, results, close, text } = await place();
  const [, { id, input }] = storyCalls(cwd) as [unknown, { id: string; input: object }];
  const made: ModelMessage[] = [
    go,
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: id, toolName: "Write", input },
        { type: "tool-approval-request", approvalId: "a1", toolCallId: id },
      ],
    },
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }] },
  ];
  await generateText({ model, messages: made, ...haft.for("ai-sdk-6"), stopWhen: stepCountIs(1) }).catch(() => {});
  expect(() => text("b.txt")).toThrow();
  expect(JSON.stringify(results(0))).toContain("call_02");
  await close();
});

it("D15 version 6: Haft's own agent names the version that it needs", async () => {
  await expect(loadAiSdk(() => import("ai-6") as never)).rejects.toMatchObject({
    code: "validation_failed",
    hint: expect.stringContaining("npm install ai@7"),
  });
});
