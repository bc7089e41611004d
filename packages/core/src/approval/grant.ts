import type { RuleSource, Suggestion } from "../policy/index.ts";
import { offeredSuggestion } from "./answer.ts";
import type { Answer, ApprovalRequest } from "./request.ts";

/** The places of a grant that outlives the session: for this project, for the user, for an MCP server or one of its tools. */
export type LastingScope = Exclude<Suggestion["scope"], "session">;

/** Saves rules beyond the session, and returns the file. Rejects if it could not. */
export type PersistGrant = (rules: readonly RuleSource[], scope: LastingScope) => Promise<string>;

/** The rules that an answer leaves behind. `once` leaves none. */
export interface Remembered {
  readonly scope: "once" | Suggestion["scope"];
  /** Rules to add to the session's policy now. */
  readonly rules: readonly RuleSource[];
  /** The rules were also saved beyond the session. */
  readonly saved: boolean;
  /** The file that contains them. */
  readonly file?: string;
  /** Why they were not saved although they should have been: for the person who answered. */
  readonly notice?: string;
}

const NOTHING: Remembered = { scope: "once", rules: [], saved: false };

/**
 * Converts an answer to the rules that it leaves behind: the suggestion that the request showed, word for word, as
 * allow rules of the session. Rules of every scope but `session` are also saved through `persist`. If that fails, the
 * grant holds for this session and the person gets a notice.
 */
export async function grantOf(request: ApprovalRequest, answer: Answer, persist?: PersistGrant): Promise<Remembered> {
  if (answer.behavior !== "allow" || answer.remember === undefined) return NOTHING;
  const suggestion = offeredSuggestion(request, answer.remember);
  if (!suggestion)
    return { ...NOTHING, notice: "The request did not offer the rule to remember, so nothing was saved." };
  const rules = suggestion.rules.map((text): RuleSource => ({ behavior: "allow", origin: "session", text }));
  const { scope } = suggestion;
  if (scope === "session") return { scope, rules, saved: false };
  if (!persist)
    return {
      scope,
      rules,
      saved: false,
      notice: `Rules for the ${scope} cannot be saved here; they apply to this session.`,
    };
  try {
    const file = await persist(rules, scope);
    return { scope, rules, saved: true, file };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { scope, rules, saved: false, notice: `The rules apply to this session but were not saved: ${why}` };
  }
}
