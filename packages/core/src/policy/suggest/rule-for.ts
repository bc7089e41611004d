import { display, type Effect, parent, type ReadEffect, type RunEffect, type WriteEffect } from "../../tool/index.ts";
import type { PolicyTool, Workspace } from "../decision.ts";
import { isPrivatePath } from "../guard/private.ts";
import { isPlainlyStarted } from "../pattern/command-forms.ts";
import type { ToolFacts } from "../toolset/facts.ts";
import { getCommandPattern } from "./command-pattern.ts";
import { pathPatterns } from "./path-rule.ts";

/** A rule that would cover an effect, and what it allows, in words. */
export interface OfferedRule {
  readonly rule: string;
  readonly covers: string;
}

/** Whether permission to write covers the file, or its folder. */
export type Width = "file" | "folder";

/** The subject of a rule, in addition to the effect. */
export interface Place {
  readonly tool: PolicyTool;
  readonly facts: ToolFacts | undefined;
  readonly workspace: Workspace;
  readonly width: Width;
}

/** The narrowest rule that a person would write for an effect; `undefined` if there is none. */
export function ruleFor(effect: Effect, place: Place): OfferedRule | undefined {
  const { tool } = place;
  if (effect.do === "unknown") return undefined;
  if (effect.basis === "claimed" && effect.do !== "call") return isPrivateRead(effect) ? undefined : wholeTool(tool);
  switch (effect.do) {
    case "read":
    case "write":
      return pathRule(effect, place);
    case "run":
      return commandRule(effect, place.facts);
    case "connect":
      return hostRule(effect.host, effect.port, place.facts);
    case "call":
      return { rule: `call(${effect.server}/${effect.tool})`, covers: `calls of ${effect.tool} on ${effect.server}` };
    case "delegate":
      return { rule: `Agent(${effect.agent})`, covers: `starting the agent ${effect.agent}` };
    case "send": {
      const target = effect.to === undefined ? effect.channel : `${effect.channel}/${effect.to}`;
      return { rule: `send(${target})`, covers: `sending to ${target}` };
    }
    case "state":
    case "ask":
      return wholeTool(tool);
  }
}

/** A rule for a tool opens nothing private. */
export const isPrivateRead = (effect: Effect): boolean =>
  effect.do === "read" && [effect.path, effect.as ?? ""].some(isPrivatePath);

const wholeTool = ({ name }: PolicyTool): OfferedRule => ({ rule: name, covers: `every call of ${name}` });

/** A path under another name would need two rules; nobody should decide that in passing. */
function pathRule(effect: ReadEffect | WriteEffect, { workspace, width }: Place): OfferedRule | undefined {
  const { path, as, tree = false } = effect;
  if (as !== undefined && as !== path) return undefined;
  const { file, folder } = pathPatterns(path, tree, workspace);
  const name = (of: string) => display(workspace.startedIn, of);
  const below = name(tree ? path : parent(path));
  if (effect.do === "read") {
    if (folder !== undefined) return { rule: `Read(${folder})`, covers: `reading files below ${below}` };
    return file === undefined ? undefined : { rule: `Read(${file})`, covers: `reading ${name(path)}` };
  }
  // A removed file is gone: permission for it is never wider than what was shown.
  if (effect.change === "delete") {
    const pattern = tree ? folder : file;
    const all = tree ? " and everything in it" : "";
    return pattern === undefined ? undefined : { rule: `delete(${pattern})`, covers: `removing ${name(path)}${all}` };
  }
  if (file !== undefined && (width === "file" || folder === undefined))
    return { rule: `Edit(${file})`, covers: `changes to ${name(path)}` };
  if (folder === undefined) return undefined;
  return { rule: `Edit(${folder})`, covers: `creating, changing and deleting files below ${below}, no whole folders` };
}

/** Offers only the command that will run: a wrapper or an assignment that could change it is not part of a rule. */
function commandRule(run: RunEffect, facts: ToolFacts | undefined): OfferedRule | undefined {
  const pattern = isPlainlyStarted(run) ? getCommandPattern(run.argv) : undefined;
  if (pattern === undefined) return undefined;
  const name = facts?.specifier === "command" ? facts.name : "run";
  const covers = pattern.endsWith(" *")
    ? `\`${pattern.slice(0, -2)}\` with any further arguments`
    : `exactly \`${pattern}\``;
  return { rule: `${name}(${pattern})`, covers };
}

function hostRule(host: string, port: number | undefined, facts: ToolFacts | undefined): OfferedRule | undefined {
  if (host === "" || /[*\s/]/.test(host)) return undefined;
  if (facts?.specifier === "domain") return { rule: `${facts.name}(domain:${host})`, covers: `fetching from ${host}` };
  const target = port === undefined ? host : `${host}:${port}`;
  return { rule: `connect(${target})`, covers: `connections to ${target}` };
}
