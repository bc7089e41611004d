import type { Transport } from "@modelcontextprotocol/client";

/** A message of the protocol, as a transport gives it to its listener. */
export type Message = Parameters<NonNullable<Transport["onmessage"]>>[0];

type Listener = NonNullable<Transport["onmessage"]>;

/** Lets `read` see every message before the current listener does. Several readers run in order. */
export const reread = (transport: Transport, read: (message: Message) => Message): void =>
  between(transport, (next) => (message, extra) => next(read(message), extra));

/** Wraps a transport's current listener. The first wrapper is called first. */
export function between(transport: Transport, around: (next: Listener) => Listener): void {
  const below = Object.getOwnPropertyDescriptor(transport, "onmessage");
  let listener = transport.onmessage;
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    enumerable: true,
    get: below?.get ?? (() => listener),
    set(next: Transport["onmessage"]) {
      const reading = next && around(next);
      if (below?.set) below.set.call(transport, reading);
      else listener = reading;
    },
  });
}
