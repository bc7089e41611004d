import type { Transport } from "@modelcontextprotocol/client";
import { noAnswer, unusable } from "./answer-id.ts";
import { reread } from "./reread.ts";

/**
 * Fails the callers whose answers cannot arrive any more, because the stream for them has ended. The SDK leaves that to the caller's
 * timeout.
 */
export function failUnanswered(transport: Transport): void {
  const waiting = new Set<number>();
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const id = requestId(message);
    if (id === undefined) return send(message, options);
    waiting.add(id);
    const forget = (): void => void waiting.delete(id);
    options?.requestSignal?.addEventListener("abort", forget, { once: true });
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      if (waiting.has(id)) transport.onmessage?.(noAnswer(id, CUT));
    };
    await send(message, { ...options, onRequestStreamEnd }).catch((thrown: unknown) => {
      forget();
      throw thrown;
    });
  };
  reread(transport, (message) => {
    const { id, method } = message as Members;
    if (method === undefined) waiting.delete(Number(id));
    return message;
  });
}

/** The message for a lost answer. The fix for a failed call is chosen by these words. */
export const CUT = "The stream ended without the answer.";

type Members = Readonly<Record<string, unknown>>;

/** The id of a request. A subscription does not count, as it may end at any time. */
export function requestId(message: unknown): number | undefined {
  const { id, method } = message as Members;
  return typeof id === "number" && method !== undefined ? id : undefined;
}

/** The answer to a request; if it is not a valid one, an error that says what arrived. */
export function answerTo(id: number, said: unknown): unknown {
  const all = (Array.isArray(said) ? said : [said]) as readonly (Members | null | undefined)[];
  if (all.some((one) => one?.id !== null && Number(one?.id) === id)) return said;
  const { error } = all.find((one) => one?.error !== undefined) ?? {};
  const words = (error as Members | undefined)?.message;
  const what =
    typeof words === "string" ? `an error without its id: ${words}` : "something that is not an answer to it";
  return noAnswer(id, unusable(`the server answered with ${what}.`));
}
