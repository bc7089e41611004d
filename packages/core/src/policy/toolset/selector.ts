import { wireName } from "../../tool/index.ts";
import type { PolicyTool } from "../decision.ts";
import { globMatches, groupKey, isGlob, isMcpName, ORIGIN_GROUPS } from "./groups.ts";
import { foldName, type ToolNames } from "./names.ts";

/** A compiled list. Returns the entry that selects the tool and, for a deny, the reason. */
export interface Selector {
  select(tool: PolicyTool): { readonly entry: string; readonly because?: string } | undefined;
}

type Test = (tool: PolicyTool) => boolean;

/**
 * An allow list selects a tool by its own name and, for MCP, by the server that really offers it. A tool that merely
 * calls itself `mcp__github__x` does not belong to that server, and a foreign tool's alias opens nothing.
 */
export function allowSelector(list: readonly string[], names: ToolNames): Selector {
  return selectorOf(list.map((entry) => [entry, allowTest(entry, names)]));
}

/** A deny list selects a tool by any of its spellings, and also selects its substitutes. */
export function denySelector(list: readonly string[], names: ToolNames): Selector {
  const direct = list.map((entry): [string, Test] => [entry, denyTest(entry, names)]);
  const plain = selectorOf(direct);
  return {
    select(tool) {
      const hit = plain.select(tool);
      if (hit) return hit;
      for (const name of names.facts(names.canonical(tool.name) ?? tool.name)?.substitutes ?? []) {
        const denied = plain.select({ name, aliases: names.aliases(name), origin: "builtin" });
        if (denied) return { ...denied, because: `${tool.name} covers everything that ${name} does` };
      }
      return undefined;
    },
  };
}

function selectorOf(tests: readonly (readonly [string, Test])[]): Selector {
  return {
    select(tool) {
      const hit = tests.find(([, test]) => test(tool));
      return hit && { entry: hit[0] };
    },
  };
}

function allowTest(entry: string, names: ToolNames): Test {
  const known = new Set(names.all);
  const identity = (tool: PolicyTool) => identityOf(tool, names, known);
  const group = groupKey(entry, names);
  if (group) return groupTest(group, names, identity);
  const key = foldName(entry);
  const nameOf = (tool: PolicyTool) => foldName(identity(tool));
  if (isMcpName(entry)) return (tool) => tool.origin === "mcp" && mcpMatches(key, tool, true);
  if (!isGlob(entry)) {
    const wanted = foldName(names.canonical(entry) ?? entry);
    return (tool) => nameOf(tool) === wanted;
  }
  // A glob matches canonical names. It matches older names only if it would otherwise match nothing (`web_*`).
  const isCanonical = names.all.some((name) => globMatches(key, foldName(name)));
  if (isCanonical) return (tool) => globMatches(key, nameOf(tool));
  return (tool) => [tool.name, ...names.aliases(identity(tool))].some((word) => globMatches(key, foldName(word)));
}

function denyTest(entry: string, names: ToolNames): Test {
  const group = groupKey(entry, names);
  if (group) return groupTest(group, names, (tool) => names.canonical(tool.name) ?? tool.name);
  const key = foldName(entry);
  const wanted = isGlob(entry) ? undefined : names.canonical(entry);
  return (tool) =>
    (wanted !== undefined && names.canonical(tool.name) === wanted) ||
    spellings(tool, names).some((word) => globMatches(key, word)) ||
    mcpMatches(key, tool, false);
}

function groupTest(group: string, names: ToolNames, identity: (tool: PolicyTool) => string): Test {
  const members = new Set(names.groups.get(group));
  const origins = Object.hasOwn(ORIGIN_GROUPS, group) ? (ORIGIN_GROUPS[group] ?? []) : [];
  return (tool) => origins.includes(tool.origin) || members.has(identity(tool));
}

/**
 * The known tool that an allow list may select. A tool from elsewhere whose name only resembles a known one (`e_dit`)
 * stays itself.
 */
function identityOf(tool: PolicyTool, names: ToolNames, known: ReadonlySet<string>): string {
  if (known.has(tool.name) || tool.origin !== "builtin") return tool.name;
  return names.canonical(tool.name) ?? tool.name;
}

/** Every spelling of a tool, folded. */
function spellings(tool: PolicyTool, names: ToolNames): string[] {
  const canonical = names.canonical(tool.name);
  return [tool.name, ...(tool.aliases ?? []), ...(canonical ? [canonical, ...names.aliases(canonical)] : [])].map(
    foldName,
  );
}

/**
 * Whether `mcp__server`, `mcp__server__tool` or a glob of either means the tool. `exact` trusts only the server that
 * the tool came from; otherwise its name counts as well.
 */
function mcpMatches(key: string, tool: PolicyTool, exact: boolean): boolean {
  const name = foldName(tool.name);
  const server = tool.server === undefined ? undefined : `mcp__${foldName(wireName(tool.server))}`;
  if (!exact || server === undefined) return globMatches(key, name) || name.startsWith(`${key}__`);
  if (server === key) return true;
  return key.startsWith(`${server}__`) || isGlob(key) ? globMatches(key, name) : false;
}
