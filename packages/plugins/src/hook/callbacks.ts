import type { HookEventName } from "@haft/core/policy";
import type { Entry } from "./load.ts";
import { readMatcher } from "./matcher.ts";
import { EVENT_RULES, isLive, type LiveEvent } from "./occasion.ts";
import type { Ended } from "./run/ended.ts";

/** Functions of the host for one event, by their ids. */
export interface HookCallbackGroup {
  readonly matcher?: string;
  readonly ids: readonly string[];
  /** Seconds. */
  readonly timeout?: number;
  /** `block`: a failure counts as a no. */
  readonly onFailure?: "block" | "continue";
}

/** Hooks that are functions of another program, reached by a connection. They get and answer the documented JSON. */
export interface HookCallbacks {
  readonly events: Readonly<Partial<Record<HookEventName, readonly HookCallbackGroup[]>>>;
  /** Calls one. The answer is JSON as a hook command would print it. */
  call(id: string, payload: object, signal: AbortSignal): Promise<unknown>;
}

/** The callbacks as entries beside those of the settings. Events that never happen here are left out. */
export function callbackEntries({ events, call }: HookCallbacks): Map<LiveEvent, readonly Entry[]> {
  const entries = new Map<LiveEvent, readonly Entry[]>();
  for (const [event, groups = []] of Object.entries(events)) {
    if (!isLive(event as HookEventName)) continue;
    const live = event as LiveEvent;
    entries.set(
      live,
      groups.flatMap(({ matcher, ids, timeout = EVENT_RULES[live].timeout, onFailure }) => {
        const { matches } = readMatcher(matcher);
        return ids.map(
          (id): Entry => ({
            matches,
            handler: {
              ...{ name: `callback ${id}`, key: `callback ${id}`, async: false, once: false },
              timeoutMs: timeout * 1000,
              onFailure: onFailure === "block" ? "deny" : onFailure === "continue" ? "pass" : undefined,
              run: ({ payload, signal, timeoutMs }) => answerOf(call, id, payload, signal, timeoutMs),
            },
          }),
        );
      }),
    );
  }
  return entries;
}

async function answerOf(
  call: HookCallbacks["call"],
  id: string,
  payload: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Ended> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const answer = await call(id, JSON.parse(payload) as object, limit);
    return { how: "reply", body: { text: JSON.stringify(answer ?? {}) } };
  } catch (thrown) {
    return { how: "failed", why: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
