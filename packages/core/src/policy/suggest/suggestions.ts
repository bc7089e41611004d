import type { Effect } from "../../tool/index.ts";
import type { PolicyTool, Situation, Suggestion, TraceStep, Workspace } from "../decision.ts";
import { isPrivatePath } from "../guard/private.ts";
import type { ToolFacts } from "../toolset/facts.ts";
import { isPrivateRead, type OfferedRule, type Place, ruleFor, type Width } from "./rule-for.ts";

/** Maximum number of rules from one answer: a person cannot consent to more than they can read. */
const MOST_RULES = 5;

/**
 * The rules that would have avoided the question, each suggestion complete in itself, narrowest first. Empty if no rule
 * could: a rule, a protected path, a critical removal or a check asked, or some part has no rule that a person could
 * judge.
 */
export function suggestionsFor(
  workspace: Workspace,
  situation: Situation,
  facts: ToolFacts | undefined,
  trace: readonly TraceStep[],
): Suggestion[] {
  const asking = trace.filter((step) => step.outcome === "ask");
  if (asking.length === 0 || asking.some((step) => step.step !== "mode" || step.effect === undefined)) return [];
  const uncovered = asking.flatMap((step) => situation.effects[step.effect ?? -1] ?? []);
  const { tool } = situation;
  if (isRemote(tool)) return uncovered.some(isPrivateRead) ? [] : remoteSuggestions(tool);
  const sets = WIDTHS.flatMap((width) => rulesFor(uncovered, { tool, facts, workspace, width }));
  const distinct = [...new Map(sets.map((rules) => [rules.map(({ rule }) => rule).join("\n"), rules])).values()];
  return distinct.flatMap((rules) => scopesFor(uncovered, workspace).map((scope) => suggestion(rules, scope)));
}

/** First the files alone, then their folders. */
const WIDTHS: readonly Width[] = ["file", "folder"];

/** One rule for each effect; empty if an effect has none, or if there are too many. */
function rulesFor(effects: readonly Effect[], place: Place): readonly (readonly OfferedRule[])[] {
  const rules = new Map<string, OfferedRule>();
  for (const effect of effects) {
    if (isReadByWriters(effect, effects)) continue;
    const offered = ruleFor(effect, place);
    if (!offered) return [];
    rules.set(offered.rule, offered);
  }
  return rules.size > MOST_RULES ? [] : [[...rules.values()]];
}

function suggestion(rules: readonly OfferedRule[], scope: Suggestion["scope"]): Suggestion {
  const texts = rules.map(({ rule }) => rule);
  const covers = rules.map((one) => one.covers).join("; ");
  return { label: `Allow ${covers} ${HOW_LONG[scope] ?? ""}: ${texts.join(", ")}`, covers, rules: texts, scope };
}

/** Permission to write a file includes reading it by that name, unless it is private or the read is only claimed. */
const isReadByWriters = (effect: Effect, all: readonly Effect[]): boolean =>
  effect.do === "read" &&
  effect.basis !== "claimed" &&
  !isPrivatePath(effect.path) &&
  (effect.as === undefined || effect.as === effect.path) &&
  all.some(
    (other) =>
      other.do === "write" && other.change !== "delete" && other.path === effect.path && (other.tree || !effect.tree),
  );

const isRemote = (tool: PolicyTool): boolean => tool.server !== undefined || tool.name.startsWith("mcp__");

function remoteSuggestions(tool: PolicyTool): Suggestion[] {
  const one: Suggestion = {
    label: `Always allow ${tool.name}`,
    covers: `every call of ${tool.name}`,
    rules: [tool.name],
    scope: "tool",
  };
  const server = tool.server === undefined ? undefined : `mcp__${tool.server}`;
  // `mcp__a__b` would also mean the tool b of a server a.
  if (server === undefined || !/^mcp__(?!.*__)[A-Za-z0-9_.:-]+$/.test(server)) return [one];
  const covers = `every tool of ${tool.server}`;
  return [one, { label: `Always allow ${covers}`, covers, rules: [server], scope: "server" }];
}

/**
 * Permission to change files ends with the session, together with everything granted with it. A path rule means another
 * place in the user's settings. It also does in the project's settings if the session started in a subfolder.
 */
function scopesFor(effects: readonly Effect[], { root, startedIn }: Workspace): readonly Suggestion["scope"][] {
  if (effects.some((effect) => effect.do === "write")) return ["session"];
  if (!effects.some((effect) => effect.do === "read")) return ["session", "project", "user"];
  return root === startedIn ? ["session", "project"] : ["session"];
}

const HOW_LONG: Readonly<Partial<Record<Suggestion["scope"], string>>> = {
  session: "for this session",
  project: "in this project from now on",
  user: "everywhere from now on",
};
