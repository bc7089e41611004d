import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSteps, type Step, toolFunctions } from "@haft/core/compat/tool-define";
import { expect, it } from "vitest";
import { agentSessions } from "../../test/support/agent-sessions.ts";
import { script, treeModel, turn } from "../../test/support/agents.ts";
import type { AgentSessionOptions } from "./session.ts";

const sessions = agentSessions("steps");
const thought = (text: string) => ({ type: "part" as const, key: "r", part: { type: "reasoning" as const, text } });
const LEGAL = ["pending", "running", "awaiting-confirmation", "completed", "failed"];
/** The statuses that may follow each status. */
const AFTER: Record<string, readonly string[]> = {
  pending: ["running", "failed"],
  running: ["awaiting-confirmation", "completed", "failed"],
  "awaiting-confirmation": ["running", "failed"],
  completed: [],
  failed: [],
};

/** A session whose main agent and subagents follow scripts, and every state of every step. */
async function opened(scripts: Parameters<typeof treeModel>[0], options: AgentSessionOptions = {}) {
  const place = sessions.make();
  writeFileSync(join(place.cwd, "a.txt"), "alpha");
  const model = treeModel(scripts);
  const { session } = await sessions.open([], { ...place.options, model, openModel: () => model, ...options });
  const states: Step[] = [];
  session.on(createSteps({ onStepChange: (step) => states.push(step) }));
  const statesOf = (tool: string) => states.filter(({ toolCall }) => toolCall?.toolName === tool);
  return { ...place, session, states, statesOf, last: (tool: string) => statesOf(tool).at(-1)! };
}

/** The changes of status of one step. */
const statuses = (states: readonly Step[]): readonly string[] =>
  states.map(({ status }) => status).filter((status, at, all) => status !== all[at - 1]);

it("E17 each call is a step with its turn, call, thoughts, result and the words about it", async () => {
  const { session, statesOf } = await opened({
    "Go.": script([thought("I look first."), ...turn(["Read", { file_path: "a.txt" }])], "It holds alpha."),
  });
  await session.prompt("Go.");
  expect(statesOf("Read").at(-1)).toEqual({
    ...{ id: "k0", type: "read", title: "Read 1 line of a.txt", description: expect.stringContaining("a.txt") },
    ...{ status: "completed", timestamp: expect.any(Number), turnIndex: 1, toolCallId: "k0" },
    toolCall: { id: "k0", toolName: "Read", arguments: { file_path: "a.txt" } },
    ...{ thinking: "I look first.", result: expect.stringContaining("alpha"), summary: "It holds alpha." },
  });
});

it("E18 statuses change as documented; a refused step ends failed, with the reason", async () => {
  const write = (file_path: string) => ["Write", { file_path, content: "x" }] as const;
  const { session, states, statesOf } = await opened(
    { "Go.": script(turn(["Read", { file_path: "a.txt" }]), turn(write("b.txt")), turn(write("c.txt")), "Done.") },
    {
      ask: async ({ input }) =>
        JSON.stringify(input).includes("b.txt") ? { behavior: "allow" } : { behavior: "deny", message: "not that one" },
    },
  );
  await session.prompt("Go.");
  expect(statuses(statesOf("Read"))).toEqual(["pending", "running", "completed"]);
  const ofTurn = (turnIndex: number) => states.filter((step) => step.turnIndex === turnIndex);
  expect(statuses(ofTurn(2))).toEqual(["pending", "running", "awaiting-confirmation", "running", "completed"]);
  expect(statuses(ofTurn(3))).toEqual(["pending", "running", "awaiting-confirmation", "running", "failed"]);
  expect(ofTurn(3).at(-1)?.error).toContain("not that one");
  for (const step of Map.groupBy(states, ({ turnIndex }) => turnIndex).values())
    for (const [at, status] of statuses(step).entries()) {
      expect(LEGAL).toContain(status);
      if (at > 0) expect(AFTER[statuses(step)[at - 1]!]).toContain(status);
    }
});

it("E19 types follow the tools; a command that waits for a person is bash-confirm", async () => {
  const list = [
    ["Bash", { command: "touch made" }, ["bash", "bash-confirm", "bash"]],
    ["Read", { file_path: "a.txt" }, ["read"]],
    ["Write", { file_path: "n.txt", content: "x" }, ["write"]],
    ["Edit", { file_path: "a.txt", old_string: "alpha", new_string: "beta" }, ["edit"]],
    ["Glob", { pattern: "*" }, ["glob"]],
    ["Grep", { pattern: "alpha" }, ["grep"]],
    ["Skill", { skill: "none" }, ["skill"]],
    ["TodoWrite", { todos: [] }, ["tool_call"]],
    ["nothing_like_it", {}, ["tool_call"]],
  ] as const;
  const { session, statesOf } = await opened(
    { "Go.": script(...list.map(([tool, input]) => turn([tool, input])), "Done.") },
    { ask: async () => ({ behavior: "allow" }) },
  );
  await session.prompt("Go.");
  for (const [tool, , types] of list) {
    const seen = statesOf(tool).map(({ type }) => type);
    expect([tool, seen.filter((type, at) => type !== seen[at - 1])]).toEqual([tool, types]);
  }
});

it("E20 each callback comes once for its step or update, and one that throws breaks nothing", async () => {
  const { session, cwd } = await opened({});
  const { executeTool, initializeToolRegistry } = toolFunctions(() => session.haft);
  await initializeToolRegistry();
  const heard: string[] = [];
  const titles: unknown[] = [];
  const broken = (name: string) => () => {
    heard.push(name);
    throw new Error("broken");
  };
  const context = { sessionId: "s", messageId: "m", workingDirectory: cwd };
  const ended = await executeTool(
    "Glob",
    { pattern: "*" },
    {
      ...context,
      ...{ onStepStart: broken("start"), onStepComplete: broken("complete") },
      onMetadata: (update) => {
        titles.push(update.title ?? update.metadata);
        throw new Error("broken");
      },
    },
  );
  expect(ended).toMatchObject({ success: true, data: { output: expect.stringContaining("a.txt") } });
  expect(heard).toEqual(["start", "complete"]);
  expect(titles.length).toBeGreaterThan(0);
  expect(new Set(titles).size).toBe(titles.length);
});

it("S14 the step of a delegation has its report, also when it failed", async () => {
  const request = (task: string) => ["Delegate", { task, context: "c", expectedOutcome: "o" }] as const;
  const { session, statesOf } = await opened(
    {
      "Go.": script(
        turn(["ToolSearch", { query: "select:Delegate" }]),
        turn(request("Write it")),
        turn(request("Fail")),
        "Done.",
      ),
      "# Task\nWrite it": script(turn(["Write", { file_path: "b.txt", content: "x" }]), "Written."),
      "# Task\nFail": script(turn(["Read", { file_path: "none.txt" }]), "It failed."),
    },
    { mode: "acceptEdits" },
  );
  await session.prompt("Go.");
  const ended = statesOf("Delegate").filter(({ status, summary }) => status !== "running" && summary === undefined);
  const [wrote, failed] = ended.filter(({ status }) => status === "completed" || status === "failed");
  expect(wrote).toMatchObject({
    ...{ type: "delegate", status: "completed" },
    toolAgentResult: {
      success: true,
      summary: "Written.",
      toolCallCount: 1,
      filesModified: [expect.stringMatching(/b\.txt$/)],
    },
  });
  expect(failed).toMatchObject({
    ...{ type: "delegate", status: "failed" },
    toolAgentResult: {
      success: false,
      summary: "It failed.",
      toolCallCount: 1,
      errors: [expect.stringContaining("none.txt")],
    },
  });
});
