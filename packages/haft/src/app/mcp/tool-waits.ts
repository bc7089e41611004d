import type { BatchOptions, CallRequest, OpenBatch } from "@haft/core/executor";
import type { Registry } from "@haft/core/registry";
import type { McpManager } from "@haft/mcp";
import { checkCall } from "../check-options.ts";

/** Milliseconds that a call of an unknown tool waits for the servers that may bring it. */
const CALL_WAIT_MS = 30_000;

/** Waits for tools of servers that are still connecting; all other calls start at once. */
export interface ToolWaits {
  /** Resolves when the tools of these calls are known, or will not be. `undefined`: no need to wait. */
  whenKnown(calls: readonly Pick<CallRequest, "tool">[], signal?: AbortSignal): Promise<unknown> | undefined;
  /** A batch whose calls wait for their tools and keep their order. */
  patient(batch: OpenBatch, options?: BatchOptions): OpenBatch;
}

export function toolWaits(mcp: Pick<McpManager, "awaitTool">, registry: Pick<Registry, "get">): ToolWaits {
  const isMissing = ({ tool }: Pick<CallRequest, "tool">): boolean => mayBeRemote(tool) && !registry.get(tool);
  const whenKnown: ToolWaits["whenKnown"] = (calls, signal) => {
    if (!calls.some(isMissing) || signal?.aborted) return undefined;
    const known = Promise.all(calls.filter(isMissing).map(({ tool }) => mcp.awaitTool(tool, CALL_WAIT_MS)));
    return signal ? unlessAborted(known, signal) : known;
  };
  return {
    whenKnown,
    patient(batch, options) {
      let last: Promise<unknown> | undefined;
      const afterOthers = <T>(go: () => Promise<T>): Promise<T> => (last ? last.then(go) : go());
      return {
        add(request, given) {
          checkCall("add", request);
          const wait = whenKnown([request], given?.signal ?? options?.signal);
          if (!wait) return afterOthers(() => batch.add(request, given));
          const before = last;
          const turn = Promise.all([before, wait]);
          last = turn;
          return turn.then(() => batch.add(request, given));
        },
        end: () => afterOthers(() => batch.end()),
        discard: (reason) => batch.discard(reason),
      };
    },
  };
}

/** Whether a call may mean a tool of a server that is still connecting. */
const mayBeRemote = (tool: string): boolean => tool.includes("__") || /McpResource|mcp_resource/.test(tool);

function unlessAborted(work: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const stop = (): void => resolve();
  signal.addEventListener("abort", stop, { once: true });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener("abort", stop));
}
