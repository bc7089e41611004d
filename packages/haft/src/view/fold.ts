import type { CallEvent } from "@haft/core/executor";
import type { AgentEnd, AgentEvent, Message, Usage } from "../agent/index.ts";
import type { RecordedCall } from "../session/index.ts";
import type { ViewEvent } from "./event.ts";
import { foldCallEvent } from "./fold-call.ts";
import { closed, foldCall, foldMessage, foldModel, withdrawn } from "./fold-model.ts";
import { callsByMessage, foldRecorded } from "./recorded.ts";
import { isEnded, type NoticeRow } from "./row.ts";
import { addRow } from "./rows.ts";
import { emptyView, type SessionView } from "./session-view.ts";

/**
 * Adds an event of a session to its view. Total: events in any order, repeated or missing, give a view. `now`:
 * milliseconds since the epoch, for the time that a call has been running.
 */
export function foldEvent(view: SessionView, event: ViewEvent, now?: number): SessionView {
  if (event.type.startsWith("tool:")) return foldCallEvent(view, event as CallEvent, now);
  return foldAgent(view, event as AgentEvent) ?? foldSession(view, event as SessionOnly) ?? view;
}

/** The view of a stored session: the fold over its messages, and over the calls of its record. */
export function viewOfMessages(messages: readonly Message[], calls: readonly RecordedCall[] = []): SessionView {
  const found = callsByMessage(messages, calls);
  return messages.reduce(
    (view, message) => foldMessage(foldRecorded(view, found.get(message) ?? []), message),
    emptyView,
  );
}

type SessionOnly = Exclude<ViewEvent, AgentEvent | CallEvent>;

function foldAgent(view: SessionView, event: AgentEvent): SessionView | undefined {
  switch (event.type) {
    case "request":
      return closed(view);
    case "model":
      return foldModel(view, event.event);
    case "call":
      return foldCall(view, event.call);
    case "message":
      return foldMessage(view, event.message);
    case "retry":
      return noticed(withdrawn(view), { severity: "warning", message: `Retrying after: ${wordsOf(event.error)}` });
    case "shortened":
      return noticed(closed(view), {
        severity: "warning",
        message: `The conversation was too long for the model: ${event.results === 1 ? "an old result was" : `${event.results} old results were`} dropped. The session's record still has them.`,
      });
    case "end":
      return foldEnd(view, event.end);
    default:
      return undefined;
  }
}

function foldSession(view: SessionView, event: SessionOnly): SessionView | undefined {
  switch (event.type) {
    case "status":
      return { ...view, status: event.status };
    case "prompt": {
      const { id, text, by } = event;
      const queue = view.queue.filter((prompt) => prompt.id !== id);
      const more = by === undefined ? {} : { by };
      if (event.queued) return { ...view, queue: [...queue, { id, text, ...more }] };
      return addRow({ ...closed(view), queue }, { kind: "prompt", text, ...more });
    }
    case "unqueued":
      return { ...view, queue: view.queue.filter(({ id }) => id !== event.id) };
    case "notice":
      return noticed(view, event.notice);
    case "mode":
      return { ...view, mode: event.mode };
    case "model-changed":
      return { ...view, model: event.model.name };
    case "compacted":
      return addRow(closed(view), { kind: "compacted", summary: event.summary });
    case "cleared": {
      const { mode, model, jobs, status } = view;
      return { ...emptyView, made: view.made, jobs, status, ...(mode ? { mode } : {}), ...(model ? { model } : {}) };
    }
    case "jobs":
      return { ...view, jobs: event.jobs };
    default:
      return undefined;
  }
}

interface Noticed {
  readonly severity: NoticeRow["severity"];
  readonly source?: string;
  readonly message: string;
  readonly cure?: string;
}

function noticed(view: SessionView, { severity, source, message, cure }: Noticed): SessionView {
  return addRow(view, {
    ...{ kind: "notice", severity, text: message },
    ...(source === undefined ? {} : { source }),
    ...(cure === undefined ? {} : { cure }),
  });
}

/** A run has ended: nothing goes on, and an ending without an answer is said. */
function foldEnd(view: SessionView, { reason, why, error, usage }: AgentEnd): SessionView {
  const rest = closed(view);
  const rows = rest.rows.map((row) =>
    row.kind === "call" && row.status === "writing" && !isEnded(row) ? { ...row, status: "cancelled" as const } : row,
  );
  const next = { ...rest, rows, usage: added(rest.usage, usage) };
  if (error !== undefined) return noticed(next, { severity: "error", message: wordsOf(error), ...cureOf(error) });
  if (reason === "answered") return why === undefined ? next : noticed(next, { severity: "warning", message: why });
  const stopped = reason === "stopped" && why !== undefined ? `Stopped: ${why.replace(/\.?$/, ".")}` : (why ?? reason);
  const said = reason === "cancelled" ? "Interrupted." : stopped;
  return noticed(next, { severity: "warning", message: said });
}

function added(sum: SessionView["usage"], more: Usage): SessionView["usage"] {
  const keys = ["inputTokens", "outputTokens", "cachedTokens"] as const;
  const total = keys.flatMap((key) =>
    sum[key] === undefined && more[key] === undefined ? [] : [[key, (sum[key] ?? 0) + (more[key] ?? 0)]],
  );
  return { ...sum, ...Object.fromEntries(total) };
}

/** The message of an error, also of one that came as plain data. */
function wordsOf(error: unknown): string {
  if (typeof error === "string") return error;
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message : String(error);
}

function cureOf(error: unknown): { readonly cure?: string } {
  const { hint } = (error ?? {}) as { readonly hint?: unknown };
  return typeof hint === "string" && hint !== "" ? { cure: hint } : {};
}
