import type { CallOutcome } from "@haft/core/executor";
import { failure } from "@haft/core/tool";

/** The result of a call as one JSON line. A call that failed before a decision counts as denied. */
export function callLine({ call, status, result, effects, decision, approval, startedAt, durationMs }: CallOutcome) {
  const { content, output, error, spilled, labels } = result;
  return {
    id: call.id,
    tool: call.tool,
    status,
    content,
    output,
    error,
    effects,
    decision: decision?.decision ?? "deny",
    reason: decision?.reason ?? error?.message ?? "",
    rule: decision?.rule,
    approval,
    spilled,
    labels,
    startedAt: new Date(startedAt).toISOString(),
    durationMs: Math.round(durationMs * 1000) / 1000,
  };
}

/** The line of a call with a duplicate id. It did not run. */
export function repeatedIdLine(id: string, tool: string) {
  const message = `The id "${id}" was already used; the second call did not run.`;
  const error = { code: "invalid_input", message, hint: "Give every call its own id." } as const;
  return {
    id,
    tool,
    status: "error",
    content: failure(error).content,
    error,
    effects: [],
    decision: "deny",
    reason: message,
    startedAt: new Date().toISOString(),
    durationMs: 0,
  };
}
