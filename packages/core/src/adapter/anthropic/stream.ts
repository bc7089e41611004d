import type { BatchOptions, OpenBatch } from "../../executor/index.ts";
import { cutCall } from "../cut-call.ts";
import type { Toolbox } from "../toolbox.ts";
import type { WireNames } from "../wire-names.ts";
import { createAssembler, type StreamedCall } from "./assemble.ts";
import type { References } from "./references.ts";
import { type AnsweredCall, anthropicResults } from "./results.ts";
import type { AnthropicBlockOf, AnthropicEvent, AnthropicResults } from "./wire.ts";

/** Options for a message that is still streaming. */
export interface StreamOptions<E extends AnthropicEvent> {
  /** Cancels the calls; the host itself aborts the stream. */
  readonly signal?: AbortSignal;
  /** Called with every event before it is processed, for a host that shows the text as it arrives. */
  readonly onEvent?: (event: E) => void;
}

/** A streamed message with the results of its calls. They belong together: append both, or only the first. */
export interface StreamedTurn<E extends AnthropicEvent> {
  readonly message: { role: "assistant"; content: AnthropicBlockOf<E>[] };
  /** `null` when the message made no calls. */
  readonly results: AnthropicResults | null;
  readonly stopReason?: string;
  /** The error that broke the stream after calls had started. Their results are here; continue from them. */
  readonly error?: unknown;
}

export interface StreamParts {
  readonly toolbox: Toolbox;
  readonly names: WireNames;
  readonly references?: References;
}

/**
 * Reads a streamed message and starts each call when its block is complete, before the message has ended.
 *
 * @throws the stream's own error (or its error event) if no call had started: nothing has happened, and the same
 *   request can be sent again.
 */
export async function runStream<E extends AnthropicEvent>(
  { toolbox, names, references }: StreamParts,
  events: AsyncIterable<E>,
  { signal, onEvent }: StreamOptions<E> = {},
): Promise<StreamedTurn<E>> {
  const assembler = createAssembler();
  let messageId: string | undefined;
  let opened: OpenBatch | undefined;
  /** Opened once the message id is known. */
  const batch = (): OpenBatch => {
    opened ??= toolbox.open(batchOptions(signal, messageId));
    return opened;
  };
  const calls: AnsweredCall[] = [];
  let error: unknown;

  function answer({ use, json, cut }: StreamedCall): void {
    const tool = names.toTool(use.name);
    calls.push({ id: use.id, tool, ...(cut ? { cut: cutCall(tool, cut) } : {}) });
    if (!cut) void batch().add({ id: use.id, tool, ...(json === undefined ? { input: use.input } : { json }) });
  }

  try {
    for await (const event of events) {
      onEvent?.(event);
      if (event.type === "error") throw streamError(event);
      if (event.type === "message_start")
        messageId = (event as { readonly message?: { readonly id?: string } }).message?.id;
      assembler.feed(event).forEach(answer);
    }
  } catch (thrown) {
    error = thrown;
  }
  assembler.close().forEach(answer);
  const broken = error !== undefined || (!assembler.whole && assembler.stopReason === undefined);
  const outcomes = await (broken ? batch().discard("the model's message was cut off") : batch().end());
  if (broken && outcomes.length === 0) throw error ?? new Error("The stream ended before the message was complete.");

  const { stopReason } = assembler;
  const plain = calls.length > 0 ? anthropicResults(calls, outcomes) : null;
  return {
    message: { role: "assistant", content: assembler.content() as AnthropicBlockOf<E>[] },
    results: plain && references ? references.refer(calls, plain) : plain,
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(broken ? { error: error ?? new Error("The stream ended before the message was complete.") } : {}),
  };
}

export const batchOptions = (signal: AbortSignal | undefined, messageId: string | undefined): BatchOptions => ({
  ...(signal ? { signal } : {}),
  ...(messageId === undefined ? {} : { messageId }),
});

function streamError(event: AnthropicEvent): Error {
  const { error } = event as { readonly error?: { readonly type?: string; readonly message?: string } };
  return new Error(`The stream failed: ${error?.message ?? error?.type ?? "no reason given"}`);
}
