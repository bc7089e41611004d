import { wireName } from "../../tool/index.ts";
import type { PolicyTool, RuleRef } from "../decision.ts";
import type { ToolNames } from "../toolset/names.ts";
import type { RuleIndex } from "./rule-index.ts";

/** The call as whole-call rules look at it. */
export interface CallFacts {
  readonly tool: PolicyTool;
  readonly input: unknown;
}

/** Deny and ask rules on the tool as such: by any of its names, by a glob, by what its name or origin says of a server. */
export function toolHits(index: RuleIndex, tool: PolicyTool, names: ToolNames): RuleRef[] {
  const spellings = spellingsOf(tool, names);
  const hits = spellings.flatMap((name) => index.byTool.get(name) ?? []);
  for (const { glob, ref } of index.toolGlobs) if (spellings.some(glob.matches)) hits.push(ref);
  if (index.byServer.size > 0) for (const name of serverNames(tool)) hits.push(...(index.byServer.get(name) ?? []));
  return hits;
}

/** Deny and ask rules on the tool's input: parameters and skills. */
export function inputHits(index: RuleIndex, call: CallFacts, names: ToolNames): RuleRef[] {
  if (index.parameters.size === 0 && index.skills.size === 0) return [];
  const spellings = spellingsOf(call.tool, names);
  const parameters = spellings.flatMap((name) => index.parameters.get(name) ?? []);
  const skills = spellings.flatMap((name) => index.skills.get(name) ?? []);
  return [
    ...parameters.filter(({ parameter, value }) => matchesScalar(value.matches, fieldOf(call.input, parameter))),
    ...skills.filter(({ name }) => name.matches(skillOf(call.input).name)),
  ].map(({ ref }) => ref);
}

/** The allow rule that covers all of the call's own effects, if there is one. Foreign names and look-alikes open nothing. */
export function toolAllow(index: RuleIndex, tool: PolicyTool, names: ToolNames): RuleRef | undefined {
  const name = tool.origin === "builtin" ? (names.canonical(tool.name) ?? tool.name) : tool.name;
  const named = index.byTool.get(name)?.[0] ?? index.byServer.get(tool.name)?.[0];
  if (named) return named;
  if (isRemote(tool)) {
    const server = serverKeys(tool).find((key) => index.byServer.has(key));
    if (server !== undefined) return index.byServer.get(server)?.[0];
    const glob = index.toolGlobs.find(
      (entry) =>
        entry.glob.matches(tool.name) && serverKeys(tool).some((key) => entry.glob.prefix.startsWith(`${key}__`)),
    );
    return glob?.ref;
  }
  return undefined;
}

/** The allow rule for just this skill, if the call uses one. */
export function skillAllow(index: RuleIndex, call: CallFacts): RuleRef | undefined {
  const rules = index.skills.get(call.tool.name);
  if (!rules) return undefined;
  const skill = skillOf(call.input);
  return rules.find((rule) => rule.name.matches(skill.name) && (rule.anyArguments || !skill.hasArguments))?.ref;
}

function spellingsOf(tool: PolicyTool, names: ToolNames): string[] {
  const canonical = names.canonical(tool.name);
  const spellings = canonical === undefined || canonical === tool.name ? [tool.name] : [tool.name, canonical];
  for (const alias of tool.aliases ?? []) if (!spellings.includes(alias)) spellings.push(alias);
  return spellings;
}

const isRemote = (tool: PolicyTool): boolean => tool.server !== undefined || tool.name.startsWith("mcp__");

/** The rules' names for the server that offers a tool, from its origin; from its name only where nothing else is known. */
function serverKeys(tool: PolicyTool): string[] {
  if (tool.server !== undefined) return [...new Set([`mcp__${tool.server}`, `mcp__${wireName(tool.server)}`])];
  const server = /^mcp__.+?(?=__)/.exec(tool.name)?.[0];
  return server === undefined ? [] : [server];
}

/** Every name by which a deny rule could mean the tool's server, or the tool as one of a server. */
function serverNames(tool: PolicyTool): Set<string> {
  const found = new Set([tool.name, ...serverKeys(tool)]);
  if (tool.server !== undefined) found.add(`mcp__${tool.server.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`);
  if (!tool.name.startsWith("mcp__")) return found;
  for (let at = tool.name.indexOf("__", 5); at >= 0; at = tool.name.indexOf("__", at + 1))
    found.add(tool.name.slice(0, at));
  return found;
}

/** An own property only: the model chooses the names. */
function fieldOf(input: unknown, field: string): unknown {
  if (typeof input !== "object" || input === null || !Object.hasOwn(input, field)) return undefined;
  return (input as Readonly<Record<string, unknown>>)[field];
}

function matchesScalar(matches: (text: string) => boolean, value: unknown): boolean {
  if (typeof value === "string") return matches(value);
  return typeof value === "number" || typeof value === "boolean" ? matches(String(value)) : false;
}

function skillOf(input: unknown): { name: string; hasArguments: boolean } {
  const name = fieldOf(input, "skill") ?? fieldOf(input, "name");
  const given = fieldOf(input, "args");
  return { name: typeof name === "string" ? name : "", hasArguments: given !== undefined && given !== "" };
}
