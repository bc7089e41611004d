import type { Broker } from "@haft/core/approval";
import type { CallOutcome, Recorder } from "@haft/core/executor";
import { createRedactor } from "@haft/core/policy";
import type { Display } from "@haft/core/tool";
import { createStamp, openSessionLog, type SessionLog } from "@haft/tools";

/** The record of one session: what was called, asked, answered, and how it ended. */
export interface SessionRecord {
  readonly log: SessionLog;
  readonly recorder: Recorder;
}

/** Opens a session's record and writes calls and approvals into it as they end, without the secrets of `env` or of a known shape. */
export function openRecord(path: string, broker: Broker, env: NodeJS.ProcessEnv): SessionRecord {
  const log = openSessionLog(path, { redact: createRedactor(env) });
  broker.watch((event) => {
    if (event.type === "asked") log.append({ t: "approval", request: event.pending.request });
    else log.append({ t: "answer", requestId: event.request.id, outcome: event.outcome });
  });
  const stamp = createStamp();
  return { log, recorder: { record: (outcome) => log.enter(entryOf(outcome, stamp)) } };
}

/** A call's entry. Results are kept whole, and once: after a restart the record is all there is. */
function entryOf(
  outcome: CallOutcome,
  stamp = createStamp(),
): { readonly t: "call"; readonly [field: string]: unknown } {
  const { call, decision, result } = outcome;
  const { content, display, error, title, metadata, labels, spilled } = result;
  const output = isSaid(result) ? undefined : result.output;
  return {
    t: "call",
    at: stamp(Date.now()),
    id: call.id,
    tool: call.tool,
    turn: call.turn,
    batch: call.batch,
    agent: outcome.agent.id,
    kind: outcome.traits.kind,
    status: outcome.status,
    input: outcome.input,
    effects: outcome.effects,
    approval: outcome.approval,
    rewrittenBy: outcome.rewrittenBy,
    stop: outcome.stop,
    dryRun: outcome.dryRun,
    decision: decision?.decision,
    reason: decision?.reason,
    rule: decision?.rule,
    result: { content, output, display: display && kept(display), error, title, metadata, labels, spilled },
    startedAt: stamp(outcome.startedAt),
    durationMs: Math.round(outcome.durationMs * 1000) / 1000,
  };
}

/** Whether the content says all of the output: it is a text, and stands there whole. */
function isSaid({ content, output }: CallOutcome["result"]): boolean {
  const [first] = content;
  return content.length === 1 && first?.type === "text" && first.text === output;
}

/** Texts of up to this size stay beside their difference. */
const MOST_CHARS = 4096;

/** Of a change the difference says all; whole files would make the record of a small edit as large as the file, twice. */
function kept(display: Display): object {
  if (display.kind !== "diff" || display.before.length + display.after.length <= MOST_CHARS) return display;
  const { before: _, after: __, ...rest } = display;
  return rest;
}
