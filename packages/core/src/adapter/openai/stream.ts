import type { ModelCall, TurnAssembler } from "../turn.ts";
import { isFunctionCall, type OpenAiCall, type OpenAiEvent, type OpenAiItem } from "./wire.ts";

interface EventData {
  readonly output_index: number;
  readonly item: OpenAiItem;
  readonly message?: string;
  readonly response: {
    readonly id?: string;
    readonly status?: string;
    readonly error?: { readonly message?: string } | null;
  };
}

/** Puts the items of a streamed response together. An item comes whole when it is done. */
export function openAiAssembler(): TurnAssembler<OpenAiEvent, readonly OpenAiItem[]> {
  const items = new Map<number, { item: OpenAiItem; isDone: boolean }>();
  let [id, status]: (string | undefined)[] = [];

  return {
    feed(event) {
      const data = event as OpenAiEvent & EventData;
      if (event.type.startsWith("response.") && data.response?.id !== undefined) id = data.response.id;
      switch (event.type) {
        case "error":
          throw new Error(`The stream failed: ${data.message ?? "no reason given"}`);
        case "response.failed":
          throw new Error(`The stream failed: ${data.response.error?.message ?? "no reason given"}`);
        case "response.completed":
        case "response.incomplete":
          status = data.response.status ?? event.type.slice("response.".length);
          return [];
        case "response.output_item.added":
          items.set(data.output_index, { item: data.item, isDone: false });
          return [];
        case "response.output_item.done":
          items.set(data.output_index, { item: data.item, isDone: true });
          return isFunctionCall(data.item) ? [callOf(data.item, data.item.status === "incomplete" && "length")] : [];
        default:
          return [];
      }
    },
    close() {
      const open = [...items.values()].filter(({ isDone }) => !isDone).map(({ item }) => item);
      return open.filter(isFunctionCall).map((item) => callOf(item, status === undefined ? "broken" : "length"));
    },
    message: () =>
      [...items.values()].filter(({ item, isDone }) => isDone || isFunctionCall(item)).map(({ item }) => item),
    get id() {
      return id;
    },
    get stopReason() {
      return status;
    },
    get isWhole() {
      return status !== undefined;
    },
  };
}

/** A call of a response; with `cut`, one whose arguments are incomplete. */
export const callOf = (
  { call_id: id, name, arguments: json }: OpenAiCall,
  cut: ModelCall["cut"] | false = false,
): ModelCall => ({ ...{ id, name, json }, ...(cut ? { cut } : {}) });
