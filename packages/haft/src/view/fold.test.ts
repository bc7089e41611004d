import type { CallEvent } from "@haft/core/executor";
import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { agentSetup } from "../../test/support/agent.ts";
import { calls, finish, says, scriptedModel } from "../../test/support/scripted-model.ts";
import { type AssistantPart, type Message, type ModelEvent, runAgent, userMessage } from "../agent/index.ts";
import {
  type CallRow,
  emptyView,
  foldEvent,
  groupRows,
  isEnded,
  type Row,
  type ViewEvent,
  viewOfMessages,
} from "./index.ts";

const folded = (events: readonly ViewEvent[]) => events.reduce((view, event) => foldEvent(view, event), emptyView);

/** Everything about a row that its messages tell. */
const essence = (row: Row) =>
  row.kind === "call"
    ? { id: row.id, call: row.callId, tool: row.tool, status: row.status, input: row.input }
    : { id: row.id, kind: row.kind, text: "text" in row ? row.text : "" };

/** A real run over toy tools: the events of it, and its messages. */
async function ran(turns: readonly (readonly ModelEvent[])[]) {
  const events: ViewEvent[] = [{ type: "prompt", id: "p1", text: "Go.", queued: false }];
  const { executor, offer } = agentSetup(undefined, { listener: (event: CallEvent) => void events.push(event) });
  const opening = [userMessage("Go.")];
  const end = await runAgent({
    ...{ model: scriptedModel(turns), executor, offer, messages: opening },
    onEvent: (event) => void events.push(event),
  });
  return { events, messages: end.messages };
}

it("U01 a call is a row from its first argument on, and ends with its result", async () => {
  const { events } = await ran([
    [
      { type: "call-started", key: "call:c1", id: "c1", tool: "Get" },
      { type: "arguments", key: "call:c1", text: '{"path": "a' },
      calls("c1", "Get", { path: "a.ts" }),
      finish(),
    ],
    [calls("c2", "Put", { path: "b", text: "1" }), finish()],
    says("Done."),
  ]);
  const statuses = new Set<string>();
  let view = emptyView;
  for (const event of events) {
    view = foldEvent(view, event);
    const row = view.rows.find((one): one is CallRow => one.kind === "call" && one.callId === "c1");
    if (row) statuses.add(row.status);
    if (event.type === "model" && event.event.type === "arguments") expect(row?.written).toBe('{"path": "a');
  }
  expect([...statuses]).toEqual(["writing", "waiting", "running", "ok"]);
  expect(view.rows.map(({ kind }) => kind)).toEqual(["prompt", "call", "call", "text"]);
  expect(view.rows.at(-1)).toMatchObject({ text: "Done.", isOpen: false });
});

const part = fc.oneof(
  fc.record({
    type: fc.constant("text" as const),
    text: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ""),
  }),
  fc.record({
    type: fc.constant("tool-call" as const),
    tool: fc.constantFrom("Get", "Put", "Nothing"),
    path: fc.constantFrom("a.ts", "b"),
  }),
);
const script = fc.array(fc.array(part, { minLength: 1, maxLength: 4 }), { maxLength: 4 });

function turnsOf(written: typeof script extends fc.Arbitrary<infer T> ? T : never): ModelEvent[][] {
  let id = 0;
  const turns = written.map((parts) => [
    ...parts.flatMap((one, at): ModelEvent[] => {
      if (one.type === "text")
        return [
          { type: "delta", key: `t${at}`, of: "text", text: one.text.slice(0, 2) },
          { type: "part", key: `t${at}`, part: one },
        ];
      // Some providers give two calls the same id.
      const name = `c${Math.floor(++id / 2)}`;
      return [calls(name, one.tool, one.tool === "Put" ? { path: one.path, text: "x" } : { path: one.path })].map(
        (event) => (event.type === "part" ? { ...event, key: `call:${at}` } : event),
      );
    }),
    finish(parts.some(({ type }) => type === "tool-call") ? "calls" : "stop"),
  ]);
  return [...turns, says("End.")];
}

it("U01 a resumed session folds to the rows that it had while it ran", async () => {
  await fc.assert(
    fc.asyncProperty(script, async (written) => {
      const { events, messages } = await ran(turnsOf(written));
      const live = folded(events);
      expect(viewOfMessages(messages).rows.map(essence)).toEqual(
        live.rows.filter(({ kind }) => kind !== "notice").map(essence),
      );
    }),
    { numRuns: runs(200) },
  );
});

