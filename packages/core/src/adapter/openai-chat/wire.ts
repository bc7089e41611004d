/**
 * The types of OpenAI's Chat Completions, which many servers speak, as structures. The SDK's own types fit them (a test
 * checks it), and so does plain JSON from the wire.
 */

/** An entry of the request's `tools`. */
export interface ChatTool {
  type: "function";
  function: { name: string; description: string; parameters: { [keyword: string]: unknown }; strict?: true };
}

/** A call of an assistant message. */
export interface ChatCall {
  readonly id: string;
  readonly type: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** An answer of the model: its first choice matters. */
export interface ChatCompletion {
  readonly id?: string;
  readonly choices: readonly {
    readonly message: { readonly tool_calls?: readonly ChatCall[] | null };
    readonly finish_reason?: string | null;
  }[];
}

/** The messages that the host appends after the model's. */
export type ChatResult = ChatToolMessage | ChatUserMessage;

/** The result of one call: text only. */
export interface ChatToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/** The pictures and PDFs of the results, after all of them. */
export interface ChatUserMessage {
  role: "user";
  content: ChatPart[];
}

/** A part of that message. */
export type ChatPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "file"; file: { filename: string; file_data: string } };

/** A chunk of a streamed answer. */
export interface ChatChunk {
  readonly id?: string;
  readonly choices: readonly {
    readonly delta?: {
      readonly content?: string | null;
      readonly refusal?: string | null;
      readonly tool_calls?: readonly ChatCallDelta[];
    };
    readonly finish_reason?: string | null;
  }[];
}

/** A piece of a call. */
export interface ChatCallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** A streamed assistant message, put together. */
export interface ChatMessage {
  role: "assistant";
  content: string | null;
  refusal?: string;
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
}
