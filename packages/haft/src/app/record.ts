import type { Broker } from "@haft/core/approval";
import type { CallOutcome, Recorder } from "@haft/core/executor";
import { createRedactor } from "@haft/core/policy";
import type { Display } from "@haft/core/tool";
import { createStamp, openSessionLog, type SessionLog } from "@haft/service";
import type { TableRecord } from "./host/table-record.ts";

/** The record of one session: its calls, approvals and answers, and how it ended. */
export interface SessionRecord {
  readonly log: Pick<SessionLog, "append" | "head"> & { readonly path?: string; close(): void | Promise<void> };
  readonly recorder: Recorder;
}

/** Opens a session's record. Writes calls and approvals as they end, without the secrets of `env` or secrets of a known shape. */
export function openRecord(path: string, broker: Broker, env: NodeJS.ProcessEnv): SessionRecord {
  const log = openSessionLog(path, { redact: createRedactor(env) });
  watchQuestions(log, broker);
  const stamp = createStamp();
  return { log, recorder: { record: (outcome) => log.enter(entryOf(outcome, stamp)) } };
}

/** The same in a store of the host's own. */
export function recordInTable(table: TableRecord, broker: Broker): SessionRecord {
  const log = { append: table.append, head: () => undefined, close: table.close };
  watchQuestions(log, broker);
  return { log, recorder: { ready: table.ready, record: (outcome) => table.enter(entryOf(outcome)) } };
}

function watchQuestions(log: Pick<SessionLog, "append">, broker: Broker): void {
  broker.watch((event) => {
    if (event.type === "asked") log.append({ t: "approval", request: event.pending.request });
    else log.append({ t: "answer", requestId: event.request.id, outcome: event.outcome });
  });
}

/** The entry of a call. Each result is stored in full, once: after a restart only the record remains. */
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

/** Whether the content already contains all of the output: a text, complete. */
function isSaid({ content, output }: CallOutcome["result"]): boolean {
  const [first] = content;
  return content.length === 1 && first?.type === "text" && first.text === output;
}

/** Texts up to this size are kept along with their difference. */
const MOST_CHARS = 4096;

/** For a change the difference is enough. Whole files would make the record of a small edit twice as large as the file. */
function kept(display: Display): object {
  if (display.kind !== "diff" || display.before.length + display.after.length <= MOST_CHARS) return display;
  const { before: _, after: __, ...rest } = display;
  return rest;
}
