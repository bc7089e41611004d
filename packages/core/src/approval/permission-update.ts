import type { Suggestion } from "../policy/index.ts";
import type { OwnSuggestion } from "../tool/index.ts";
import { isSame } from "./same.ts";

/** A suggestion in the documented format of the protocols of hooks and of `canUseTool`. */
export interface PermissionUpdate {
  readonly type: "addRules";
  readonly rules: readonly { readonly toolName: string; readonly ruleContent?: string }[];
  readonly behavior: "allow";
  readonly destination: "session" | "projectSettings" | "userSettings";
}

/** The documented format of a suggestion: one rule a line, with the scope that would keep it. */
export const permissionUpdateOf = ({ rules, scope }: Suggestion): PermissionUpdate => ({
  type: "addRules",
  rules: rules.map(ruleOf),
  behavior: "allow",
  destination: scope === "project" ? "projectSettings" : scope === "user" ? "userSettings" : "session",
});

/** Updates from a tool of another system, as suggestions. Updates that do not add allow rules are left out. */
export const suggestionsOf = (updates: readonly unknown[]): OwnSuggestion[] =>
  updates.flatMap((update) => {
    const { type, rules, behavior, destination } = (update ?? {}) as Partial<PermissionUpdate>;
    if (type !== "addRules" || behavior !== "allow" || !Array.isArray(rules)) return [];
    const texts = rules.map(({ toolName, ruleContent }) =>
      ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
    );
    const scope = destination === "session" ? "session" : destination === "userSettings" ? "user" : "project";
    return [{ label: `Always allow ${texts.join(", ")}`, rules: texts, scope }];
  });

/**
 * The suggestion that updates accept, word for word; of several the first, which is the narrowest. They cannot make
 * other rules: a yes for one call must not allow more.
 */
export const suggestionTaken = (
  updates: readonly unknown[],
  suggestions: readonly Suggestion[],
): Suggestion | undefined =>
  suggestions.find((suggestion) => updates.some((update) => isSame(update, permissionUpdateOf(suggestion))));

function ruleOf(rule: string): PermissionUpdate["rules"][number] {
  const open = rule.indexOf("(");
  return open < 0 ? { toolName: rule } : { toolName: rule.slice(0, open), ruleContent: rule.slice(open + 1, -1) };
}
