import type { CallEvent, CallOutcome } from "@haft/core/executor";
import type { Decision } from "@haft/core/policy";
import { lookOf, type Progress } from "@haft/core/tool";
import { adoptable, callRow } from "./fold-model.ts";
import { type AnswerView, type CallRow, isEnded, type LiveOutput, OUTPUT_CHARS } from "./row.ts";
import { addRow, callRowOf, changeCall, changeRow, locateCall } from "./rows.ts";
import type { AgentView, SessionView } from "./session-view.ts";

/** Folds an event of a call. A call that is not known yet gets its row, whatever its first event is. */
export function foldCallEvent(view: SessionView, event: CallEvent, now: number | undefined): SessionView {
  const known = withAgent(withRow(view, event), event);
  const next = changeCall(known, event.call.id, (row) => (isEnded(row) ? late(row, event) : changed(row, event, now)));
  return foldTodos(foldApprovals(next, event), event);
}

function changed(row: CallRow, event: CallEvent, now: number | undefined): CallRow {
  switch (event.type) {
    case "tool:call:received":
      return {
        ...row,
        input: event.input,
        title: event.title,
        status: row.status === "writing" ? "waiting" : row.status,
      };
    case "tool:call:decided": {
      const { effects, title, activity, decision } = event;
      return { ...row, effects, title, activity, ...reasonOf(decision) };
    }
    case "tool:permission:request":
      return { ...row, status: "asking", ...(row.effects.length === 0 ? { effects: event.request.effects } : {}) };
    case "tool:permission:response":
      return answered({ ...row, status: row.status === "asking" ? "waiting" : row.status }, event);
    case "tool:execution:start": {
      const { title, activity, traits } = event;
      return {
        ...row,
        status: "running",
        title,
        activity,
        ...lookOf(traits),
        ...(now === undefined ? {} : { startedAt: now }),
      };
    }
    case "tool:execution:progress":
      return progressed(row, event.progress);
    case "tool:execution:complete":
    case "tool:execution:error":
      return ended(row, event);
  }
}

/** After the end, only an answer that was still on its way adds something. */
const late = (row: CallRow, event: CallEvent): CallRow =>
  event.type === "tool:permission:response" ? answered(row, event) : row;

function progressed(row: CallRow, { title, output, display }: Progress): CallRow {
  return {
    ...row,
    // A live title says more than the activity, which was known at the start.
    ...(title === undefined ? {} : { title, activity: title }),
    ...(display === undefined ? {} : { display }),
    ...(output === undefined ? {} : { output: grown(row.output, output) }),
  };
}

function grown(before: LiveOutput = { tail: "", bytes: 0, lines: 0 }, more: string): LiveOutput {
  return {
    tail: (before.tail + more).slice(-OUTPUT_CHARS),
    bytes: before.bytes + utf8Length(more),
    lines: before.lines + more.split("\n").length - 1,
  };
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a surrogate pair counts for two of its four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
  }
  return bytes;
}

type EndEvent = Extract<CallEvent, { type: "tool:execution:complete" | "tool:execution:error" }>;

/** The live output and the written arguments go: the result and the input have both. */
function ended({ output: _output, written: _written, ...row }: CallRow, event: EndEvent): CallRow {
  const { outcome, label, title, summary, content } = event;
  const { status, effects, traits, startedAt, durationMs, decision, approval } = outcome;
  const rule = decision?.decision === "allow" ? decision.rule : undefined;
  return {
    ...row,
    ...{ status, effects, startedAt, durationMs, label, title, summary, display: content },
    ...lookOf(traits),
    ...(rule ? { rule: `${rule.behavior} ${rule.rule}` } : {}),
    ...(approval ? { approvedBy: approval.by } : {}),
    ...(outcome.dryRun ? { isDryRun: true as const } : {}),
    ...(decision ? reasonOf(decision) : {}),
    ...errorOf(outcome),
  };
}

const errorOf = ({ result: { error } }: CallOutcome): Partial<CallRow> => (error ? { error: error.message } : {});

/** A mode alone explains nothing: only a rule, or a refusal, is worth showing. */
const reasonOf = ({ decision, reason, rule }: Decision): Partial<CallRow> =>
  rule || decision === "deny" ? { reason } : {};

type Response = Extract<CallEvent, { type: "tool:permission:response" }>;

function answered(row: CallRow, { requestId, answer, by, kept }: Response): CallRow {
  const view: AnswerView = {
    ...{ requestId, behavior: answer.behavior, by },
    ...(answer.message ? { message: answer.message } : {}),
    ...(answer.behavior === "allow" && answer.input !== undefined ? { isChange: true as const } : {}),
    ...(kept ? { kept } : {}),
  };
  return { ...row, answers: [...row.answers.filter((one) => one.requestId !== requestId), view] };
}