it("U01 events in any order, repeated or missing, give a consistent view", async () => {
  const { events } = await ran([
    [
      ...says("First.").slice(0, 2),
      calls("c1", "Get", { path: "a.ts" }),
      calls("c2", "Append", { path: "b", text: "1" }),
      finish(),
    ],
    [calls("c3", "Nothing", {}), finish()],
    says("Done."),
  ]);
  const asked = { id: "q1", callId: "c2", tool: "Append", effects: [], agent: { id: "main" } };
  const call = { id: "c2", tool: "Append", batch: "b", turn: 1 };
  const more = [
    { type: "tool:permission:request", call, agent: { id: "main" }, request: asked },
    {
      type: "tool:permission:response",
      call,
      agent: { id: "main" },
      requestId: "q1",
      answer: { behavior: "allow" },
      by: "user",
    },
    { type: "retry", turn: 1, error: new Error("gone") },
    { type: "prompt", id: "p2", text: "More.", queued: true },
    { type: "unqueued", id: "p2", text: "More." },
  ] as unknown as ViewEvent[];
  const all = [...events, ...more];
  fc.assert(
    fc.property(fc.array(fc.nat(all.length - 1), { maxLength: 60 }), (order) => {
      const ended = new Map<string, string>();
      let view = emptyView;
      for (const at of order) {
        view = foldEvent(view, all[at]!);
        const rows = view.rows.filter((row): row is CallRow => row.kind === "call");
        expect(new Set(view.rows.map(({ id }) => id)).size).toBe(view.rows.length);
        expect(new Set(rows.map(({ callId }) => callId)).size).toBe(rows.length);
        for (const row of rows) {
          // A finished row does not change.
          if (ended.has(row.id)) expect(row.status).toBe(ended.get(row.id));
          if (isEnded(row)) ended.set(row.id, row.status);
        }
        const settled = rows.flatMap(({ answers }) => answers.map(({ requestId }) => requestId));
        expect(view.approvals.filter(({ id }) => settled.includes(id))).toEqual([]);
      }
    }),
    { numRuns: runs(1000) },
  );
});

it("U07 consecutive reads and searches fold into one row, and a failed one stays visible", () => {
  const row = (id: string, more: Partial<CallRow>): CallRow => ({
    ...{ id, kind: "call", callId: id, tool: "X", agent: { id: "main" }, status: "ok", title: id },
    ...{ effects: [], isRead: false, isSearch: false, answers: [], children: [] },
    ...more,
  });
  const rows = [
    row("1", { isRead: true }),
    row("2", { isSearch: true }),
    row("3", { isRead: true, status: "running" }),
    row("4", { isRead: true, status: "error" }),
    row("5", {}),
    row("6", { isRead: true }),
  ];
  expect(
    groupRows(rows).map((shown) => (shown.kind === "group" ? `${shown.reads}+${shown.searches}` : shown.id)),
  ).toEqual([...["2+1", "4", "5", "6"]]);
  expect(groupRows(rows.slice(0, 2))).toMatchObject([{ kind: "group", isClosed: false }]);
});

it("U05 the calls of a subagent are under the call that started it", () => {
  const of = (id: string, agent: object) => ({ call: { id, tool: "T", batch: "b", turn: 1 }, agent });
  const main = { id: "main" };
  const a1 = { id: "a1", name: "explore", parent: "main", path: ["explore"] };
  const delegate = [{ do: "delegate", basis: "enforced", agent: "explore" }];
  const events = [
    {
      ...of("c1", main),
      type: "tool:call:decided",
      effects: delegate,
      title: "explore: x",
      activity: "",
      decision: { decision: "allow" },
    },
    { ...of("s1", a1), type: "tool:call:received", input: {}, title: "Read a" },
    { ...of("s1", a1), type: "tool:execution:start", title: "Read a", activity: "Reading a", traits: { kind: "read" } },
    { ...of("s2", a1), type: "tool:call:received", input: {}, title: "Read b" },
  ] as unknown as ViewEvent[];
  const view = folded(events);
  expect(view.rows).toHaveLength(1);
  expect(view.rows[0]).toMatchObject({
    callId: "c1",
    children: [{ callId: "s1", status: "running" }, { callId: "s2" }],
  });
  expect(view.agents).toEqual([
    { ...{ id: "a1", name: "explore", path: ["explore"] }, rowId: "r1", calls: 2, activity: "Reading a" },
  ]);
});

