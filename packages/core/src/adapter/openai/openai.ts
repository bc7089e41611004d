import { toOpenAiParameters } from "../../schema/dialect/index.ts";
import type { Result } from "../../tool/index.ts";
import { dataUrl, isFile, resultParts } from "../result-parts.ts";
import type { Toolbox } from "../toolbox.ts";
import { type AnsweredCall, answerCalls, answerStream, type RunOptions, type StreamRunOptions } from "../turn.ts";
import { wireNames } from "../wire-names.ts";
import { callOf, openAiAssembler } from "./stream.ts";
import {
  isFunctionCall,
  type OpenAiEvent,
  type OpenAiItem,
  type OpenAiItemOf,
  type OpenAiOutput,
  type OpenAiOutputPart,
  type OpenAiResponse,
  type OpenAiTool,
} from "./wire.ts";

/** The layout of the tool list in requests. */
export interface OpenAiOptions {
  /** Hold the model to the schema where that loses nothing. Default true. */
  readonly strict?: boolean;
}

/** Both sides of a request: the offered tools, and the function that runs the calls of the answer. */
export interface OpenAiAdapter {
  /** The request's `tools`, rebuilt at every access: read it for each request. */
  readonly tools: OpenAiTool[];
  readonly run: OpenAiRun;
}

/** Runs the calls of responses. */
export interface OpenAiRun {
  /**
   * Runs the calls of a response and returns the items to send next: a result for every call, in call order. Empty if
   * the response has no calls. Never rejects because of a call.
   */
  (response: OpenAiResponse, options?: RunOptions): Promise<OpenAiOutput[]>;
  /** The same for a response that is still streaming: each call starts when its item is complete. */
  stream<E extends OpenAiEvent>(
    events: AsyncIterable<E>,
    options?: StreamRunOptions<E>,
  ): Promise<OpenAiTurn<OpenAiItemOf<E>>>;
}

/** A streamed response with the results of its calls. */
export interface OpenAiTurn<Item = OpenAiItem> {
  /** The items of the response, to send back if the request does not name `previous_response_id`. */
  readonly output: Item[];
  readonly results: OpenAiOutput[];
  readonly responseId?: string;
  readonly status?: string;
  /** The error that broke the stream after calls had started. Their results are here; continue from them. */
  readonly error?: unknown;
}

/** Haft's tools for OpenAI's Responses API. Calls are matched by `call_id`. */
export function openai(toolbox: Toolbox, { strict = true }: OpenAiOptions = {}): OpenAiAdapter {
  const names = wireNames();
  const parts = { toolbox, names, sendsNulls: true };

  async function run(response: OpenAiResponse, options?: RunOptions): Promise<OpenAiOutput[]> {
    const last = response.output.at(-1);
    const isCut = (item: OpenAiItem & { readonly status?: string }): boolean =>
      item.status === "incomplete" ||
      (response.status === "incomplete" && item === last && item.status !== "completed");
    const calls = response.output.filter(isFunctionCall).map((item) => callOf(item, isCut(item) && "length"));
    return (await answerCalls(parts, calls, response.id, options)).map(outputOf);
  }

  async function stream<E extends OpenAiEvent>(
    events: AsyncIterable<E>,
    options?: StreamRunOptions<E>,
  ): Promise<OpenAiTurn<OpenAiItemOf<E>>> {
    const assembler = openAiAssembler();
    const { message, calls, stopReason, error } = await answerStream(parts, events, assembler, options);
    return {
      output: message as OpenAiItemOf<E>[],
      results: calls.map(outputOf),
      ...(assembler.id === undefined ? {} : { responseId: assembler.id }),
      ...(stopReason === undefined ? {} : { status: stopReason }),
      ...(error === undefined ? {} : { error }),
    };
  }

  return {
    get tools() {
      return toolbox.offer().tools.map(
        ({ name, description, input }): OpenAiTool => ({
          type: "function",
          name: names.toWire(name),
          description,
          ...toOpenAiParameters(input.json, strict),
        }),
      );
    },
    run: Object.assign(run, { stream }),
  };
}

const outputOf = ({ call, result }: AnsweredCall): OpenAiOutput => openaiResult(call.id, result);

/** A result as the item that answers its call: text, or a list where it has pictures or PDFs. */
export function openaiResult(id: string, result: Result): OpenAiOutput {
  const parts = resultParts(result);
  const [first] = parts;
  const output = parts.length === 1 && first?.type === "text" ? first.text : parts.map(partOf);
  return { type: "function_call_output", call_id: id, output };
}

function partOf(part: ReturnType<typeof resultParts>[number]): OpenAiOutputPart {
  if (!isFile(part)) return { type: "input_text", text: part.text };
  if (part.type === "image") return { type: "input_image", image_url: dataUrl(part), detail: "auto" };
  return { type: "input_file", filename: part.name ?? "document.pdf", file_data: dataUrl(part) };
}
