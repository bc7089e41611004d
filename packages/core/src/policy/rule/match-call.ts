import { wireName } from "../../tool/index.ts";
import type { PolicyTool, RuleRef } from "../decision.ts";
import type { ToolFacts } from "../toolset/facts.ts";
import type { ToolNames } from "../toolset/names.ts";
import type { RuleIndex } from "./rule-index.ts";

/** A tool as rules see it. */
export interface Identity {
  readonly tool: PolicyTool;
  /** The name that allow rules use. A tool from elsewhere keeps its own name, however much that resembles another. */
  readonly name: string;
  /** All names that deny and ask rules use. */
  readonly spellings: readonly string[];
  /** The tools whose bare deny and ask rules also mean this one. */
  readonly families: readonly string[];
  readonly facts: ToolFacts | undefined;
}

/** Computes the names that rules use for the call's tool, once for each call. */
export function identify(tool: PolicyTool, names: ToolNames): Identity {
  const canonical = names.canonical(tool.name);
  const spellings = [tool.name];
  for (const name of [canonical, ...(tool.aliases ?? [])])
    if (name !== undefined && !spellings.includes(name)) spellings.push(name);
  const name = tool.origin === "builtin" ? (canonical ?? tool.name) : tool.name;
  const known = spellings.flatMap((spelling) => names.facts(spelling)?.family ?? []);
  const families = [...new Set(tool.family === undefined ? known : [...known, tool.family])];
  return { tool, name, spellings, families, facts: names.facts(name) };
}

/** Deny and ask rules on the tool itself: by any of its names, by a glob, or by the server in its name or origin. */
export function toolHits(index: RuleIndex, { tool, spellings, families }: Identity): RuleRef[] {
  const hits: RuleRef[] = [];
  if (index.byTool.size > 0)
    for (const name of new Set([...spellings, ...families])) hits.push(...(index.byTool.get(name) ?? []));
  for (const { glob, ref } of index.toolGlobs) if (spellings.some(glob.matches)) hits.push(ref);
  if (index.byServer.size > 0) {
    const names = spellings.flatMap((name) => [...serverNames({ ...tool, name })]);
    for (const name of new Set(names)) hits.push(...(index.byServer.get(name) ?? []));
  }
  return hits;
}

/**
 * Deny and ask rules on a server, or on all names of its tools. They cover every call to that server, even by a tool
 * that the server does not own.
 */
export function serverHits({ byServer, toolGlobs }: RuleIndex, server: string): readonly RuleRef[] {
  if (byServer.size === 0 && toolGlobs.length === 0) return [];
  const names = [...serverNames({ name: `mcp__${server}`, origin: "mcp", server })];
  const globs = toolGlobs.filter(({ glob }) => names.some((name) => glob.matches(`${name}__`)));
  return [...names.flatMap((name) => byServer.get(name) ?? []), ...globs.map(({ ref }) => ref)];
}

/** Deny and ask rules on the tool's input: parameters and skills. */
export function inputHits(index: RuleIndex, { spellings }: Identity, input: unknown): RuleRef[] {
  if (index.parameters.size === 0 && index.skills.size === 0) return [];
  const parameters = spellings.flatMap((name) => index.parameters.get(name) ?? []);
  const skills = spellings.flatMap((name) => index.skills.get(name) ?? []);
  return [
    ...parameters.filter(({ parameter, value }) => matchesScalar(value.matches, fieldOf(input, parameter))),
    ...skills.filter(({ name }) => name.matches(skillOf(input).name)),
  ].map(({ ref }) => ref);
}

/** The allow rule that covers all of the call's own effects, if any. Foreign names and look-alikes open nothing. */
export function toolAllow(index: RuleIndex, { tool, name }: Identity): RuleRef | undefined {
  const named = index.byTool.get(name)?.[0] ?? index.byServer.get(tool.name)?.[0];
  if (named) return named;
  // Only a tool that a server really offers has the server's rights: anybody can choose a name.
  if (tool.server !== undefined) {
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

/** The allow rule for exactly this skill, if the call uses one. */
export function skillAllow(index: RuleIndex, { name }: Identity, input: unknown): RuleRef | undefined {
  const rules = index.skills.get(name);
  if (!rules) return undefined;
  const skill = skillOf(input);
  return rules.find((rule) => rule.name.matches(skill.name) && (rule.anyArguments || !skill.hasArguments))?.ref;
}

/** The rules' names for the server that offers a tool: from its origin, or from its name only if the origin is unknown. */
function serverKeys(tool: PolicyTool): string[] {
  if (tool.server !== undefined) return [...new Set([`mcp__${tool.server}`, `mcp__${wireName(tool.server)}`])];
  const server = /^mcp__.+?(?=__)/.exec(tool.name)?.[0];
  return server === undefined ? [] : [server];
}

/** Every name by which a deny rule could mean the tool's server, or the tool as part of a server. */
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
