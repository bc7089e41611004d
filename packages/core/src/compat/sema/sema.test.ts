import { contentsText } from "@haft/core/tool";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { customTools } from "../../../test/support/custom-tools.ts";
import { textOf } from "../../../test/support/machine.ts";
import { createPermissionManager, fromSema, type PermissionManager, type Tool, toToolResult } from "./index.ts";

const inputSchema = z.object({ text: z.string().describe("What to shout.") });

const Shout: Tool<typeof inputSchema, { loud: string }> = {
  name: "Shout",
  description: () => "Shouts.",
  inputSchema,
  isReadOnly: () => true,
  validateInput: async ({ text }) => (text === "" ? { result: false, message: "Nothing to shout." } : { result: true }),
  genResultForAssistant: ({ loud }) => `it shouted ${loud}`,
  genToolPermission: ({ text }) => ({ title: "Shout?", summary: "It is loud.", content: text }),
  genToolResultMessage: ({ loud }, input) => ({
    title: `Shouted ${input?.text}`,
    summary: "1 word",
    content: { loud },
  }),
  getDisplayTitle: (input) => `Shout ${input?.text ?? "something"}`,
  async *call({ text }) {
    yield { title: "breathing in" };
    yield { type: "result", data: { loud: text.toUpperCase() } };
  },
};

const Own: Tool<typeof inputSchema, string> = {
  name: "Own",
  inputSchema,
  isReadOnly: () => false,
  genResultForAssistant: () => "never used",
  async *call({ text }) {
    yield { type: "result", data: text, resultForAssistant: `own words for ${text}` };
  },
};

describe("generator tools", () => {
  it("A23 A28 one runs through the pipeline, and its result reads as genResultForAssistant says", async () => {
    const { call } = customTools([fromSema(Shout)], { allow: ["Shout"] });
    const outcome = await call("Shout", { text: "hi" });
    expect([outcome.status, textOf(outcome), outcome.result.output]).toEqual([
      "ok",
      "it shouted HI",
      { data: { loud: "HI" } },
    ]);
    expect(outcome.traits.isReadOnly).toBe(true);
    expect(textOf(await call("Shout", { text: "" }))).toContain("Nothing to shout.");
  });

  it("A28 a tool that cannot say its result is refused when it is defined", () => {
    const { genResultForAssistant: _, ...mute } = Shout;
    expect(() => fromSema(mute as typeof Shout)).toThrow(/genResultForAssistant/);
  });

  it("A29 resultForAssistant takes its place for one call", async () => {
    const { call } = customTools([fromSema(Own)], { allow: ["Own"] });
    expect(textOf(await call("Own", { text: "x" }))).toBe("own words for x");
  });

  it("A30 genToolResultMessage is what the end of the call carries", async () => {
    const { call, events } = customTools([fromSema(Shout)], { allow: ["Shout"] });
    await call("Shout", { text: "hi" });
    expect(events.find(({ type }) => type === "tool:execution:complete")).toMatchObject({
      label: "Shout hi",
      title: "Shouted hi",
      content: { kind: "group", title: "Shouted hi: 1 word", items: [{ text: '{\n  "loud": "HI"\n}' }] },
    });
  });

  it("F11 genToolPermission is what is shown, with title, summary and content", async () => {
    const seen: unknown[] = [];
    const { call } = customTools([fromSema(Shout)], {
      answer: async ({ title, summary, show, agent, id }) => {
        seen.push({ title, summary, show, agent: agent.id, id });
        return { behavior: "allow" };
      },
    });
    expect((await call("Shout", { text: "hi" })).status).toBe("ok");
    const items = [{ kind: "text", text: "hi" }];
    expect(seen).toEqual([
      {
        title: "Shout hi",
        summary: "It is loud.",
        show: { kind: "group", title: "Shout?: It is loud.", items },
        agent: "main",
        id: "r1",
      },
    ]);
  });

  it("A24 a generator without a result fails, and its finally runs", async () => {
    let ended = 0;
    const silent = {
      ...Own,
      async *call() {
        try {
          yield { title: "working" };
        } finally {
          ended++;
        }
      },
    };
    const { call } = customTools([fromSema(silent)], { allow: ["Own"] });
    expect((await call("Own", { text: "x" })).result.error).toMatchObject({ code: "execution_failed" });
    expect(ended).toBe(1);
  });
});

/** The permission part of the loop that this shape documents, with the manager as it names it. */
async function* runTool(
  tool: Tool,
  input: unknown,
  abortController: AbortController,
  agentId: string,
  { hasPermissionsToUseTool }: PermissionManager,
) {
  const createToolResultStopMessage = (toolUseId: string) => ({ type: "stopped", toolUseId });
  const toolUseId = "t1";
  const assistantMessage = undefined;
  if (!tool.isReadOnly()) {
    if (abortController.signal.aborted) {
      yield createToolResultStopMessage(toolUseId);
      return;
    }

    const permissionResult = await hasPermissionsToUseTool(tool, input, abortController, assistantMessage, agentId);

    if (!permissionResult.result) {
      yield { type: "tool_result", content: permissionResult.message, is_error: true };
      return;
    }
  }
  yield { type: "may run" };
}

describe("the permission manager", () => {
  const first = async (options: Parameters<typeof customTools>[1], abort = new AbortController()) => {
    const { executor, approvals } = customTools([fromSema(Own)], options);
    const manager = createPermissionManager({ executor, approvals });
    for await (const step of runTool(Own as unknown as Tool, { text: "x" }, abort, "agent-7", manager)) return step;
    return undefined;
  };

  it("F09 stopped, denied by a rule, refused by a person, allowed: in this order", async () => {
    const stopped = new AbortController();
    stopped.abort();
    expect(await first({}, stopped)).toEqual({ type: "stopped", toolUseId: "t1" });
    expect(await first({ deny: ["Own"], allow: ["Own"] })).toMatchObject({
      is_error: true,
      content: expect.stringContaining("Own"),
    });
    const agents: string[] = [];
    const no = await first({
      answer: async ({ agent }) => {
        agents.push(agent.id);
        return { behavior: "deny", message: "too loud" };
      },
    });
    expect([no, agents]).toEqual([
      { type: "tool_result", content: expect.stringContaining("too loud"), is_error: true },
      ["agent-7"],
    ]);
    expect(await first({ answer: async () => ({ behavior: "allow" }) })).toEqual({ type: "may run" });
    expect(await first({ allow: ["Own"] })).toEqual({ type: "may run" });
  });

  it("F09 with nobody there, or with a yes to another input only, the answer is no", async () => {
    expect(await first({})).toMatchObject({ is_error: true });
    let asked = 0;
    const changed = await first({
      answer: async () => (asked++ === 0 ? { behavior: "allow", input: { text: "y" } } : { behavior: "allow" }),
    });
    expect([changed, asked]).toEqual([
      { type: "tool_result", content: expect.stringContaining("another input"), is_error: true },
      1,
    ]);
  });

  it("J10 a failed call is a tool_result that says so", async () => {
    const { call } = customTools([fromSema(Own)], { deny: ["Own"] });
    const outcome = await call("Own", { text: "x" }, "t9");
    expect(toToolResult(outcome)).toEqual({
      type: "tool_result",
      tool_use_id: "t9",
      content: contentsText(outcome.result.content),
      is_error: true,
    });
  });
});
