import type { Broker } from "@haft/core/approval";
import type { CallOutcome, Recorder } from "@haft/core/executor";
import { openSessionLog, type SessionLog } from "@haft/tools";

/** The record of one session: what was called, asked, answered, and how it ended. */
export interface SessionRecord {
  readonly log: SessionLog;
  readonly recorder: Recorder;
}

/** Opens a session's record and writes calls and approvals into it as they end. */
export function openRecord(path: string, broker: Broker): SessionRecord {
  const log = openSessionLog(path);
  broker.watch((event) => {
    if (event.type === "asked") log.append({ t: "approval", request: event.pending.request });
    else log.append({ t: "answer", requestId: event.request.id, outcome: event.outcome });
  });
  return { log, recorder: { record: (outcome) => log.enter(entryOf(outcome)) } };
}

/** A call's entry. Results are kept whole: after a restart the record is all there is. */
export function entryOf(outcome: CallOutcome): { readonly t: "call"; readonly [field: string]: unknown } {
  const { call, agent, decision, startedAt, durationMs, result, traits, ...rest } = outcome;
  const { content, output, display, error, title, metadata, labels, spilled } = result;
  return {
    t: "call",
    id: call.id,
    tool: call.tool,
    turn: call.turn,
    batch: call.batch,
    agent: agent.id,
    kind: traits.kind,
    ...rest,
    ...(decision ? { decision: decision.decision, reason: decision.reason, rule: decision.rule } : {}),
    result: { content, output, display, error, title, metadata, labels, spilled },
    startedAt: new Date(startedAt).toISOString(),
    durationMs: Math.round(durationMs * 1000) / 1000,
  };
}
