/**
 * The types of OpenAI's Responses API that concern tools, as structures. The SDK's own types fit them (a test checks
 * it), and so does plain JSON from the wire.
 */

/** An entry of the request's `tools`. */
export interface OpenAiTool {
  type: "function";
  name: string;
  description: string;
  parameters: { [keyword: string]: unknown };
  strict: boolean;
}

/** An item of a response: only those of calls matter here. */
export interface OpenAiItem {
  readonly type: string;
}

/** A call among the items of a response. */
export interface OpenAiCall extends OpenAiItem {
  readonly type: "function_call";
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  readonly status?: string;
}

/** A response: its items, and whether it is complete. */
export interface OpenAiResponse {
  readonly id?: string;
  readonly output: readonly OpenAiItem[];
  readonly status?: string;
}

/** A part of a result. */
export type OpenAiOutputPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url: string; detail: "auto" }
  | { type: "input_file"; filename: string; file_data: string };

/** The result of one call: an item of the next request's `input`. */
export interface OpenAiOutput {
  type: "function_call_output";
  call_id: string;
  output: string | OpenAiOutputPart[];
}

/** A raw event of a streamed response. */
export interface OpenAiEvent {
  readonly type: string;
}

/** The items of a stream of such events: with the SDK's events, the SDK's item types. */
export type OpenAiItemOf<E extends OpenAiEvent> = [ItemDone<E>] extends [never]
  ? OpenAiItem
  : ItemDone<E> extends { readonly item: infer Item }
    ? Item
    : OpenAiItem;

type ItemDone<E extends OpenAiEvent> = Extract<E, { readonly type: "response.output_item.done" }>;

/** Whether an item is a call of a function. */
export const isFunctionCall = (item: OpenAiItem): item is OpenAiCall => item.type === "function_call";
