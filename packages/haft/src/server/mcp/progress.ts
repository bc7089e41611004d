import type { Progress } from "@haft/core/tool";
import type { Asking } from "./talk.ts";

/** Milliseconds between two pieces of output of one call: a client draws no faster, and a chatty command must not flood. */
const PAUSE = 100;

/** A call whose progress may be told. */
export interface Followed {
  readonly asking: Asking;
  wantsMessages(): boolean;
  progress: number;
  /** When output was last passed on. */
  last: number;
}

/**
 * Passes on what a call tells of itself: as progress to a client that asked for it, and as a message to one that wants
 * to hear messages.
 */
export function passOn(followed: Followed, news: Progress, tool: string): void {
  const { envelope, _meta, log, notify } = followed.asking.round();
  const message = news.title ?? news.output?.trimEnd().split("\n").at(-1);
  const { done, total } = measureOf(news);
  if (message === undefined && done === undefined) return;
  const now = performance.now();
  if (news.title === undefined && done === undefined && now - followed.last < PAUSE) return;
  followed.last = now;
  // A client that has gone away learns no more; the call's own signal ends the call.
  if (message !== undefined && (envelope || followed.wantsMessages())) void log("info", message, tool).catch(() => {});
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return;
  followed.progress = Math.max(done ?? followed.progress + 1, followed.progress);
  const measure = { progress: followed.progress, ...(total === undefined ? {} : { total }) };
  const params = { progressToken, ...measure, ...(message === undefined ? {} : { message }) };
  void notify({ method: "notifications/progress", params }).catch(() => {});
}

/** How far a call has come, where it says so: by its display or, as calls of MCP servers do, by its facts. */
function measureOf({ display, metadata }: Progress): { readonly done?: number; readonly total?: number } {
  const shown = display?.kind === "progress" ? display : { done: metadata?.progress, total: metadata?.total };
  const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);
  const [done, total] = [number(shown.done), number(shown.total)];
  return { ...(done === undefined ? {} : { done }), ...(total === undefined ? {} : { total }) };
}
