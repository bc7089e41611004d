import type { CallEvent } from "@haft/core/executor";
import { contentsText } from "@haft/core/tool";
import type { Message } from "../agent/index.ts";
import type { RecordedCall } from "../session/index.ts";
import { foldCallEvent } from "./fold-call.ts";
import { plainTitle } from "./fold-model.ts";
import { callRowOf } from "./rows.ts";
import type { SessionView } from "./session-view.ts";

const isMain = ({ agent }: RecordedCall): boolean => agent === "main";

/**
 * The calls behind each message of results, with the calls of the agents that they started. The latest messages belong to
 * the latest calls: a record also has those from before the conversation was cleared.
 */
export function callsByMessage(
  messages: readonly Message[],
  calls: readonly RecordedCall[],
): ReadonlyMap<Message, readonly RecordedCall[]> {
  const found = new Map<Message, readonly RecordedCall[]>();
  let before = calls.length;
  for (const message of messages.toReversed()) {
    if (message.role !== "results") continue;
    const ids = new Set(message.results.map(({ callId }) => callId));
    const last = calls.findLastIndex((call, at) => at < before && isMain(call) && ids.has(call.id));
    if (last < 0) continue;
    // A provider may repeat an id in a later message.
    const first = calls.findLastIndex((call, at) => at <= last && isMain(call) && !ids.delete(call.id)) + 1;
    found.set(message, calls.slice(first, last + 1));
    before = first;
  }
  return found;
}

/** Folds recorded calls as if their events came again. */
export function foldRecorded(view: SessionView, calls: readonly RecordedCall[]): SessionView {
  // A call that starts an agent is older than the calls of that agent, also within a millisecond.
  const started = calls.toSorted(
    (a, b) => depthOf(a) - depthOf(b) || (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0),
  );
  const seen = started.flatMap(beginning).reduce(fold, view);
  return calls.reduce((so, call) => fold(so, ending(call, callRowOf(so, call.id)?.title)), seen);
}

const fold = (view: SessionView, event: CallEvent): SessionView => foldCallEvent(view, event, undefined);

const refsOf = ({ id, tool, agent }: RecordedCall) =>
  ({
    call: { id, tool },
    agent: agent === "main" ? { id: agent } : { id: agent, parent: parentOf(agent) },
  }) as Pick<CallEvent, "call" | "agent">;

/** The ids of agents count along the tree: a1, a1.2. */
const parentOf = (agent: string): string => (agent.includes(".") ? agent.slice(0, agent.lastIndexOf(".")) : "main");

const depthOf = ({ agent }: RecordedCall): number => (agent === "main" ? 0 : agent.split(".").length);

function beginning(call: RecordedCall): readonly CallEvent[] {
  const { input, effects, decision, reason = "", rule } = call;
  const title = plainTitle(call);
  const decided = { decision, reason, ...(rule ? { rule } : {}) };
  return [
    { type: "tool:call:received", ...refsOf(call), input, title },
    { type: "tool:call:decided", ...refsOf(call), decision: decided, effects, title, activity: "" } as CallEvent,
  ];
}

function ending(call: RecordedCall, known: string | undefined): CallEvent {
  const { status, effects, result, decision, reason = "", rule, approval, startedAt, durationMs, kind } = call;
  const { dryRun } = call;
  const label = known ?? plainTitle(call);
  const text = contentsText(result.content);
  const isReadOnly = effects.every((effect) => effect.do === "read");
  return {
    type: result.error ? "tool:execution:error" : "tool:execution:complete",
    ...refsOf(call),
    ...{ label, title: result.title ?? label, summary: text.trimStart().split("\n", 1)[0] ?? "" },
    content: result.display ?? { kind: "text", text },
    outcome: {
      ...refsOf(call),
      ...{ status, effects, result, input: call.input, durationMs, startedAt: Date.parse(startedAt) },
      traits: { kind, isReadOnly },
      ...(decision === undefined ? {} : { decision: { decision, reason, ...(rule ? { rule } : {}) } }),
      ...(approval ? { approval } : {}),
      ...(dryRun === true ? { dryRun } : {}),
    },
  } as unknown as CallEvent;
}