it("U05 calls of agents of one kind are each under the call that started their agent, whichever comes first", () => {
  const of = (id: string, agent: object) => ({ call: { id, tool: "T", batch: "b", turn: 1 }, agent });
  const effects = [{ do: "delegate", basis: "enforced", agent: "general" }];
  const started = (id: string) => ({
    ...of(id, { id: "main" }),
    ...{ type: "tool:call:decided", effects, title: id, activity: "", decision: { decision: "allow" } },
  });
  const agent = (id: string, call: string) => ({ id, name: "general", parent: "main", path: ["general"], call });
  const received = { type: "tool:call:received", input: {}, title: "Read a" };
  const view = folded([
    started("c1"),
    started("c2"),
    { ...of("s2", agent("a2", "c2")), ...received },
    { ...of("s1", agent("a1", "c1")), ...received },
  ] as unknown as ViewEvent[]);
  expect(view.rows).toMatchObject([
    { callId: "c1", children: [{ callId: "s1" }] },
    { callId: "c2", children: [{ callId: "s2" }] },
  ]);
});

it("U05 an agent shows its present activity: that of a running call, its live title, and else that it thinks", () => {
  const at = (agent: object, id: string, more: object) =>
    ({ call: { id, tool: "T", batch: "b", turn: 1 }, agent, ...more }) as unknown as ViewEvent;
  const main = { id: "main" };
  const a1 = { id: "a1", name: "explore", parent: "main", path: ["explore"] };
  const delegate = [{ do: "delegate", basis: "enforced", agent: "explore" }];
  const decision = { decision: "allow" };
  let view = folded([
    at(main, "c1", { type: "tool:call:decided", effects: delegate, title: "x", activity: "", decision }),
  ]);
  const seen = (...events: ViewEvent[]) => {
    view = events.reduce((before, event) => foldEvent(before, event), view);
    return view.agents[0]?.activity;
  };
  const start = (id: string, activity: string) => [
    at(a1, id, { type: "tool:call:received", input: {}, title: activity }),
    at(a1, id, { type: "tool:execution:start", title: activity, activity, traits: { kind: "read" } }),
  ];
  const result = { status: "ok", result: { content: [] }, effects: [], traits: {}, durationMs: 1 };
  const done = (id: string) =>
    at(a1, id, { type: "tool:execution:complete", outcome: result, title: "t", summary: "" });
  expect(seen(...start("s1", "Loading the skill pdf"))).toBe("Loading the skill pdf");
  expect(seen(...start("s2", "Reading b"))).toBe("Reading b");
  expect(seen(done("s2"))).toBe("Loading the skill pdf");
  expect(seen(at(a1, "s1", { type: "tool:execution:progress", progress: { title: "Skill pdf: Read" } }))).toBe(
    "Skill pdf: Read",
  );
  expect(seen(done("s1"))).toBe("Thinking");
});

it("news for the model are no words of a person, live and resumed", () => {
  const message: Message = userMessage("[Background job j1 ended with exit code 0.]");
  const asked = folded([{ type: "prompt", id: "p1", text: "[x] is a tick.", queued: false }]);
  const rows = [{ kind: "prompt", text: "[x] is a tick." }, { kind: "notice" }];
  expect(foldEvent(asked, { type: "message", turn: 2, message }).rows).toMatchObject(rows);
  expect(viewOfMessages([userMessage("Go."), message]).rows).toMatchObject([{ kind: "prompt" }, { kind: "notice" }]);
});

it("a waiting prompt becomes a row when the agent takes it", () => {
  const waits = folded([{ type: "prompt", id: "p1", text: "And then this.", queued: true }]);
  expect(waits).toMatchObject({ rows: [], queue: [{ id: "p1" }] });
  const message: Message = userMessage("And then this.");
  const taken = foldEvent(waits, { type: "message", turn: 2, message });
  expect(taken).toMatchObject({ queue: [], rows: [{ kind: "prompt", text: "And then this." }] });
  const reasoning: AssistantPart = { type: "reasoning", text: "hm" };
  expect(viewOfMessages([{ role: "assistant", parts: [reasoning] }]).rows).toMatchObject([
    { kind: "reasoning", text: "hm" },
  ]);
});
