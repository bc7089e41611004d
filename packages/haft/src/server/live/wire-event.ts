import { HaftError } from "@haft/core/tool";
import type { SessionEvent } from "../../session/index.ts";
import type { ViewEvent } from "../../view/index.ts";

/**
 * An event as JSON data. Tools, the whole conversation and error objects stay in the server: a face needs none of them.
 * The result is still an event, so the same fold reads it.
 */
export function wireEvent(event: SessionEvent): ViewEvent {
  switch (event.type) {
    case "request":
      return { type: "request", turn: event.turn, offer: NO_OFFER };
    case "retry":
      return { ...event, error: plainError(event.error) };
    case "model":
      return event.event.type === "error"
        ? { ...event, event: { type: "error", error: plainError(event.event.error) } }
        : event;
    case "end": {
      const { messages: _, error, ...end } = event.end;
      return {
        type: "end",
        end: { ...end, messages: [], ...(error === undefined ? {} : { error: plainError(error) }) },
      };
    }
    case "message":
      return { ...event, message: withoutData(event.message) };
    default:
      return event;
  }
}

const NO_OFFER = { tools: [], prompt: [], absent: [], deferred: [] } as unknown as Extract<
  ViewEvent,
  { type: "request" }
>["offer"];

/** A message without the bytes of its images: results show them as display values. */
function withoutData<M extends Extract<SessionEvent, { type: "message" }>["message"]>(message: M): M {
  if (message.role === "assistant") return message;
  return JSON.parse(
    JSON.stringify(message, (key, value) => (key === "data" && typeof value === "string" ? "" : value)),
  );
}

/** The message and the remedy of an error, as plain data. */
export function plainError(error: unknown): { readonly message: string; readonly hint?: string } {
  const message = error instanceof Error ? error.message : String((error as { message?: unknown })?.message ?? error);
  return HaftError.is(error) && error.hint !== undefined ? { message, hint: error.hint } : { message };
}
