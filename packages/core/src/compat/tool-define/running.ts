import type { CallContext } from "../../tool/index.ts";

/**
 * The running calls, by session and call: this shape asks for permission without an object to ask with. An entry lasts
 * as long as its call.
 */
const running = new Map<string, readonly CallContext[]>();

const keyOf = (sessionId: string, callId: string): string => JSON.stringify([sessionId, callId]);

/** Registers a call while `work` runs. */
export async function whileRunning<T>(ctx: CallContext, work: () => Promise<T>): Promise<T> {
  const key = keyOf(ctx.session.id, ctx.call.id);
  running.set(key, [...(running.get(key) ?? []), ctx]);
  try {
    return await work();
  } finally {
    const left = (running.get(key) ?? []).filter((other) => other !== ctx);
    if (left.length > 0) running.set(key, left);
    else running.delete(key);
  }
}

/** The one call of that name; `undefined` if it does not run, or if two hosts have a call of that name. */
export function runningCall(sessionId: string, callId: string | undefined): CallContext | undefined {
  const found = callId === undefined ? [] : (running.get(keyOf(sessionId, callId)) ?? []);
  return found.length === 1 ? found[0] : undefined;
}
