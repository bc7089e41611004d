import type { Content, Labels } from "@haft/core/tool";

/** Metadata that a provider needs back with a part, such as signatures and its own ids. Opaque to everybody else. Plain JSON. */
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

/** A call as the model wrote it. It is sent back unchanged, even if hooks or approvers changed the input. */
export interface CallPart {
  readonly type: "tool-call";
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** The arguments as text, if they are not a JSON object. */
  readonly json?: string;
  /** The arguments were incomplete, so the call did not run. */
  readonly cut?: "length" | "broken";
  readonly meta?: ProviderMeta;
}

/** A part of a message of the model. */
export type AssistantPart = TextPart | ReasoningPart | CallPart;

/** The result of one call, as the model reads it. */
export interface ResultPart {
  readonly callId: string;
  readonly tool: string;
  readonly status: "ok" | "error" | "denied" | "cancelled";
  readonly content: readonly Content[];
  /** The authors of the content. */
  readonly labels?: Labels;
  /** Tools that this result makes known to the model, where the provider had withheld their definitions. */
  readonly loads?: readonly string[];
  /** The file with the full result, if it was cut. */
  readonly spilled?: string;
}

/** A conversation, independent of any provider. Plain JSON, so it survives a round trip through a file. */
export type Message =
  | { readonly role: "user"; readonly content: readonly Content[] }
  | { readonly role: "assistant"; readonly parts: readonly AssistantPart[] }
  | { readonly role: "results"; readonly results: readonly ResultPart[] };

export const userMessage = (text: string, more: readonly Content[] = []): Message => ({
  role: "user",
  content: [{ type: "text", text }, ...more],
});

/** Whether words with the user's role are Haft's: news stand in brackets, everything else is a person's. */
export const isNews = (text: string): boolean => text.startsWith("[");

export const callsOf = (message: Message): readonly CallPart[] =>
  message.role === "assistant" ? message.parts.filter((part) => part.type === "tool-call") : [];

/** The tools that a message makes known to the model. */
export const loadedBy = (message: Message): readonly string[] =>
  message.role === "results" ? message.results.flatMap(({ loads = [] }) => loads) : [];

/** The model's last text, without its reasoning. */
export function lastText(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === "assistant");
  if (last?.role !== "assistant") return "";
  return last.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}
