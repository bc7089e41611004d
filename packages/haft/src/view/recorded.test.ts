import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentSessions } from "../../test/support/agent-sessions.ts";
import { script, treeModel, turn } from "../../test/support/agents.ts";
import { calls, finish, says } from "../../test/support/scripted-model.ts";
import { type AgentSession, recordedCalls } from "../session/index.ts";
import { type CallRow, emptyView, foldEvent, type Row, type ViewEvent, viewOfMessages } from "./index.ts";

const sessions = agentSessions("recorded");

/** Everything that a face draws of a row. */
function drawn(row: Row): object {
  if (row.kind !== "call") return { id: row.id, kind: row.kind, text: "text" in row ? row.text : "" };
  const { id, callId, tool, status, title, effects, display, error, isRead, isSearch, children, rule } = row as CallRow;
  return {
    id,
    callId,
    tool,
    status,
    title,
    effects,
    display,
    error,
    isRead,
    isSearch,
    rule,
    children: children.map(drawn),
  };
}

const live = (events: readonly ViewEvent[]) => events.reduce((view, event) => foldEvent(view, event), emptyView);
const again = ({ messages, haft }: AgentSession) => viewOfMessages(messages, recordedCalls(haft.session.path));
const plain = (rows: readonly Row[]) => JSON.parse(JSON.stringify(rows.map(drawn))) as unknown;

it("U01 a resumed session, and a fork of it, show the diffs, output, errors and tasks that it showed live", async () => {
  const { options, cwd } = sessions.make();
  writeFileSync(join(cwd, "a.txt"), "one\ntwo\n");
  const large = Array.from({ length: 2_000 }, (_, line) => `line ${line}\n`).join("");
  const first = await sessions.open(
    [
      [calls("c1", "Read", { file_path: "a.txt" }), calls("c2", "Glob", { pattern: "*" }), finish()],
      [
        calls("c3", "Edit", { file_path: "a.txt", old_string: "two", new_string: "three" }),
        calls("c4", "Write", { file_path: "large.txt", content: large }),
        calls("c5", "Read", { file_path: "none.txt" }),
        calls("c6", "TodoWrite", { todos: [{ content: "Go on", status: "pending", activeForm: "Going on" }] }),
        finish(),
      ],
      says("Done."),
    ],
    { ...options, mode: "acceptEdits" },
  );
  await first.session.prompt("Go.");
  const shown = live(first.events);
  const rows = shown.rows.filter(({ kind }) => kind !== "notice");
  const kinds = again(first.session).rows.map((row) => (row.kind === "call" ? row.display?.kind : row.kind));
  expect(kinds).toEqual(["prompt", "text", "files", "diff", "diff", "text", "todos", "text"]);
  expect(again(first.session).todos).toEqual(shown.todos);
  await first.session[Symbol.asyncDispose]();

  const { session: fork } = await sessions.open([says("More.")], { ...options, resume: first.session.id, fork: true });
  const { session: second } = await sessions.open([], { ...options, resume: first.session.id });
  for (const view of [again(second), again(fork)]) {
    const whole = view.rows.find((row) => row.kind === "call" && row.callId === "c4") as CallRow;
    // The record keeps the difference alone of a large change.
    expect(whole.display).toMatchObject({ kind: "diff", added: 2_000, unified: expect.stringContaining("+line 1999") });
    const without = (all: readonly Row[]) => all.filter((row) => row.kind !== "call" || row.callId !== "c4");
    expect(plain(without(view.rows))).toEqual(plain(without(rows)));
  }
});

it("U01 calls from before /clear do not come back, and ids that come again belong to the later calls", async () => {
  const { options, cwd } = sessions.make();
  writeFileSync(join(cwd, "a.txt"), "early");
  writeFileSync(join(cwd, "b.txt"), "late");
  const read = (name: string) => [calls("c1", "Read", { file_path: name }), finish()];
  const { session } = await sessions.open([read("a.txt"), says("One."), read("b.txt"), says("Two.")], options);
  await session.prompt("First.");
  session.clear();
  await session.prompt("Second.");
  const rows = again(session).rows.filter((row) => row.kind === "call");
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).toContain("late");
  expect(JSON.stringify(rows)).not.toContain("early");
});

it("U01 the calls of agents stay under the call that started them", async () => {
  const { options, cwd } = sessions.make();
  writeFileSync(join(cwd, "a.txt"), "alpha");
  const model = treeModel({
    "Start it": script(turn(["Agent", { description: "a part", prompt: "Find it." }]), "Done."),
    "Find it": script([calls("a1-1", "Read", { file_path: "a.txt" }), finish()], "It is alpha."),
  });
  const { session } = await sessions.open([], { ...options, model });
  await session.prompt("Start it.");
  const rows = again(session).rows.filter((row): row is CallRow => row.kind === "call");
  expect(rows.map(({ tool, children }) => [tool, children.map((child) => child.tool)])).toEqual([["Agent", ["Read"]]]);
});

it("U01 a fork at a call has the conversation up to its results, and nothing of what came later", async () => {
  const { options } = sessions.make();
  const glob = (id: string) => [calls(id, "Glob", { pattern: `${id}*` }), finish()];
  const { session } = await sessions.open([glob("c1"), glob("c2"), says("Done.")], options);
  await session.prompt("Go.");
  const from = { ...options, resume: session.id, fork: true };
  const { session: fork, model } = await sessions.open([says("Another way.")], { ...from, forkAt: "c1" });
  expect(again(fork).rows.map((row) => (row.kind === "call" ? row.callId : row.kind))).toEqual(["prompt", "c1"]);
  await fork.prompt("Now otherwise.");
  expect(JSON.stringify(model.requests[0]?.messages)).not.toContain("c2");
  await expect(sessions.open([], { ...from, forkAt: "c9" })).rejects.toThrow('no result of the call "c9"');
});
