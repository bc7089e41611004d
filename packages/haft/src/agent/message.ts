import type { Content, Labels } from "@haft/core/tool";

/** What a provider wants back with a part and nobody else understands: signatures, ids of its own. Plain JSON. */
export type ProviderMeta = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly meta?: ProviderMeta;
}

export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly meta?: ProviderMeta;
}

/** A call as the model wrote it. It is sent back exactly so, whatever hooks or approvers made of the input. */
export interface CallPart {
  readonly type: "tool-call";
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** The arguments as text, when they are no JSON object. */
  readonly json?: string;
  /** The arguments never came to their end: the call did not run. */
  readonly cut?: "length" | "broken";
  readonly meta?: ProviderMeta;
}

export type AssistantPart = TextPart | ReasoningPart | CallPart;

/** What came of one call, as the model reads it. */
export interface ResultPart {
  readonly callId: string;
  readonly tool: string;
  readonly status: "ok" | "error" | "denied" | "cancelled";
  readonly content: readonly Content[];
  /** Whose words the content holds. */
  readonly labels?: Labels;
  /** Tools that the model knows by this result, where the provider had kept their definitions back. */
  readonly loads?: readonly string[];
  /** The file that holds all of it, where it was cut. */
  readonly spilled?: string;
}

/** A conversation, independent of any provider. Plain JSON: what is written to disk is what is read back. */
export type Message =
  | { readonly role: "user"; readonly content: readonly Content[] }
  | { readonly role: "assistant"; readonly parts: readonly AssistantPart[] }
  | { readonly role: "results"; readonly results: readonly ResultPart[] };

export const userMessage = (text: string, more: readonly Content[] = []): Message => ({
  role: "user",
  content: [{ type: "text", text }, ...more],
});

export const callsOf = (message: Message): readonly CallPart[] =>
  message.role === "assistant" ? message.parts.filter((part) => part.type === "tool-call") : [];

/** The tools that a message makes known to the model. */
export const loadedBy = (message: Message): readonly string[] =>
  message.role === "results" ? message.results.flatMap(({ loads = [] }) => loads) : [];

/** The last words of the model, without its thoughts. */
export function lastText(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === "assistant");
  if (last?.role !== "assistant") return "";
  return last.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}
