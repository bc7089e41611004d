import type { Progress } from "@haft/core/tool";
import type { Asking } from "./client-questions.ts";

/**
 * Milliseconds between two pieces of output of one call: clients draw no faster, and a chatty command must not flood
 * them.
 */
const PAUSE_MS = 100;

/** Milliseconds without news after which a client is told that its call still runs. */
export const SILENCE_MS = 5_000;

/** The progress sent to a client about one of its calls. */
export interface Followed {
  readonly asking: Asking;
  readonly tool: string;
  wantsMessages(): boolean;
  readonly startedAt: number;
  /** Time of the last message to the client. */
  toldAt: number;
  /** The last progress number sent; each must be greater than the one before. */
  progress: number;
  total?: number | undefined;
  /** Output held back because it came too soon after other news. */
  untold?: Progress | undefined;
}

/**
 * Passes on the progress of a call: as progress to a client that asked for it, and as a message to one that wants
 * messages.
 */
export function passOn(followed: Followed, news: Progress, now: number): void {
  const { done, total } = measureOf(news);
  followed.untold = undefined;
  const message = news.title ?? news.output?.trimEnd().split("\n").at(-1);
  if (message === undefined && done === undefined) return;
  if (news.title === undefined && done === undefined && now - followed.toldAt < PAUSE_MS) {
    followed.untold = news;
    return;
  }
  followed.total = total ?? followed.total;
  const { envelope, log } = followed.asking.round();
  // A disconnected client gets nothing more; the call's own signal ends the call.
  if (message !== undefined && (envelope || followed.wantsMessages()))
    void log("info", message, followed.tool).catch(() => {});
  tell(followed, now, done ?? Math.floor(followed.progress) + 1, message);
}

/** Sends the held-back output before the call is answered. */
export function passOnRest(followed: Followed): void {
  if (followed.untold && !followed.asking.signal.aborted) passOn(followed, followed.untold, Number.POSITIVE_INFINITY);
}

/** Tells the client of a long-silent call that it still runs: many clients give up on a silent one. */
export function beat(followed: Followed, now: number): void {
  if (now - Math.max(followed.toldAt, followed.startedAt) < SILENCE_MS) return;
  const seconds = Math.round((now - followed.startedAt) / 1_000);
  tell(followed, now, followed.progress, `${followed.tool} still runs after ${seconds} s.`);
}

/** The increase of a progress number without news. Small, so that it does not seem to be near the total. */
const STEP = 0.001;

function tell(followed: Followed, now: number, done: number, message: string | undefined): void {
  followed.toldAt = now;
  const { asking, total } = followed;
  const progressToken = asking.round()._meta?.progressToken;
  // The client is away to answer a question: it has no open request to which this could belong.
  if (progressToken === undefined || asking.isAway) return;
  followed.progress = done > followed.progress ? done : followed.progress + STEP;
  const measure = { progress: followed.progress, ...(total === undefined ? {} : { total }) };
  const params = { progressToken, ...measure, ...(message === undefined ? {} : { message }) };
  void asking
    .round()
    .notify({ method: "notifications/progress", params })
    .catch(() => {});
}

/** The progress of a call, if it reports any: in its display or, as calls of MCP servers do, in its metadata. */
function measureOf({ display, metadata }: Progress): { readonly done?: number; readonly total?: number } {
  const shown = display?.kind === "progress" ? display : { done: metadata?.progress, total: metadata?.total };
  const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);
  const [done, total] = [number(shown.done), number(shown.total)];
  return { ...(done === undefined ? {} : { done }), ...(total === undefined ? {} : { total }) };
}
