import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { noAnswer, unusable } from "./answer-id.ts";
import { requestId } from "./unanswered.ts";

/** Answers without a matching request, on a connection that carries all answers. */
interface StrayAnswers {
  /** Records an outgoing message. */
  sent(message: unknown): void;
  /**
   * Handles an incoming message. If an answer matches no request and only one request waits, that request gets an error, so that it does
   * not wait until the timeout.
   */
  received(message: unknown): JSONRPCMessage | undefined;
}

export function strayAnswers(): StrayAnswers {
  const waiting = new Set<number>();
  let last = -1;

  return {
    sent(message) {
      const id = requestId(message);
      if (id !== undefined) {
        waiting.add(id);
        last = Math.max(last, id);
      }
      const { method, params } = message as Members;
      if (method === "notifications/cancelled") waiting.delete(Number(params?.requestId));
    },
    received(message) {
      const { id, method, result, error } = message as Members;
      if (method !== undefined || (result === undefined && error === undefined)) return undefined;
      const known = answeredId(id);
      // The late answer to an abandoned request is dropped.
      if (known !== undefined && (waiting.delete(known) || known <= last)) return undefined;
      const [only, ...others] = waiting;
      if (only === undefined || others.length > 0) return undefined;
      waiting.delete(only);
      const words = typeof error?.message === "string" ? ` It says: ${error.message}` : "";
      const what = id === undefined || id === null ? "without an id" : `for ${JSON.stringify(id).slice(0, 60)}`;
      return noAnswer(only, unusable(`it is ${what}, which matches no request.${words}`));
    },
  };
}

/** The request id in an answer; some servers write it as a string. */
export function answeredId(id: unknown): number | undefined {
  const number = typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : id;
  return typeof number === "number" ? number : undefined;
}

interface Members {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
  readonly result?: unknown;
  readonly error?: { readonly message?: unknown };
}
