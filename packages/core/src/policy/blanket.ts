import type { PolicyTool, RuleRef } from "./decision.ts";
import { readRules } from "./engine/rule-book.ts";
import { pathFold } from "./pattern/path-fold.ts";
import { identify, toolHits } from "./rule/match-call.ts";
import type { RuleSource } from "./rule/rule.ts";
import { indexRules } from "./rule/rule-index.ts";
import { builtinToolNames, type ToolNames } from "./toolset/names.ts";

/**
 * Finds the deny rule that forbids a tool whatever its input (`Bash`, `Bash(*)`, a glob, `mcp__server`). Such a tool is
 * not even offered; a rule with a specifier leaves it there.
 */
export function blanketDenies(
  rules: readonly RuleSource[],
  known?: ToolNames,
): (tool: PolicyTool) => RuleRef | undefined {
  const denies = rules.filter((rule) => rule.behavior === "deny");
  // Whole-tool rules know no paths, so any place will do.
  const nowhere = { root: "/", startedIn: "/", cwd: "/", home: "/", additional: [], platform: "" };
  const index = indexRules(readRules(denies, false, known).rules.deny, nowhere, pathFold(""));
  return (tool) => toolHits(index, identify(tool, known ?? builtinToolNames))[0];
}

/** Whether the rules forbid a tool whatever its input. */
export const isBlanketDeny = (rules: readonly RuleSource[], tool: PolicyTool, known?: ToolNames): boolean =>
  blanketDenies(rules, known)(tool) !== undefined;
