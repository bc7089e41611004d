import type { ToolError } from "../tool/index.ts";
import type { Settled } from "./request.ts";

/**
 * The end of a question. Only `answered` with an allow lets the call go on; every other end is a refusal. `unattended`:
 * nobody could answer; with `kept`, the question waits for a later answer.
 */
export type Outcome =
  | ({ readonly status: "answered"; readonly requestId: string } & Settled)
  | { readonly status: "expired" | "cancelled"; readonly requestId: string }
  | { readonly status: "unattended"; readonly requestId: string; readonly kept?: true };

/** Facts about the call for a refusal, besides its tool. */
export interface Refused {
  /** It is a command. */
  readonly isCommand?: boolean;
  /** The reason for asking: the only help for the model if nobody can be asked. */
  readonly why?: string;
  /** Only a person can allow it; no rule can. */
  readonly needsPerson?: boolean;
  /** It is a tool of the host's own, and nothing but its word says what it does. */
  readonly isClaim?: boolean;
}

/** The refusal for an outcome, for the model to read; `undefined` if the call was allowed. */
export function refusalOf(
  outcome: Outcome,
  tool: string,
  { isCommand, why, needsPerson, isClaim }: Refused = {},
): ToolError | undefined {
  switch (outcome.status) {
    case "answered":
      return outcome.answer.behavior === "allow"
        ? undefined
        : refusedBy(outcome.by, tool, outcome.answer.message, isCommand === true);
    case "expired":
      return {
        code: "approval_expired",
        message: `${tool} did not run: nobody answered the question in time.`,
        advice: "Go on without it, or ask the user before trying again.",
      };
    case "cancelled":
      return { code: "cancelled", message: `${tool} was cancelled while it waited for an approval. It did not run.` };
    default:
      return {
        code: "needs_approval",
        message: `${tool} needs approval, and nobody is there to give it. It did not run.${why === undefined ? "" : ` ${why}`}`,
        hint: `${unattendedCure(needsPerson === true, outcome.kept ? outcome.requestId : undefined)}${isClaim && !needsPerson ? OWN_TOOLS : ""}`,
        advice: "Find a way that needs no approval, or tell the user.",
        ...(outcome.kept ? { details: { requestId: outcome.requestId } } : {}),
      };
  }
}

const OWN_TOOLS =
  ' Or set `autoExecute: true` on a read-only tool, or `basis: "enforced"` on one that uses only ports.';

/** The hint for an unattended question: a rule if rules count, else a person, now or later. */
function unattendedCure(needsPerson: boolean, kept: string | undefined): string {
  const later = `haft approvals show ${kept} shows the question. Answer it, then make the same call again.`;
  if (needsPerson) return kept === undefined ? "Run it where a person can be asked: no rule can allow it." : later;
  return kept === undefined ? "Add a rule that allows it." : `Add a rule that allows it, or: ${later}`;
}

function refusedBy(by: string, tool: string, message: string | undefined, isCommand: boolean): ToolError {
  const details = { by };
  if (by === "hook") {
    const why = message === undefined ? "." : `: ${message}`;
    return { code: "denied_by_hook", message: `A hook refused this call of ${tool}${why}`, details };
  }
  if (message === undefined || message.trim() === "")
    return {
      code: "denied_by_user",
      message: isCommand
        ? "Command rejected by user. It did not run."
        : `The user refused this call of ${tool}. It did not run.`,
      advice: "Do not try the same again; ask what they want instead.",
      details,
    };
  return { code: "denied_by_user", message: `The user refused this call of ${tool} and says: ${message}`, details };
}
