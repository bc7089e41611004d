import type { EffectWord, RuleTraits, specifierKinds } from "../../tool/index.ts";

/** A name by which a tool is called, with the older and foreign names that mean the same. */
export interface NamedTool {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly rules?: RuleTraits;
  readonly can?: readonly EffectWord[];
}

/** What rules and tool lists know of a tool. */
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
  /** No tool of this version bears the name: settings that count on it are told so. */
  readonly isPlanned?: true;
  /** The fields that `Tool(specifier)` is about: a parameter rule on one would be passed by another spelling. */
  readonly subject?: readonly string[];
}

/** The facts of a tool, from what it says of itself. */
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

/** As in the documented rule language, a bare `Edit` means every tool that edits files and a bare `Read` every one that reads them. */
export function familyOf(name: string, can: readonly EffectWord[] | undefined): string | undefined {
  if (!can?.length || !can.every((word) => word === "read" || word === "write")) return undefined;
  const family = can.includes("write") ? "Edit" : "Read";
  return name === family ? undefined : family;
}
