import type { Transport } from "@modelcontextprotocol/client";
import { between, type Message } from "./reread.ts";

/**
 * Delivers progress before the answer that follows directly. The SDK handles an answer at once but a notification a moment later, when
 * nobody waits for the progress any more.
 */
export function inOrder(transport: Transport): void {
  between(transport, (next) => {
    type Said = readonly [message: Message, extra: Parameters<typeof next>[1]];
    let held: Said[] | undefined;

    function pass([message, extra]: Said): void {
      next(message, extra);
      if (!isProgress(message)) return;
      held = [];
      setImmediate(release);
    }

    function release(): void {
      const [...waiting] = held ?? [];
      held = undefined;
      for (const said of waiting) take(said);
    }

    function take(said: Said): void {
      if (held) held.push(said);
      else pass(said);
    }

    return (message, extra) => take([message, extra]);
  });
}

const isProgress = (message: Message): boolean => "method" in message && message.method === "notifications/progress";
