import type { PolicyTool, RuleRef } from "./decision.ts";
import { readRules } from "./engine/rule-book.ts";
import { pathFold } from "./pattern/path-fold.ts";
import { identify, toolHits } from "./rule/match-call.ts";
import { targetHits } from "./rule/match-effect.ts";
import type { RuleSource } from "./rule/rule.ts";
import { indexRules, type RuleIndex } from "./rule/rule-index.ts";
import { builtinToolNames, type ToolNames } from "./toolset/names.ts";

/**
 * Finds the deny rule that forbids a tool whatever its input: `Bash`, `Bash(*)`, a glob, `mcp__server`. For a remote
 * tool also `call(server/tool)`, because it calls nothing else. Such a tool is not even offered. A rule with a
 * specifier does not remove it.
 */
export function blanketDenies(
  rules: readonly RuleSource[],
  known?: ToolNames,
): (tool: PolicyTool) => RuleRef | undefined {
  const denies = rules.filter((rule) => rule.behavior === "deny");
  // Whole-tool rules contain no paths, so any place works.
  const nowhere = { root: "/", startedIn: "/", cwd: "/", home: "/", additional: [], platform: "" };
  const index = indexRules(readRules(denies, false, known).rules.deny, nowhere, pathFold(""));
  return (tool) => blanketHit(index, tool, known ?? builtinToolNames);
}

/** Finds the rule of a deny list that forbids a tool whatever its input. */
export function blanketHit(denies: RuleIndex, tool: PolicyTool, names: ToolNames): RuleRef | undefined {
  const [hit] = toolHits(denies, identify(tool, names));
  if (hit || tool.server === undefined) return hit;
  return targetHits(denies.targets.call, tool.server, tool.remoteName)[0]?.ref;
}

/** Whether the rules forbid a tool whatever its input. */
export const isBlanketDeny = (rules: readonly RuleSource[], tool: PolicyTool, known?: ToolNames): boolean =>
  blanketDenies(rules, known)(tool) !== undefined;
