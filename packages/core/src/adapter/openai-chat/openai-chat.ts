import { toOpenAiParameters } from "../../schema/dialect/index.ts";
import { dataUrl, isFile, type ResultFile, resultParts } from "../result-parts.ts";
import type { Toolbox } from "../toolbox.ts";
import {
  type AnsweredCall,
  answerCalls,
  answerStream,
  type ModelCall,
  type RunOptions,
  type StreamRunOptions,
} from "../turn.ts";
import { wireNames } from "../wire-names.ts";
import { chatAssembler, isWholeObject, stopsShort } from "./stream.ts";
import type { ChatChunk, ChatCompletion, ChatMessage, ChatPart, ChatResult, ChatTool } from "./wire.ts";

/** The layout of the tool list in requests. */
export interface OpenAiChatOptions {
  /** Hold the model to the schema where that loses nothing. Default false: many servers of this format cannot. */
  readonly strict?: boolean;
}

/** Both sides of a request: the offered tools, and the function that runs the calls of the answer. */
export interface OpenAiChatAdapter {
  /** The request's `tools`, rebuilt at every access: read it for each request. */
  readonly tools: ChatTool[];
  readonly run: OpenAiChatRun;
}

/** Runs the calls of answers. */
export interface OpenAiChatRun {
  /**
   * Runs the calls of an answer and returns the messages to append after the model's: a result for every call, in call
   * order, then one message with their pictures. Empty if the answer has no calls. Never rejects because of a call.
   */
  (completion: ChatCompletion, options?: RunOptions): Promise<ChatResult[]>;
  /** The same for an answer that is still streaming: each call starts when its arguments are complete. */
  stream<E extends ChatChunk>(chunks: AsyncIterable<E>, options?: StreamRunOptions<E>): Promise<OpenAiChatTurn>;
}

/** A streamed answer with the results of its calls. They belong together: append both, or only the first. */
export interface OpenAiChatTurn {
  readonly message: ChatMessage;
  readonly results: ChatResult[];
  readonly stopReason?: string;
  /** The error that broke the stream after calls had started. Their results are here; continue from them. */
  readonly error?: unknown;
}

/** A call, with the id that its result must carry, which may be empty. */
type ChatModelCall = ModelCall & { readonly wireId?: string };

/** Haft's tools for OpenAI's Chat Completions and the servers that speak it. */
export function openaiChat(toolbox: Toolbox, { strict = false }: OpenAiChatOptions = {}): OpenAiChatAdapter {
  const names = wireNames();
  const parts = { toolbox, names, sendsNulls: true };

  async function run(completion: ChatCompletion, options?: RunOptions): Promise<ChatResult[]> {
    const [choice] = completion.choices;
    const calls = (choice?.message.tool_calls ?? []).map(({ id: wireId, function: fn }): ChatModelCall => {
      const { name, arguments: json } = fn ?? { name: "", arguments: "" };
      const isCut = stopsShort(choice?.finish_reason) && !isWholeObject(json);
      const id = wireId || `call_${crypto.randomUUID()}`;
      return { ...{ id, wireId, name, json }, ...(isCut ? { cut: "length" as const } : {}) };
    });
    return chatResults(await answerCalls(parts, calls, completion.id, options));
  }

  async function stream<E extends ChatChunk>(
    chunks: AsyncIterable<E>,
    options?: StreamRunOptions<E>,
  ): Promise<OpenAiChatTurn> {
    const { calls, ...turn } = await answerStream(parts, chunks, chatAssembler(), options);
    return { ...turn, results: chatResults(calls) };
  }

  return {
    get tools() {
      return toolbox.offer().tools.map(({ name, description, input }): ChatTool => {
        const { parameters, strict: isStrict } = toOpenAiParameters(input.json, strict);
        const hold = isStrict ? { strict: true as const } : {};
        return { type: "function", function: { name: names.toWire(name), description, parameters, ...hold } };
      });
    },
    run: Object.assign(run, { stream }),
  };
}

/** Tool messages carry text only, so files follow in one message of the user. */
function chatResults(calls: readonly AnsweredCall<ChatModelCall>[]): ChatResult[] {
  const files: ChatPart[] = [];
  const messages = calls.map(({ call: { id, wireId = id }, result }): ChatResult => {
    let count = 0;
    const lines = resultParts(result).map((part) => {
      if (!isFile(part)) return part.text;
      count += 1;
      files.push({ type: "text", text: `File ${count} of the result of ${id}:` }, partOf(part));
      return `[file ${count} of this result follows in the next user message]`;
    });
    return { role: "tool", tool_call_id: wireId, content: lines.join("\n") };
  });
  return files.length === 0 ? messages : [...messages, { role: "user", content: files }];
}

const partOf = (file: ResultFile): ChatPart =>
  file.type === "image"
    ? { type: "image_url", image_url: { url: dataUrl(file) } }
    : { type: "file", file: { filename: file.name ?? "document.pdf", file_data: dataUrl(file) } };