function withRow(view: SessionView, { call: { id, tool }, agent }: CallEvent): SessionView {
  if (locateCall(view, id)) return view;
  const made = callRow(id, tool, { agent, status: "waiting" });
  if (agent.parent === undefined) {
    const open = adoptable(view, tool);
    return open ? changeRow(view, open.id, (row) => ({ ...row, callId: id }) as CallRow) : addRow(view, made);
  }
  const home = homeOf(view, agent);
  if (home === undefined) return addRow(view, made);
  const next = { ...view, made: view.made + 1 };
  return changeCall(next, home, (row) => ({ ...row, children: [...row.children, { ...made, id: `r${next.made}` }] }));
}

/**
 * The call that an agent's calls are under: the one that its earlier calls are under, else the one that started it, unless it
 * has ended. If nobody says which that is: the oldest that has no agent yet.
 */
function homeOf(view: SessionView, { id: agent, parent, name, call }: CallEvent["agent"]): string | undefined {
  const starts = allCalls(view.rows.filter((row): row is CallRow => row.kind === "call")).filter(
    (row) => row.agent.id === parent && row.effects.some((effect) => effect.do === "delegate"),
  );
  const own = starts.findLast((row) => row.children.some((child) => child.agent.id === agent));
  if (own) return own.callId;
  if (call !== undefined) return starts.find((row) => row.callId === call && !isEnded(row))?.callId;
  const free = starts.filter((row) => !isEnded(row) && row.children.length === 0);
  const named = free.find((row) => row.effects.some((effect) => effect.do === "delegate" && effect.agent === name));
  return (named ?? free[0])?.callId;
}

const allCalls = (rows: readonly CallRow[]): readonly CallRow[] =>
  rows.flatMap((row) => (row.children.length === 0 ? row : [row, ...allCalls(row.children)]));

function withAgent(view: SessionView, event: CallEvent): SessionView {
  const { id, name = id, parent, path = [name], model } = event.agent;
  if (parent === undefined) return view;
  const at = view.agents.findIndex((one) => one.id === id);
  const before = view.agents[at];
  const rowId = before?.rowId ?? locateCall(view, event.call.id)?.top.id;
  const agent: AgentView = {
    ...{ id, name, path },
    ...(model === undefined ? {} : { model }),
    ...(rowId === undefined ? {} : { rowId }),
    calls: (before?.calls ?? 0) + (event.type === "tool:call:received" ? 1 : 0),
    activity: activityOf(view, event, rowId) ?? before?.activity ?? "",
  };
  return { ...view, agents: before ? view.agents.with(at, agent) : [...view.agents, agent] };
}

/** The new activity of an agent, if an event changes it: between its calls it thinks. */
function activityOf({ rows }: SessionView, event: CallEvent, rowId: string | undefined): string | undefined {
  if (event.type === "tool:execution:start") return event.activity;
  if (event.type === "tool:execution:progress") return event.progress.title;
  if (event.type !== "tool:execution:complete" && event.type !== "tool:execution:error") return undefined;
  const home = rows.filter((row): row is CallRow => row.kind === "call" && row.id === rowId);
  const other = allCalls(home).findLast(
    ({ agent, callId, status }) => agent.id === event.agent.id && callId !== event.call.id && status === "running",
  );
  return other?.activity ?? "Thinking";
}

/** A question stands until its answer, or until its call has ended. */
function foldApprovals(view: SessionView, event: CallEvent): SessionView {
  const without = (gone: (id: string, callId: string) => boolean): SessionView =>
    view.approvals.some(({ id, callId }) => gone(id, callId))
      ? { ...view, approvals: view.approvals.filter(({ id, callId }) => !gone(id, callId)) }
      : view;
  switch (event.type) {
    case "tool:permission:request": {
      const { request } = event;
      const row = locateCall(view, event.call.id)?.row;
      const isOver = !row || isEnded(row) || row.answers.some(({ requestId }) => requestId === request.id);
      if (isOver || view.approvals.some(({ id }) => id === request.id)) return view;
      return { ...view, approvals: [...view.approvals, request] };
    }
    case "tool:permission:response":
      return without((id) => id === event.requestId);
    case "tool:execution:complete":
    case "tool:execution:error":
      return without((_, callId) => callId === event.call.id);
    default:
      return view;
  }
}

/** The main agent's list of steps, from whatever tool shows one. */
function foldTodos(view: SessionView, event: CallEvent): SessionView {
  if (event.type !== "tool:execution:complete" || event.agent.parent !== undefined) return view;
  return event.content.kind === "todos" && callRowOf(view, event.call.id)
    ? { ...view, todos: event.content.todos }
    : view;
}
