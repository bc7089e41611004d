import type { BatchOptions, CallRequest, OpenBatch } from "../executor/index.ts";
import { withoutNulls } from "../schema/dialect/index.ts";
import type { Result } from "../tool/index.ts";
import { cutCall } from "./cut-call.ts";
import type { Toolbox } from "./toolbox.ts";
import type { WireNames } from "./wire-names.ts";

/** A call as a model made it. */
export interface ModelCall {
  /** The id in Haft: the provider's, or a new one where the provider has none. */
  readonly id: string;
  /** The tool's name on the wire. */
  readonly name: string;
  readonly input?: unknown;
  /** The arguments as text, where the provider sends them so. */
  readonly json?: string;
  /** The arguments are incomplete: the call must not run. */
  readonly cut?: "length" | "broken";
}

/** A call with its result. */
export interface AnsweredCall<C extends ModelCall = ModelCall> {
  readonly call: C;
  /** Haft's name of the tool. */
  readonly tool: string;
  readonly result: Result;
}

/** The toolbox behind an adapter, and the names that it uses. */
export interface TurnParts {
  readonly toolbox: Toolbox;
  readonly names: WireNames;
  /** The provider has no optional fields, so models send null for those that they leave out. */
  readonly sendsNulls?: boolean;
}

/** Options for the calls of a message. */
export interface RunOptions {
  /** Cancels the calls. */
  readonly signal?: AbortSignal;
}

/** Options for a message that is still streaming. */
export interface StreamRunOptions<E> extends RunOptions {
  /** Called with every event before it is processed, for a host that shows the text as it arrives. */
  readonly onEvent?: (event: E) => void;
}

/** A streamed message, put together event by event. */
export interface TurnAssembler<E, M, C extends ModelCall = ModelCall> {
  /** The calls that this event completed, in order. */
  feed(event: E): readonly C[];
  /** Ends the message: the calls that are still open. Those of a broken stream are cut. */
  close(): readonly C[];
  /** The message to append. */
  message(): M;
  readonly id: string | undefined;
  readonly stopReason: string | undefined;
  readonly isWhole: boolean;
}

/** A streamed message with its answered calls. */
export interface AnsweredTurn<M, C extends ModelCall = ModelCall> {
  readonly message: M;
  readonly calls: readonly AnsweredCall<C>[];
  readonly stopReason?: string;
  readonly error?: unknown;
}

/** Collects the calls of one message and their results, in the order of the calls. */
function collector<C extends ModelCall>(parts: TurnParts, options: () => BatchOptions) {
  const { toolbox, names } = parts;
  const calls: { readonly call: C; readonly tool: string }[] = [];
  let batch: OpenBatch | undefined;
  const open = (): OpenBatch => {
    batch ??= toolbox.open(options());
    return batch;
  };
  return {
    add(call: C): void {
      const tool = names.toTool(call.name);
      calls.push({ call, tool });
      if (!call.cut) void open().add(requestOf(parts, call, tool));
    },
    async results(broken?: string): Promise<{ ran: number; calls: AnsweredCall<C>[] }> {
      const outcomes = batch === undefined ? [] : await (broken ? batch.discard(broken) : batch.end());
      const ran = outcomes.values();
      const answered = calls.map(({ call, tool }) => ({
        ...{ call, tool },
        result: call.cut ? cutCall(tool, call.cut) : ran.next().value!.result,
      }));
      return { ran: outcomes.length, calls: answered };
    },
  };
}

function requestOf({ toolbox, sendsNulls }: TurnParts, { id, json, input }: ModelCall, tool: string): CallRequest {
  let given = input;
  if (json !== undefined) {
    try {
      given = json.trim() === "" ? {} : JSON.parse(json);
    } catch {
      return { id, tool, json };
    }
  }
  const schema = sendsNulls ? toolbox.offer().tools.find(({ name }) => name === tool)?.input : undefined;
  return { id, tool, input: schema ? withoutNulls(schema.json, given) : given };
}

/** Runs the calls of a whole message. */
export async function answerCalls<C extends ModelCall>(
  parts: TurnParts,
  calls: readonly C[],
  messageId: string | undefined,
  { signal }: RunOptions = {},
): Promise<AnsweredCall<C>[]> {
  if (calls.length === 0) return [];
  const collected = collector<C>(parts, () => batchOptions(signal, messageId));
  for (const call of calls) collected.add(call);
  return (await collected.results()).calls;
}

/**
 * Reads a streamed message and starts each call as soon as its arguments are complete.
 *
 * @throws the stream's own error if no call had started: nothing has happened, and the same request can be sent again.
 */
export async function answerStream<E, M, C extends ModelCall>(
  parts: TurnParts,
  events: AsyncIterable<E>,
  assembler: TurnAssembler<E, M, C>,
  { signal, onEvent }: StreamRunOptions<E> = {},
): Promise<AnsweredTurn<M, C>> {
  const collected = collector<C>(parts, () => batchOptions(signal, assembler.id));
  let error: unknown;
  try {
    for await (const event of events) {
      onEvent?.(event);
      assembler.feed(event).forEach(collected.add);
    }
  } catch (thrown) {
    error = thrown;
  }
  assembler.close().forEach(collected.add);
  const isBroken = error !== undefined || !assembler.isWhole;
  if (isBroken) error ??= new Error("The stream ended before the message was complete.");
  const { ran, calls } = await collected.results(isBroken ? "the model's message was cut off" : undefined);
  if (isBroken && ran === 0) throw error;
  const { stopReason } = assembler;
  return {
    message: assembler.message(),
    calls,
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(isBroken ? { error } : {}),
  };
}

export const batchOptions = (signal: AbortSignal | undefined, messageId: string | undefined): BatchOptions => ({
  ...(signal ? { signal } : {}),
  ...(messageId === undefined ? {} : { messageId }),
});
