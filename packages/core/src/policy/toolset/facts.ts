import type { EffectWord, RuleTraits, specifierKinds } from "../../tool/index.ts";

/** A tool's name, with the older and foreign names that mean the same. */
export interface NamedTool {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly rules?: RuleTraits;
  readonly can?: readonly EffectWord[];
}

/** The facts about a tool for rules and tool lists. */
export interface ToolFacts {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly specifier?: (typeof specifierKinds)[number];
  readonly language?: "powershell";
  readonly family?: string;
  /** With their prefix: `group:fs`. */
  readonly groups?: readonly string[];
  readonly substitutes?: readonly string[];
  /** The input fields that rules may name. Absent: any. */
  readonly fields?: readonly string[];
  /** No tool of this version has the name. Settings that rely on it get a warning. */
  readonly isPlanned?: true;
  /** The fields that `Tool(specifier)` is about. Another spelling could bypass a parameter rule on one of them. */
  readonly subject?: readonly string[];
}

/** Derives the facts of a tool from its definition. */
export function factsOf({ name, aliases, rules = {}, can }: NamedTool): ToolFacts {
  const { groups, family = familyOf(name, can), fields: _, ...rest } = rules;
  return {
    name,
    ...(aliases ? { aliases } : {}),
    ...rest,
    ...(family === undefined ? {} : { family }),
    ...(groups ? { groups: groups.map((group) => `group:${group}`) } : {}),
  };
}

/** As in the documented rule language, a bare `Edit` means every tool that edits files, and a bare `Read` every tool that reads them. */
export function familyOf(name: string, can: readonly EffectWord[] | undefined): string | undefined {
  if (!can?.length || !can.every((word) => word === "read" || word === "write")) return undefined;
  const family = can.includes("write") ? "Edit" : "Read";
  return name === family ? undefined : family;
}
