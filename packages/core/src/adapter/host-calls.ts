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
  /**
   * The step of a framework that runs a step again after an interruption: a call that the step finished keeps its
   * result. Some models use the same ids in every turn, so an id alone does not say that it is the same call.
   */
  readonly step?: string | undefined;
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

/** Tools and calls for the adapter of a framework that runs tools one by one. */
export function hostCalls(toolbox: Toolbox): HostCalls {
  const names = wireNames();
  const { host } = toolbox;
  const finished = new Map<string, Promise<Result>>();
  let batch: { readonly open: OpenBatch; running: number } | undefined;

  const end = (ended: typeof batch): void => {
    if (batch !== ended) return;
    batch = undefined;
    void ended?.open.end();
  };

  async function add(request: CallRequest, signal: AbortSignal | undefined): Promise<CallOutcome> {
    if (!batch) {
      const opened = { open: toolbox.open(), running: 0 };
      batch = opened;
      // A framework starts the calls of one message in one go, so they share a batch and their order.
      setTimeout(end, 0, opened);
    }
    const mine = batch;
    mine.running++;
    try {
      return await mine.open.add(request, signal ? { signal } : {});
    } finally {
      mine.running--;
      // The next message may come before the timer does.
      if (mine.running === 0) end(mine);
    }
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
      if (call.step === undefined) return start(call);
      const key = canonical([call.step, call.id, call.tool, call.input]);
      const known = finished.get(key);
      if (known) return known;
      const result = start(call);
      finished.set(key, result);
      if (finished.size > REMEMBERED) finished.delete(finished.keys().next().value!);
      return result;
    },
  };
}
