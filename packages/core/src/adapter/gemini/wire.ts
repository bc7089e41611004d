/**
 * The types of the Gemini API that concern tools, as structures. The SDK's own types fit them (a test checks it), and so
 * does plain JSON from the wire.
 */

/** An entry of the request's `tools`. */
export interface GeminiTool {
  functionDeclarations: GeminiDeclaration[];
}

/** One offered function. */
export interface GeminiDeclaration {
  name: string;
  description: string;
  parametersJsonSchema: { [keyword: string]: unknown };
}

/** A call of the model. */
export interface GeminiCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: { readonly [name: string]: unknown };
  readonly partialArgs?: readonly GeminiPartialArg[];
  readonly willContinue?: boolean;
}

/** A piece of an argument that is still streaming. */
export interface GeminiPartialArg {
  readonly jsonPath?: string;
  readonly stringValue?: string;
  readonly numberValue?: number;
  readonly boolValue?: boolean;
  readonly nullValue?: unknown;
  readonly willContinue?: boolean;
}

/** A part of the model's content. */
export interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: GeminiCall;
}

/** An answer, or a chunk of a streamed one: the first candidate matters. */
export interface GeminiResponse {
  readonly responseId?: string;
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly GeminiPart[] };
    readonly finishReason?: string;
    readonly finishMessage?: string;
  }[];
}

/** A picture or a PDF. */
export interface GeminiBlob {
  inlineData: { mimeType: string; data: string };
}

/** The result of one call. */
export interface GeminiFunctionResponse {
  functionResponse: {
    id?: string;
    name: string;
    response: { output: string } | { error: string };
    parts?: GeminiBlob[];
  };
}

/** The content that the host appends after the model's. */
export interface GeminiResults {
  role: "user";
  parts: (GeminiFunctionResponse | GeminiBlob | { text: string })[];
}

/** The model's content of a streamed answer, put together. */
export interface GeminiContent<Part = GeminiPart> {
  role: "model";
  parts: Part[];
}
