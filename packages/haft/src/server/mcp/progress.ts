import type { Progress } from "@haft/core/tool";
import type { Haft } from "../../app/haft.ts";
import type { Round } from "./talk.ts";

/** Milliseconds between two pieces of output of one call: a client draws no faster, and a chatty command must not flood. */
const PAUSE = 100;

/** Follows calls in progress on behalf of clients. */
export interface ProgressDesk {
  /**
   * `round` gives the client's latest request; `wantsMessages` whether an older client has asked for messages (a newer
   * one says so in each request). Returns how to stop.
   */
  follow(callId: string, round: () => Round, wantsMessages: () => boolean): () => void;
}

/**
 * Passes on what calls tell of themselves: as progress to a client that asked for it, and as a message to one that wants
 * to hear messages.
 */
export function createProgressDesk(haft: Haft): ProgressDesk {
  const followed = new Map<string, (news: Progress, tool: string) => void>();
  haft.on((event) => {
    if (event.type === "tool:execution:progress") followed.get(event.call.id)?.(event.progress, event.call.tool);
  });
  return {
    follow(callId, round, wantsMessages) {
      followed.set(callId, teller(round, wantsMessages));
      return () => void followed.delete(callId);
    },
  };
}

function teller(round: () => Round, wantsMessages: () => boolean): (news: Progress, tool: string) => void {
  let progress = 0;
  let last = Number.NEGATIVE_INFINITY;
  return (news, tool) => {
    const { envelope, _meta, log, notify } = round();
    const message = news.title ?? news.output?.trimEnd().split("\n").at(-1);
    const { done, total } = measureOf(news);
    if (message === undefined && done === undefined) return;
    const now = performance.now();
    if (news.title === undefined && done === undefined && now - last < PAUSE) return;
    last = now;
    // A client that has gone away learns no more; the call's own signal ends the call.
    if (message !== undefined && (envelope || wantsMessages())) void log("info", message, tool).catch(() => {});
    const progressToken = _meta?.progressToken;
    if (progressToken === undefined) return;
    progress = Math.max(done ?? progress + 1, progress);
    const measure = { progress, ...(total === undefined ? {} : { total }) };
    const params = { progressToken, ...measure, ...(message === undefined ? {} : { message }) };
    void notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

/** How far a call has come, where it says so: by its display or, as calls of MCP servers do, by its facts. */
function measureOf({ display, metadata }: Progress): { readonly done?: number; readonly total?: number } {
  const shown = display?.kind === "progress" ? display : { done: metadata?.progress, total: metadata?.total };
  const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);
  const [done, total] = [number(shown.done), number(shown.total)];
  return { ...(done === undefined ? {} : { done }), ...(total === undefined ? {} : { total }) };
}
