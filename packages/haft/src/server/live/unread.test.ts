import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { WebSocket } from "ws";
import { eventStream } from "../api/event-stream.ts";
import { createEventLog } from "./event-log.ts";
import type { LiveSession } from "./live-session.ts";
import type { ServerParts } from "./parts.ts";
import { serveSocket } from "./socket.ts";

const UNREAD_MS = 60_000;
const MOST = 4 * 1024 * 1024;

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] }));
afterEach(() => vi.useRealTimers());

type Listener = Parameters<LiveSession["on"]>[0];

/** A session that tells large events. */
function flooding() {
  const log = createEventLog();
  const listeners = new Set<Listener>();
  const session = {
    get seq() {
      return log.seq;
    },
    after: log.after,
    on(listener: Listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const tell = (): void => {
    const logged = log.add({ text: "x".repeat(100_000) });
    for (const listener of listeners) listener(logged, { type: "status", status: "idle" });
  };
  return { session, listeners, tell };
}

it("E21 a stream that nobody reads ends at four megabytes, and is dropped when it stays unread", async () => {
  const { session, listeners, tell } = flooding();
  const live = eventStream(session, 0, new AbortController().signal, UNREAD_MS);
  for (let at = 0; at < 79; at++) tell();
  expect(listeners.size).toBe(0);
  expect((await live.text()).length).toBeLessThan(MOST + 100_100);
  // The events of the past are bounded in the same way.
  const late = eventStream(session, 0, new AbortController().signal, UNREAD_MS);
  expect(listeners.size).toBe(0);
  vi.advanceTimersByTime(UNREAD_MS);
  await expect(late.text()).rejects.toThrow("nobody has read");
});

it("E21 a client that asks much and reads nothing is asked to wait, and goes on once it has read", async () => {
  const socket = Object.assign(new EventEmitter(), {
    ...{ OPEN: 1, readyState: 1, bufferedAmount: 0, isPaused: false, sent: [] as (() => void)[] },
    send(text: string, done: () => void) {
      socket.bufferedAmount += text.length;
      socket.sent.push(done);
    },
    pause: () => {
      socket.isPaused = true;
    },
    resume: () => {
      socket.isPaused = false;
    },
  });
  const parts = { unreadMs: UNREAD_MS, inboxNews: { on: () => () => {} }, clientTools: { left() {} } };
  serveSocket(parts as unknown as ServerParts, socket as unknown as WebSocket, "ann");
  const ask = JSON.stringify({ type: "ping", ref: "r".repeat(60) });
  for (let at = 0; at < 100_000 && !socket.isPaused; at++) {
    socket.emit("message", ask, false);
    if (at % 100 === 0) await new Promise(setImmediate);
  }
  expect(socket.isPaused).toBe(true);
  expect(socket.bufferedAmount).toBeLessThan(MOST + 100_000);
  socket.bufferedAmount = 0;
  socket.sent.at(-1)?.();
  expect(socket.isPaused).toBe(false);
  socket.emit("close");
});
