import { toJson } from "@haft/core/tool";
import type { Handler, OnFailure } from "./handler.ts";
import { failedAsNo, type Reading, readEnded } from "./hook-output.ts";
import type { Entry, Loaded } from "./load.ts";
import { EVENT_RULES, type LiveEvent, type Occasion } from "./occasion.ts";

/** A hook's notice for the person: its message, or what went wrong with it. */
export interface HookNotice {
  readonly event: LiveEvent;
  readonly hook: string;
  readonly kind: "message" | "failure" | "remark";
  readonly text: string;
}

/** One handler's answer. */
export interface Heard extends Reading {
  readonly hook: string;
  /** Effect of its failure, if the hook's entry sets one. */
  readonly onFailure?: OnFailure | undefined;
}

export interface DispatchOptions {
  readonly entries: Loaded["entries"];
  readonly env: Readonly<Record<string, string>>;
  readonly onNotice: (notice: HookNotice) => void;
  /** Ends the hooks that still run in the background. */
  readonly closed: AbortSignal;
  /** The folder in which hooks run. Default: the one of the event. */
  readonly folder: string | undefined;
}

export type Dispatch = (occasion: Occasion) => Promise<readonly Heard[]>;

/** Runs an event's handlers in parallel, identical handlers once. Never rejects. */
export function createDispatch({ entries, env, onNotice, closed, folder }: DispatchOptions): Dispatch {
  const spent = new Set<string>();
  const remarked = new Set<string>();

  function tell(event: LiveEvent, { hook, said, failure, remark }: Heard): void {
    const notices: readonly [HookNotice["kind"], string | undefined][] = [
      ["failure", failure],
      ["remark", remark],
      ["message", said.message],
    ];
    for (const [kind, text] of notices) {
      if (text === undefined) continue;
      const key = `${event}\n${hook}\n${text}`;
      if (kind === "remark" && remarked.has(key)) continue;
      if (kind === "remark") remarked.add(key);
      quietly(() => onNotice({ event, hook, kind, text }));
    }
  }

  async function runOne(handler: Handler, occasion: Occasion, payload: string, signal: AbortSignal): Promise<Heard> {
    const { event, cwd } = occasion;
    const { name: hook, timeoutMs, onFailure } = handler;
    const ended = await handler
      .run({ payload, cwd: folder ?? cwd, env, timeoutMs, signal })
      .catch((thrown: unknown) => ({ how: "failed" as const, why: String(thrown) }));
    const heard = { hook, onFailure, ...failedAsNo(event, readEnded(event, ended), onFailure) };
    if (!signal.aborted) tell(event, heard);
    return heard;
  }

  return async (occasion) => {
    const chosen = handlersFor(entries.get(occasion.event) ?? [], occasion, spent);
    if (chosen.length === 0) return [];
    for (const { once, key } of chosen) if (once) spent.add(key);
    // On one line: scripts read it with `read`, or look for "tool_name":"Bash".
    const payload = toJson(occasion.payload, 0);
    const waitedFor = chosen.filter((handler) => !handler.async);
    for (const handler of chosen) if (handler.async) void runOne(handler, occasion, payload, closed);
    return Promise.all(waitedFor.map((handler) => runOne(handler, occasion, payload, occasion.signal)));
  };
}

function handlersFor(entries: readonly Entry[], { event, names, call }: Occasion, spent: Set<string>): Handler[] {
  const { onCall, matchOn } = EVENT_RULES[event];
  const hasMatcher = onCall || matchOn !== undefined;
  const meant = entries.filter(
    ({ matches, condition, handler }) =>
      !spent.has(handler.key) && (!hasMatcher || matches(names ?? [])) && (!condition || !call || condition(call)),
  );
  return [...new Map(meant.map(({ handler }) => [handler.key, handler])).values()];
}

/** A listener that throws must not stop a hook. */
function quietly(tell: () => void): void {
  try {
    tell();
  } catch {
    // The listener's own failure.
  }
}
