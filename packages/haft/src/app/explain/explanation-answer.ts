import { remedyFor } from "@haft/policy-tools/remedy";
import type { Haft } from "../haft.ts";

/** An explanation as programs get it: the same fields whether the call has a decision or failed before one. */
export function explanationAnswer({ decision, error, effects, tool }: Awaited<ReturnType<Haft["explain"]>>) {
  return {
    tool,
    decision: decision?.decision ?? "deny",
    reason: decision?.reason ?? error?.message ?? "",
    rule: decision?.rule,
    effects,
    trace: decision?.trace ?? [],
    suggestions: decision?.suggestions ?? [],
    ...(decision ? { remedy: remedyFor(decision) } : {}),
    error,
  };
}
