import type { ToolError } from "../../tool/index.ts";
import { BatchStopped } from "../batch.ts";
import type { Flight } from "../flight.ts";

/** Why a call was cancelled, in words for the model. */
export function cancelledError(flight: Flight): ToolError {
  const reason: unknown = flight.signal.reason;
  if (reason instanceof BatchStopped) {
    return {
      code: "cancelled",
      message: `Tool execution aborted: ${reason.message}`,
      advice: "It did not run. Wait for what the user says next.",
    };
  }
  const ran = flight.running ? "while it ran; what it had done so far stays" : "before it ran; nothing happened";
  const why = reason instanceof Error && reason.name !== "AbortError" && reason.message ? ` (${reason.message})` : "";
  return { code: "cancelled", message: `Tool execution aborted${why} ${ran}.` };
}
