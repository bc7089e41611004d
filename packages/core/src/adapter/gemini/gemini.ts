import { toGeminiParameters } from "../../schema/dialect/index.ts";
import { isFile, resultParts } from "../result-parts.ts";
import type { Toolbox } from "../toolbox.ts";
import { type AnsweredCall, answerCalls, answerStream, type RunOptions, type StreamRunOptions } from "../turn.ts";
import { wireNames } from "../wire-names.ts";
import { type GeminiModelCall, geminiAssembler, idMaker } from "./stream.ts";
import type {
  GeminiBlob,
  GeminiContent,
  GeminiFunctionResponse,
  GeminiPart,
  GeminiResponse,
  GeminiResults,
  GeminiTool,
} from "./wire.ts";

/** How results look. */
export interface GeminiOptions {
  /** The model takes pictures inside a result (Gemini 3). `false`: they follow after all results. Default true. */
  readonly mediaInResults?: boolean;
}

/** Both sides of a request: the offered tools, and the function that runs the calls of the answer. */
export interface GeminiAdapter {
  /** The request's `tools`, rebuilt at every access: read it for each request. */
  readonly tools: GeminiTool[];
  readonly run: GeminiRun;
}

/** Runs the calls of answers. */
export interface GeminiRun {
  /**
   * Runs the calls of an answer and returns the one content to append after the model's: a result for every call, in
   * call order. `null` if the answer has no calls. Never rejects because of a call.
   */
  (response: GeminiResponse, options?: RunOptions): Promise<GeminiResults | null>;
  /** The same for an answer that is still streaming: each call starts when its part is complete. */
  stream<E extends GeminiResponse>(
    chunks: AsyncIterable<E>,
    options?: StreamRunOptions<E>,
  ): Promise<GeminiTurn<GeminiPartOf<E>>>;
}

/** The parts of a stream of such answers: with the SDK's answers, the SDK's part type. */
export type GeminiPartOf<E extends GeminiResponse> = NonNullable<E["candidates"]>[number] extends {
  readonly content?: { readonly parts?: readonly (infer Part)[] };
}
  ? Part
  : GeminiPart;

/** A streamed answer with the results of its calls. They belong together: append both, or only the first. */
export interface GeminiTurn<Part = GeminiPart> {
  readonly message: GeminiContent<Part>;
  /** `null` when the answer made no calls. */
  readonly results: GeminiResults | null;
  readonly stopReason?: string;
  /** The error that broke the stream after calls had started. Their results are here; continue from them. */
  readonly error?: unknown;
}

/** Haft's tools for the Gemini API. Send the model's content back as it came: it carries the signatures of thoughts. */
export function gemini(toolbox: Toolbox, { mediaInResults = true }: GeminiOptions = {}): GeminiAdapter {
  const names = wireNames();
  const parts = { toolbox, names, sendsNulls: true };

  async function run(response: GeminiResponse, options?: RunOptions): Promise<GeminiResults | null> {
    const [candidate] = response.candidates ?? [];
    const found = candidate?.content?.parts ?? [];
    const idOf = idMaker();
    const isShort = candidate?.finishReason === "MAX_TOKENS";
    const calls = found.flatMap(({ functionCall: call }, at): GeminiModelCall[] => {
      if (!call) return [];
      const cut = isShort && at === found.length - 1 ? { cut: "length" as const } : {};
      const wire = call.id ? { wireId: call.id } : {};
      return [{ id: idOf(call, response.responseId), name: call.name ?? "", input: call.args ?? {}, ...wire, ...cut }];
    });
    const answered = await answerCalls(parts, calls, response.responseId, options);
    return answered.length > 0 ? resultsOf(answered, mediaInResults) : malformed(candidate?.finishReason);
  }

  async function stream<E extends GeminiResponse>(
    chunks: AsyncIterable<E>,
    options?: StreamRunOptions<E>,
  ): Promise<GeminiTurn<GeminiPartOf<E>>> {
    const { calls, message, ...turn } = await answerStream(parts, chunks, geminiAssembler(), options);
    const results = calls.length > 0 ? resultsOf(calls, mediaInResults) : malformed(turn.stopReason);
    return { ...turn, message: message as GeminiContent<GeminiPartOf<E>>, results };
  }

  return {
    get tools() {
      const functionDeclarations = toolbox.offer().tools.map(({ name, description, input }) => ({
        name: names.toWire(name),
        description,
        parametersJsonSchema: { ...toGeminiParameters(input.json) },
      }));
      return [{ functionDeclarations }];
    },
    run: Object.assign(run, { stream }),
  };
}

/** The provider dropped the call itself. The model must hear of it, or the conversation would just end. */
const malformed = (finishReason: string | undefined): GeminiResults | null =>
  finishReason === "MALFORMED_FUNCTION_CALL"
    ? { role: "user", parts: [{ text: "Your function call was malformed, so nothing ran. Make it again." }] }
    : null;

function resultsOf(calls: readonly AnsweredCall<GeminiModelCall>[], mediaInResults: boolean): GeminiResults {
  const after: GeminiBlob[] = [];
  const responses = calls.map(({ call, result }): GeminiFunctionResponse => {
    const found = resultParts(result);
    const text = found.flatMap((part) => (isFile(part) ? [] : [part.text])).join("\n");
    const blobs = found
      .filter(isFile)
      .map(({ mediaType, data }): GeminiBlob => ({ inlineData: { mimeType: mediaType, data } }));
    if (!mediaInResults) after.push(...blobs);
    const output = text === "" ? (mediaInResults ? "See the file." : "The file follows after the results.") : text;
    return {
      functionResponse: {
        ...(call.wireId === undefined ? {} : { id: call.wireId }),
        name: call.name,
        response: result.error ? { error: output } : { output },
        ...(mediaInResults && blobs.length > 0 ? { parts: blobs } : {}),
      },
    };
  });
  return { role: "user", parts: [...responses, ...after] };
}
