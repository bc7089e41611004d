import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CallStatus } from "@haft/core/executor";
import type { Effect, Result } from "@haft/core/tool";
import { isSessionId, type LogEntry, readSessionLog } from "@haft/service";
import { forkOrigin, isContent } from "../../agent/index.ts";

/** A call as the record of its session has it. */
export interface RecordedCall {
  readonly id: string;
  readonly tool: string;
  /** The id of the agent that made it. */
  readonly agent: string;
  readonly kind: string;
  readonly status: CallStatus;
  readonly input: unknown;
  readonly effects: readonly Effect[];
  readonly decision?: string;
  readonly reason?: string;
  readonly rule?: { readonly behavior: string; readonly rule: string };
  readonly approval?: object;
  readonly dryRun?: true;
  readonly result: Pick<Result, "content" | "display" | "error" | "title">;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
}

/** Most sessions in a line of forks. */
const MOST_FORKS = 20;

/**
 * The calls of a session, oldest first, from the record at this path. A fork has those of the sessions that it continues,
 * too: its messages tell of them.
 */
export function recordedCalls(path: string | undefined, forks = MOST_FORKS): readonly RecordedCall[] {
  if (path === undefined || !existsSync(path)) return [];
  const folder = dirname(path);
  const origin = forkOrigin(folder);
  const isKnown = origin !== undefined && isSessionId(origin) && forks > 0;
  const earlier = isKnown ? recordedCalls(join(dirname(folder), origin, "session.jsonl"), forks - 1) : [];
  return [...earlier, ...readSessionLog(path).entries.filter(isCall)];
}

/** Checks an entry, as another version may have written it, or a person may have edited it. */
function isCall(entry: LogEntry): entry is LogEntry & RecordedCall {
  const { t, id, tool, agent, kind, status, effects, result, startedAt, durationMs, reason } = entry;
  return (
    t === "call" &&
    [id, tool, agent, kind, status, startedAt].every((value) => typeof value === "string") &&
    typeof durationMs === "number" &&
    (reason === undefined || typeof reason === "string") &&
    Array.isArray(effects) &&
    effects.every((effect) => typeof effect?.do === "string") &&
    isResult(result)
  );
}

function isResult(value: unknown): boolean {
  const { content, error, title } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const { message } = (error ?? { message: "" }) as { readonly message?: unknown };
  return (
    Array.isArray(content) &&
    content.every(isContent) &&
    typeof message === "string" &&
    (title === undefined || typeof title === "string")
  );
}
