import type { ModelCall, TurnAssembler } from "../turn.ts";
import type { ChatCallDelta, ChatChunk, ChatMessage } from "./wire.ts";

interface Slot {
  readonly index: number;
  id: string;
  name: string;
  json: string;
  isGiven: boolean;
}

/** Reasons to stop that may leave the last call unfinished. */
export const stopsShort = (reason: string | null | undefined): boolean =>
  reason === "length" || reason === "content_filter";

/**
 * Puts a streamed answer together. A call is complete when its arguments are a whole JSON object, whatever comes in
 * between; one without arguments when the message ends. Some servers give every call the same index or no id.
 */
export function chatAssembler(): TurnAssembler<ChatChunk, ChatMessage> {
  const slots: Slot[] = [];
  let [id, stopReason]: (string | undefined)[] = [];
  let [content, refusal] = ["", ""];

  function slotFor({ index = 0, id: callId, function: fn }: ChatCallDelta): Slot {
    const known = slots.findLast((slot) => slot.index === index);
    const isNew = fn?.name && known && ((callId && callId !== known.id) || (!callId && isWholeObject(known.json)));
    if (known && !isNew) return known;
    const slot = { index, id: callId || `call_${crypto.randomUUID()}`, name: "", json: "", isGiven: false };
    slots.push(slot);
    return slot;
  }

  function apply(delta: ChatCallDelta): readonly ModelCall[] {
    const slot = slotFor(delta);
    if (delta.function?.name && slot.name === "") slot.name = delta.function.name;
    slot.json += delta.function?.arguments ?? "";
    return slot.isGiven ? [] : complete();
  }

  /** Calls run in their order, so a complete call waits for those before it. */
  function complete(): ModelCall[] {
    const open = slots.filter(({ isGiven }) => !isGiven);
    const doubtful = open.findIndex(({ name, json }) => name === "" || !isWholeObject(json));
    return open.slice(0, doubtful === -1 ? open.length : doubtful).map((slot) => give(slot));
  }

  function give(slot: Slot, cut?: ModelCall["cut"]): ModelCall {
    slot.isGiven = true;
    return { id: slot.id, name: slot.name, json: slot.json, ...(cut ? { cut } : {}) };
  }

  return {
    feed({ id: chunkId, choices }) {
      if (chunkId) id = chunkId;
      const [choice] = choices;
      if (!choice) return [];
      content += choice.delta?.content ?? "";
      refusal += choice.delta?.refusal ?? "";
      const calls = (choice.delta?.tool_calls ?? []).flatMap(apply);
      if (choice.finish_reason) stopReason = choice.finish_reason;
      return calls;
    },
    close() {
      const cut = stopReason === undefined ? "broken" : stopsShort(stopReason) ? "length" : undefined;
      return slots.filter(({ isGiven, name }) => !isGiven && name !== "").map((slot) => give(slot, cut));
    },
    message: () => ({
      role: "assistant",
      content: content === "" ? null : content,
      ...(refusal === "" ? {} : { refusal }),
      ...(slots.some(({ isGiven }) => isGiven)
        ? {
            tool_calls: slots
              .filter(({ isGiven }) => isGiven)
              .map((slot) => ({
                id: slot.id,
                type: "function" as const,
                function: { name: slot.name, arguments: slot.json === "" ? "{}" : slot.json },
              })),
          }
        : {}),
    }),
    get id() {
      return id;
    },
    get stopReason() {
      return stopReason;
    },
    get isWhole() {
      return stopReason !== undefined;
    },
  };
}

/** Whether the text is one whole JSON object: no further text could belong to it. */
export function isWholeObject(text: string): boolean {
  if (!text.trimEnd().endsWith("}")) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
