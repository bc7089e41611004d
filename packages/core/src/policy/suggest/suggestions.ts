import type { Effect, RunEffect } from "../../tool/index.ts";
import type { PolicyTool, Situation, Suggestion, TraceStep, Workspace } from "../decision.ts";
import { isPrivatePath } from "../guard/private.ts";
import { isPlainlyStarted } from "../rule/command-forms.ts";
import { getCommandPattern } from "./command-pattern.ts";
import { folderRule } from "./path-rule.ts";

/** One answer may leave at most so many rules behind: more than a person can look over is no consent. */
const MOST_RULES = 5;

/**
 * The rules that would have spared the question, each suggestion complete in itself, narrow first. None where no rule
 * can: when a rule, a protected path, a critical removal or a check asked, and when some part has no rule that a person
 * could judge.
 */
export function suggestionsFor(workspace: Workspace, situation: Situation, trace: readonly TraceStep[]): Suggestion[] {
  const asking = trace.filter((step) => step.outcome === "ask");
  if (asking.length === 0 || asking.some((step) => step.step !== "mode" || step.effect === undefined)) return [];
  const uncovered = asking.flatMap((step) => situation.effects[step.effect ?? -1] ?? []);
  if (isRemote(situation.tool)) return uncovered.some(isPrivateRead) ? [] : remoteSuggestions(situation.tool);
  const rules = uncovered
    .filter((effect) => !isReadByWriters(effect, uncovered))
    .map((effect) => ruleFor(effect, situation.tool, workspace));
  const distinct = [...new Set(rules)];
  if (distinct.length > MOST_RULES || !distinct.every((rule) => rule !== undefined)) return [];
  return scopesFor(uncovered, workspace).map((scope) => ({ label: labelOf(distinct, scope), rules: distinct, scope }));
}

/** A rule for a tool opens nothing private. */
const isPrivateRead = (effect: Effect): boolean =>
  effect.do === "read" && [effect.path, effect.as ?? ""].some(isPrivatePath);

/** Leave to write a file is leave to read it by that name, unless it is private or only said to be read. */
const isReadByWriters = (effect: Effect, all: readonly Effect[]): boolean =>
  effect.do === "read" &&
  effect.basis !== "claimed" &&
  !isPrivatePath(effect.path) &&
  (effect.as === undefined || effect.as === effect.path) &&
  all.some((other) => other.do === "write" && other.path === effect.path && (other.tree || !effect.tree));

function ruleFor(effect: Effect, tool: PolicyTool, workspace: Workspace): string | undefined {
  if (effect.do === "unknown") return undefined;
  if (effect.basis === "claimed" && effect.do !== "call") return isPrivateRead(effect) ? undefined : tool.name;
  switch (effect.do) {
    case "read":
      return inParentheses("Read", folderRule(effect.path, effect.tree === true, workspace), effect);
    case "write":
      return inParentheses("Edit", folderRule(effect.path, effect.tree === true, workspace), effect);
    case "run":
      return inParentheses(
        tool.name === "Bash" || tool.name === "PowerShell" ? tool.name : "run",
        commandPattern(effect),
      );
    case "connect":
      return hostRule(effect.host, effect.port, tool);
    case "call":
      return `call(${effect.server}/${effect.tool})`;
    case "delegate":
      return `Agent(${effect.agent})`;
    case "send":
      return effect.to === undefined ? `send(${effect.channel})` : `send(${effect.channel}/${effect.to})`;
    case "state":
    case "ask":
      return tool.name;
  }
}

/** A path that is reached by another name would need two rules; that is not something to decide in passing. */
function inParentheses(
  name: string,
  specifier: string | undefined,
  effect?: { readonly path: string; readonly as?: string },
): string | undefined {
  const isAliased = effect?.as !== undefined && effect.as !== effect.path;
  return specifier === undefined || isAliased ? undefined : `${name}(${specifier})`;
}

/** Only what will run is offered: a wrapper or an assignment that could change it is no part of a rule. */
function commandPattern(run: RunEffect): string | undefined {
  return isPlainlyStarted(run) ? getCommandPattern(run.argv) : undefined;
}

function hostRule(host: string, port: number | undefined, tool: PolicyTool): string | undefined {
  if (host === "" || /[*\s/]/.test(host)) return undefined;
  if (tool.name === "WebFetch") return `WebFetch(domain:${host})`;
  return port === undefined ? `connect(${host})` : `connect(${host}:${port})`;
}

const isRemote = (tool: PolicyTool): boolean => tool.server !== undefined || tool.name.startsWith("mcp__");

function remoteSuggestions(tool: PolicyTool): Suggestion[] {
  const one: Suggestion = { label: `Always allow ${tool.name}`, rules: [tool.name], scope: "tool" };
  const server = tool.server === undefined ? undefined : `mcp__${tool.server}`;
  // `mcp__a__b` would be the tool b of a server a, too.
  if (server === undefined || !/^mcp__(?!.*__)[A-Za-z0-9_.:-]+$/.test(server)) return [one];
  return [one, { label: `Always allow every tool of ${tool.server}`, rules: [server], scope: "server" }];
}

/**
 * Leave to change files ends with the session, and so does everything that comes with it. A rule with a path means
 * another place in the user's settings, and in the project's where the session started further down.
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

function labelOf(rules: readonly string[], scope: Suggestion["scope"]): string {
  return `Allow ${rules.join(", ")} ${HOW_LONG[scope] ?? ""}`;
}
