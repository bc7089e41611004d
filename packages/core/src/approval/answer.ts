import type { Suggestion } from "../policy/index.ts";
import type { Answer, ApprovalRequest } from "./request.ts";
import { isSame } from "./same.ts";

/** A valid answer, or in words why it is not valid. */
export type CheckedAnswer =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly why: string };

/** Whether an answer was accepted. A rejected one has changed nothing. */
export type Receipt =
  | { readonly accepted: true }
  | {
      readonly accepted: false;
      readonly reason: "unknown_request" | "already_settled" | "other_call" | "invalid";
      readonly message: string;
    };

/** Fields of other products' answers. If silently ignored they would let the call run unchanged, or against the answer. */
const FOREIGN: Readonly<Record<string, string>> = {
  ...{ updatedInput: "input", updatedPermissions: "remember" },
  ...{ decision: "behavior", permissionDecision: "behavior", outcome: "behavior", approved: "behavior" },
};

/**
 * Checks an outside answer against its request. It comes from a person's program, a browser or a socket, so its shape
 * is not trusted. The grant to remember must be a suggestion of the request, exactly as shown. The result is a copy
 * that its sender can no longer change.
 */
export function checkAnswer(candidate: unknown, request: ApprovalRequest): CheckedAnswer {
  if (typeof candidate !== "object" || candidate === null) return no("an answer must be an object with a behavior");
  const foreign = Object.keys(candidate).find((key) => Object.hasOwn(FOREIGN, key));
  if (foreign !== undefined) return no(`"${foreign}" is called "${FOREIGN[foreign]}" here`);
  const { behavior, message, remember, interrupt, input, review } = candidate as Readonly<Record<string, unknown>>;
  if (behavior !== "allow" && behavior !== "deny") return no('the behavior must be "allow" or "deny"');
  if (message !== undefined && typeof message !== "string") return no("the message must be a string");
  const said = message === undefined ? {} : { message };
  if (behavior === "deny") {
    if (interrupt !== undefined && typeof interrupt !== "boolean") return no("interrupt must be true or false");
    return { ok: true, answer: { behavior, ...said, ...(interrupt === undefined ? {} : { interrupt }) } };
  }
  if (interrupt === true) return no("interrupt cannot be combined with allow");
  if (review !== undefined && typeof review !== "boolean") return no("review must be true or false");
  const suggestion = remember === undefined ? undefined : offeredSuggestion(request, remember);
  if (remember !== undefined && !suggestion) return no("the request did not offer this rule to remember");
  return {
    ok: true,
    answer: {
      behavior,
      ...said,
      ...(suggestion ? { remember: suggestion } : {}),
      // An unchanged input is not a new input: the yes covers the original request.
      ...(input === undefined || isSame(input, request.input)
        ? {}
        : { input: structuredClone(input), ...(review ? { review } : {}) }),
    },
  };
}

/** The request's own suggestion that equals the chosen one, word for word; `undefined` if there is none. */
export function offeredSuggestion(request: ApprovalRequest, chosen: unknown): Suggestion | undefined {
  const { label, scope, rules } = (chosen ?? {}) as Partial<Readonly<Record<keyof Suggestion, unknown>>>;
  return request.suggestions.find(
    (offer) =>
      offer.label === label &&
      offer.scope === scope &&
      Array.isArray(rules) &&
      rules.length === offer.rules.length &&
      offer.rules.every((rule, index) => rule === rules[index]),
  );
}

const no = (why: string): CheckedAnswer => ({ ok: false, why });
