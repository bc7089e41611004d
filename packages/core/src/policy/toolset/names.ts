import { looseName, nearest } from "../../schema/nearest.ts";
import { BUILTIN_TOOLS } from "./builtin-tools.ts";
import { factsOf, type NamedTool, type ToolFacts } from "./facts.ts";
import { PLANNED_TOOLS } from "./planned-tools.ts";

/** The known tools, so that lists and rules can be checked and every spelling means one tool. */
export interface ToolNames {
  /** The canonical name for any spelling; `undefined` for an unknown name. */
  canonical(name: string): string | undefined;
  /** Canonical names, in the order in which they were added. */
  readonly all: readonly string[];
  /** The other names of a tool. Empty for an unknown tool. */
  aliases(canonical: string): readonly string[];
  /** The facts about a tool for rules and lists. */
  facts(canonical: string): ToolFacts | undefined;
  /** The members of each group, by its full name: `group:fs`. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** The known name or alias that is closest to a misspelt one. */
  nearest(name: string): string | undefined;
}

/** Limit of cached spellings: names may also come from models. */
const MOST_ASKED = 1_000;

/** Collects names. The first tool that claims a spelling keeps it; the registry refuses clashes. */
export function createToolNames(tools: Iterable<ToolFacts>): ToolNames {
  const byName = new Map<string, ToolFacts>();
  const bySpelling = new Map<string, string>();
  const groups = new Map<string, string[]>();
  const claim = (spelling: string, name: string) => {
    if (!bySpelling.has(spelling)) bySpelling.set(spelling, name);
  };
  for (const tool of tools) {
    const first = byName.get(tool.name);
    if (!first) for (const group of tool.groups ?? []) groups.set(group, [...(groups.get(group) ?? []), tool.name]);
    // A host's tool with a known name adds its aliases and marks the name as existing. It changes nothing else.
    const { isPlanned, ...known } = first ?? tool;
    const aliases = first ? { aliases: [...(first.aliases ?? []), ...(tool.aliases ?? [])] } : {};
    byName.set(tool.name, { ...known, ...aliases, ...(isPlanned && tool.isPlanned ? { isPlanned } : {}) });
  }
  const list = [...byName.values()];
  // Names before aliases, exact before loose: an alias never takes a name away from the tool that has it.
  for (const { name } of list) claim(foldName(name), name);
  for (const { name, aliases = [] } of list) for (const alias of aliases) claim(foldName(alias), name);
  for (const { name, aliases = [] } of list) for (const word of [name, ...aliases]) claim(looseName(word), name);
  /** Every call asks for its tool's name several times, and always in the same few spellings. */
  const asked = new Map<string, string | undefined>();
  function canonical(name: string): string | undefined {
    if (asked.has(name)) return asked.get(name);
    const found = bySpelling.get(foldName(name)) ?? bySpelling.get(looseName(name));
    if (asked.size < MOST_ASKED) asked.set(name, found);
    return found;
  }
  return {
    canonical,
    all: [...byName.keys()],
    aliases: (name) => byName.get(name)?.aliases ?? [],
    facts: (name) => byName.get(name),
    groups,
    nearest: (name) =>
      nearest(
        name,
        list.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])]),
      ),
  };
}

const shipped: readonly ToolFacts[] = [
  ...BUILTIN_TOOLS,
  ...PLANNED_TOOLS.map((tool) => ({ ...tool, isPlanned: true as const })),
];

/** The names of Haft's own tools. */
export const builtinToolNames: ToolNames = /* @__PURE__ */ createToolNames(shipped);

/** The built-in names together with those of a host's other tools. Without any, all sessions share one object. */
export function withBuiltinNames(tools: Iterable<NamedTool>): ToolNames {
  const own = Array.from(tools, factsOf);
  return own.length === 0 ? builtinToolNames : createToolNames([...shipped, ...own]);
}

/**
 * The canonical name for any spelling: spaces around it, case, `-` or `_`, an older or foreign name. An unknown name is
 * returned trimmed and otherwise unchanged.
 */
export function normalizeToolName(name: string, names: ToolNames = builtinToolNames): string {
  return names.canonical(name) ?? name.trim();
}

/**
 * The form for comparing two names: trimmed, lower case, `-` as `_`. Unlike `looseName` it keeps the separators,
 * because `mcp__git__hub_x` and `mcp__git_hub__x` belong to different servers.
 */
export function foldName(name: string): string {
  return name.trim().toLowerCase().replaceAll("-", "_");
}
