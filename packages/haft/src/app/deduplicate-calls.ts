import { randomUUID } from "node:crypto";
import type { CallOutcome } from "@haft/core/executor";
import { failure, type Result, toJson } from "@haft/core/tool";
import { checkToolCall } from "./check-options.ts";
import type { EventHub } from "./event-hub.ts";
import type { Haft } from "./haft.ts";

/** Number of results kept by id, so that a repeated call returns the stored result and does not run twice. */
const REMEMBERED_CALLS = 1_000;

/** Single calls, each run once: the same id with the same input returns the stored result. */
export function deduplicateCalls(run: Haft["run"], hub: EventHub): Haft["call"] {
  const done = new Map<string, { readonly key: string; readonly outcome: Promise<CallOutcome> }>();
  return async (tool, input, options = {}) => {
    checkToolCall("call", tool, options);
    const { id = randomUUID(), messageId, signal, onUpdate, isProgram } = options;
    const key = toJson([tool, input]);
    const before = done.get(id);
    if (before && before.key !== key) return differs(id);
    if (before) return (await before.outcome).result;
    const silence = onUpdate
      ? hub.on((event) => {
          if (event.type === "tool:execution:progress" && event.call.id === id) onUpdate(event.progress);
        })
      : undefined;
    const ofBatch = { ...(signal ? { signal } : {}), ...(messageId === undefined ? {} : { messageId }) };
    const outcome = run([{ id, tool, input, ...(isProgram ? { isProgram } : {}) }], ofBatch).then(([only]) => only!);
    done.set(id, { key, outcome });
    const [oldest] = done.keys();
    if (done.size > REMEMBERED_CALLS && oldest !== undefined) done.delete(oldest);
    try {
      return (await outcome).result;
    } finally {
      silence?.();
    }
  };
}

const differs = (id: string): Result =>
  failure({
    code: "conflict",
    message: `The call id "${id}" is already used by another call.`,
    hint: "Give every call its own id; repeat an id only with the same tool and input.",
  });
