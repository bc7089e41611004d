import type { CallEvent } from "@haft/core/executor";
import type { Progress } from "@haft/core/tool";
import type { ServerContext } from "@modelcontextprotocol/server";
import type { Haft } from "../../app/haft.ts";

/** Milliseconds between two notifications of one call: a client draws no faster, and a chatty command must not flood. */
const PAUSE = 100;

/** Passes on what a call tells of itself, if the client asked for that. Returns how to stop. */
export function reportProgress(haft: Haft, callId: string, { mcpReq }: ServerContext): () => void {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return () => {};
  let progress = 0;
  let last = Number.NEGATIVE_INFINITY;
  return haft.on((event: CallEvent) => {
    if (event.call.id !== callId || event.type !== "tool:execution:progress") return;
    const now = performance.now();
    const message = messageOf(event.progress);
    if (now - last < PAUSE || message === undefined) return;
    last = now;
    // A client that has gone away learns no more; the call's own signal ends the call.
    void mcpReq
      .notify({ method: "notifications/progress", params: { progressToken: token, progress: ++progress, message } })
      .catch(() => {});
  });
}

function messageOf({ title, output }: Progress): string | undefined {
  return title ?? output?.trimEnd().split("\n").at(-1);
}
