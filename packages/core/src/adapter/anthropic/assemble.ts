import { type AnthropicEvent, type AnthropicToolUse, isToolUse, stopsShort } from "./wire.ts";

/** A call of a streamed message, as soon as it is known whether its arguments are complete. */
export interface StreamedCall {
  readonly use: AnthropicToolUse;
  /** The raw arguments, if they are not valid JSON although the message is complete. */
  readonly json?: string;
  /** Set when the arguments are incomplete: the call must not run. */
  readonly cut?: "length" | "broken";
}

/** Assembles a streamed message, and reports each complete call immediately. */
export interface Assembler {
  /** The calls that this event completed, in order. */
  feed(event: AnthropicEvent): readonly StreamedCall[];
  /** Ends the message. Returns the calls that are still open, in order; after a broken stream all of them are cut. */
  close(): readonly StreamedCall[];
  /** The content to send back: unfinished blocks are left out unless a result needs them. */
  content(): readonly { readonly type: string }[];
  readonly stopReason: string | undefined;
  /** Whether the message is complete. */
  readonly whole: boolean;
}

interface Slot {
  readonly block: Record<string, unknown> & { type: string };
  json: string;
  stopped: boolean;
  settled: boolean;
}

export function createAssembler(): Assembler {
  // The provider assigns indexes, which may arrive interleaved; the order of first appearance is the message's order.
  const slots = new Map<number, Slot>();
  let stopReason: string | undefined;
  let whole = false;

  function feed(event: AnthropicEvent): readonly StreamedCall[] {
    const data = event as AnthropicEvent & Partial<EventData>;
    switch (event.type) {
      case "content_block_start": {
        const settled = settleDoubtful(undefined);
        slots.set(data.index!, { block: { ...data.content_block! }, json: "", stopped: false, settled: false });
        return settled;
      }
      case "content_block_delta":
        apply(slots.get(data.index!), data.delta ?? {});
        return [];
      case "content_block_stop":
        return stop(slots.get(data.index!));
      case "message_delta": {
        const reason = data.delta?.stop_reason;
        if (typeof reason === "string") stopReason = reason;
        return stopReason === undefined ? [] : settleDoubtful(stopsShort(stopReason) ? "length" : undefined);
      }
      case "message_stop":
        whole = true;
        return [];
      default:
        return [];
    }
  }

  function stop(slot: Slot | undefined): readonly StreamedCall[] {
    if (!slot || slot.stopped) return [];
    slot.stopped = true;
    const { block } = slot;
    if (!("input" in block)) return [];
    const input = parseInput(slot.json);
    if (input === undefined) return [];
    block.input = input;
    // Empty text means a call without arguments, or one that was cut before they began: the next event decides.
    return slot.json.trim() === "" ? [] : settle(slot);
  }

  /** Calls that have ended, where only the next event shows whether they are complete. */
  function settleDoubtful(cut: "length" | undefined): readonly StreamedCall[] {
    return [...slots.values()].flatMap((slot) => (slot.stopped ? settle(slot, cut) : []));
  }

  function settle(slot: Slot, cut?: "length" | "broken"): readonly StreamedCall[] {
    if (slot.settled || !isToolUse(slot.block)) return [];
    slot.settled = true;
    if (cut !== undefined) return [{ use: slot.block, cut }];
    return [parseInput(slot.json) === undefined ? { use: slot.block, json: slot.json } : { use: slot.block }];
  }

  return {
    feed,
    close() {
      const cut = whole || stopReason !== undefined ? "length" : "broken";
      return [...slots.values()].flatMap((slot) => settle(slot, cut));
    },
    content: () => [...slots.values()].filter(isPresentable).map(({ block }) => block),
    get stopReason() {
      return stopReason;
    },
    get whole() {
      return whole;
    },
  };
}

interface EventData {
  index: number;
  content_block: { type: string };
  delta: Readonly<Record<string, unknown>>;
}

function apply(slot: Slot | undefined, delta: Readonly<Record<string, unknown>>): void {
  if (!slot) return;
  const { block } = slot;
  const append = (field: string): void => {
    block[field] = `${block[field] ?? ""}${delta[field]}`;
  };
  switch (delta.type) {
    case "input_json_delta":
      slot.json += delta.partial_json;
      break;
    case "text_delta":
      append("text");
      break;
    case "thinking_delta":
      append("thinking");
      break;
    case "signature_delta":
      block.signature = delta.signature;
      break;
    case "citations_delta":
      block.citations = [...((block.citations as unknown[] | null | undefined) ?? []), delta.citation];
      break;
  }
}

/** The arguments as an object; `undefined` if the text is not complete JSON. */
function parseInput(json: string): unknown {
  if (json.trim() === "") return {};
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Keeps a client's call, so that its result has a call to answer. Drops an unfinished thought or server call. */
function isPresentable({ block, stopped }: Slot): boolean {
  if (block.type === "text") return typeof block.text === "string" && block.text.trim() !== "";
  return stopped || isToolUse(block);
}
