import type { CallOutcome, CallRequest, OpenBatch } from "../executor/index.ts";
import type { Offered } from "../registry/index.ts";
import { failure, type Result, toToolError } from "../tool/index.ts";
import { canonical } from "./ai-sdk/canonical.ts";
import type { Toolbox } from "./toolbox.ts";
import { wireNames } from "./wire-names.ts";

/** A call as a framework passes it. */
export interface HostCall {
  readonly id: string;
  /** Haft's name of the tool. */
  readonly tool: string;
  readonly input: unknown;
  readonly signal?: AbortSignal | undefined;
  /** The framework says that a person approved it. Counts only if Haft asked about this very call. */
  readonly isApproved?: boolean;
}

/** Tools and calls for a framework that runs tools one by one. */
export interface HostCalls {
  /** The offered tools, each with the name that every provider accepts. */
  tools(): readonly (Offered & { readonly wireName: string })[];
  /** Whether the framework must ask a person, and why. Never if Haft has an asker of its own. */
  asks(call: HostCall): Promise<string | undefined>;
  /** Runs a call. Calls that arrive together keep their order where they conflict, and overlap elsewhere. Never rejects. */
  run(call: HostCall): Promise<Result>;
}

/** How many finished calls are remembered for a framework that runs a call again. */
const REMEMBERED = 500;

/**
 * Tools and calls for the adapter of a framework that runs tools one by one.
 *
 * @param options `repeats`: the framework runs a call again after an interruption; a finished call then keeps its result.
 */
export function hostCalls(toolbox: Toolbox, { repeats = false }: { readonly repeats?: boolean } = {}): HostCalls {
  const names = wireNames();
  const { host } = toolbox;
  const finished = new Map<string, { readonly digest: string; readonly result: Promise<Result> }>();
  let batch: OpenBatch | undefined;

  function add(request: CallRequest, signal: AbortSignal | undefined): Promise<CallOutcome> {
    if (!batch) {
      const open = toolbox.open();
      batch = open;
      // A framework starts the calls of one message in one go, so they share a batch and their order.
      setTimeout(() => {
        batch = undefined;
        void open.end();
      }, 0);
    }
    return batch.add(request, signal ? { signal } : {});
  }

  const question = (tool: string, input: unknown, contents?: unknown): string =>
    canonical(contents ? [tool, input, contents] : [tool, input]);

  async function start({ id, tool, input, signal, isApproved }: HostCall): Promise<Result> {
    const approval: Partial<CallRequest> =
      isApproved && host?.asks
        ? {
            approved: "host",
            approvedFor: (contents) => host.record.has(id, question(tool, input, contents)),
            onApprovalUsed: () => host.record.spend(id),
          }
        : {};
    try {
      return (await add({ id, tool, input, ...approval }, signal)).result;
    } catch (thrown) {
      return failure(toToolError(thrown));
    } finally {
      host?.record.spend(id);
    }
  }

  return {
    tools: () => toolbox.offer().tools.map((tool) => ({ ...tool, wireName: names.toWire(tool.name) })),
    async asks({ id, tool, input }) {
      if (!host?.asks) return undefined;
      const { decision, reason, contents } = await toolbox.decide({ id, tool, input });
      if (decision !== "ask") return undefined;
      host.record.asked(id, question(tool, input, contents));
      return reason;
    },
    run(call) {
      if (!repeats) return start(call);
      const digest = question(call.tool, call.input);
      const known = finished.get(call.id);
      if (known?.digest === digest) return known.result;
      const result = start(call);
      finished.set(call.id, { digest, result });
      if (finished.size > REMEMBERED) finished.delete(finished.keys().next().value!);
      return result;
    },
  };
}
