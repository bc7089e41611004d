import type { ToolError } from "../../tool/index.ts";
import { BatchStopped } from "../batch.ts";
import type { CallRun } from "../call-run.ts";

/** Why a call was cancelled, in words for the model. */
export function cancelledError(callRun: CallRun): ToolError {
  const reason: unknown = callRun.signal.reason;
  if (reason instanceof BatchStopped) {
    return {
      code: "cancelled",
      message: `Tool execution aborted: ${reason.message}`,
      advice: "It did not run. Wait for what the user says next.",
    };
  }
  const ran = callRun.running
    ? "while it ran; it may have changed something before"
    : "before it ran; nothing happened";
  const why = reason instanceof Error && reason.name !== "AbortError" && reason.message ? ` (${reason.message})` : "";
  return { code: "cancelled", message: `Tool execution aborted${why} ${ran}.` };
}
