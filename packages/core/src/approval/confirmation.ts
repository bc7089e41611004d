import type { Suggestion } from "../policy/index.ts";
import { fail } from "../tool/index.ts";
import type { Answer, ApprovalRequest } from "./request.ts";

/** The outcomes of a confirmation dialog as Gemini CLI names them. */
export const confirmationOutcomes = [
  "proceed_once",
  "proceed_always",
  "proceed_always_server",
  "proceed_always_tool",
  "modify_with_editor",
  "cancel",
] as const;

/** One of the `confirmationOutcomes`. */
export type ConfirmationOutcome = (typeof confirmationOutcomes)[number];

/** Additional data from a dialog, besides the outcome. */
export interface ConfirmationPayload {
  /** `modify_with_editor`: the changed input, which is then checked and decided again. */
  readonly input?: unknown;
  /** `proceed_always`: how long. Default `session`. */
  readonly scope?: "session" | "project" | "user";
  /** `cancel`: the reason, for the model; with another outcome a remark. */
  readonly message?: string;
}

/** The meaning of each outcome: yes or no, the scope to remember it for, with a changed input or not. */
export const CONFIRMATION_MEANING: Readonly<
  Record<
    ConfirmationOutcome,
    { readonly behavior: Answer["behavior"]; readonly scope?: Suggestion["scope"]; readonly changes?: true }
  >
> = {
  proceed_once: { behavior: "allow" },
  proceed_always: { behavior: "allow", scope: "session" },
  proceed_always_server: { behavior: "allow", scope: "server" },
  proceed_always_tool: { behavior: "allow", scope: "tool" },
  modify_with_editor: { behavior: "allow", changes: true },
  cancel: { behavior: "deny" },
};

/** The subject of a question, in the terms of a dialog. */
export type ConfirmationKind = "edit" | "execute" | "mcp" | "info";

/** The kind of a question, from the effects of its call: a remote tool, a program, a change of files, or anything else. */
export function confirmationKind({ effects, show }: ApprovalRequest): ConfirmationKind {
  const words = new Set(effects.map((effect) => effect.do));
  if (words.has("call")) return "mcp";
  if (words.has("run") || show.kind === "terminal") return "execute";
  return words.has("write") ? "edit" : "info";
}

/**
 * The outcomes that a dialog may show for a request: "always" only if the request has suggestions to remember, the
 * editor only if there is a command or a content to change.
 */
export function applicableOutcomes(request: ApprovalRequest): ConfirmationOutcome[] {
  const kind = confirmationKind(request);
  return confirmationOutcomes.filter((outcome) => {
    if (outcome === "modify_with_editor") return kind === "edit" || kind === "execute";
    if (outcome === "proceed_always") return request.suggestions.some(({ scope }) => isLasting(scope));
    const { scope } = CONFIRMATION_MEANING[outcome];
    return scope === undefined || request.suggestions.some((suggestion) => suggestion.scope === scope);
  });
}

/**
 * Converts an outcome to an answer.
 *
 * @throws HaftError `invalid_input` for an outcome that is unknown or that the request does not offer, or for
 *   `modify_with_editor` without the changed input.
 */
export function answerFor(outcome: string, request: ApprovalRequest, payload: ConfirmationPayload = {}): Answer {
  if (!Object.hasOwn(CONFIRMATION_MEANING, outcome))
    fail("invalid_input", `There is no outcome "${outcome}".`, `Use one of ${confirmationOutcomes.join(", ")}.`);
  const { behavior, scope, changes } = CONFIRMATION_MEANING[outcome as ConfirmationOutcome];
  const said = payload.message === undefined ? {} : { message: payload.message };
  if (behavior === "deny") return { behavior, ...said };
  if (changes && payload.input === undefined)
    fail("invalid_input", `"${outcome}" needs the changed input.`, "Put it into the payload, or answer proceed_once.");
  if (changes) return { behavior, ...said, input: payload.input, review: true };
  if (!scope) return { behavior, ...said };
  const wanted = outcome === "proceed_always" ? (payload.scope ?? scope) : scope;
  return { behavior, ...said, remember: suggestionFor(request, wanted) };
}

function suggestionFor(request: ApprovalRequest, wanted: Suggestion["scope"]): Suggestion {
  const found = request.suggestions.find((suggestion) => suggestion.scope === wanted);
  return (
    found ??
    fail(
      "invalid_input",
      `The request offers nothing to remember for the scope "${wanted}".`,
      "Answer proceed_once, or choose one of the request's suggestions.",
    )
  );
}

const isLasting = (scope: Suggestion["scope"]): boolean =>
  scope === "session" || scope === "project" || scope === "user";
