import { looseName, nearest } from "../schema/nearest.ts";
import { asTool, fail, type Tool, type ToolLike } from "../tool/index.ts";
import { messageOf, origins, ownerOf, type Source } from "./source.ts";

/** A known tool with its owner. */
export interface Entry {
  readonly tool: Tool;
  readonly source: Source;
}

/** A problem with a tool that was added, which does not affect the others. */
export interface Diagnostic {
  readonly tool: string;
  readonly source: Source;
  readonly message: string;
  readonly hint?: string;
}

/** The result of adding tools together. */
export interface Registration {
  readonly added: readonly string[];
  readonly refused: readonly Diagnostic[];
  /** Removes the added tools and restores the ones that they replaced; running calls finish. */
  remove(): void;
}

/**
 * All known tools. Known does not mean offered: a disabled tool stays here, so that it can say why it is absent.
 * Registries share nothing; a process may have many.
 */
export interface Registry {
  /**
   * Adds the tools of one source. A tool whose name or alias is already used is refused with a diagnostic that names
   * both owners, unless the host itself sets `override`. One bad tool does not keep the others out.
   */
  add(source: Source, tools: Iterable<ToolLike>, options?: { readonly override?: boolean }): Registration;
  /** Removes one tool by name. `false` if the name is unknown. */
  remove(name: string): boolean;
  /** Finds a tool by name, else by alias. */
  get(name: string): Entry | undefined;
  /** Every known tool: built-in, discovered, custom, plugin, client, then MCP by server; otherwise in order of registration. */
  entries(): readonly Entry[];
  /** The names of all known tools. The same set object until something changes. */
  names(): ReadonlySet<string>;
  /** The known name that is nearest to a misspelt one. */
  suggest(name: string): string | undefined;
  /** Increases with every change, so that callers know when to rebuild. */
  readonly version: number;
  /** Calls the listener at every change, until the returned function is called. A listener's failure is ignored. */
  watch(listener: () => void): () => void;
}

/** An empty registry. `reserved`: names and aliases of built-in tools that are not loaded; no other source may take them. */
export function createRegistry({ reserved = new Map() }: { readonly reserved?: ReservedNames } = {}): Registry {
  const table = createNameTable();
  let sorted: readonly Entry[] | undefined;
  let names: ReadonlySet<string> | undefined;
  let version = 0;
  const listeners = new Set<() => void>();

  function changed(): void {
    sorted = undefined;
    names = undefined;
    version++;
    table.settle();
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch {
        // A listener must not change what happens.
      }
    }
  }

  return {
    add(source, candidates, { override = false } = {}) {
      const entries: Entry[] = [];
      const refused: Diagnostic[] = [];
      for (const candidate of candidates) {
        try {
          const tool = asTool(candidate);
          const taken = table.clash(tool) ?? (source.origin === "builtin" ? undefined : clashIn(reserved, tool));
          if (taken && !(override && taken.name === tool.name)) {
            refused.push(collision(tool, source, taken.name, taken.owner));
            continue;
          }
          const entry: Entry = { tool, source };
          table.insert(entry);
          entries.push(entry);
        } catch (thrown) {
          refused.push({ tool: String(candidate?.name), source, message: messageOf(thrown) });
        }
      }
      changed();
      return {
        added: entries.map(({ tool }) => tool.name),
        refused,
        remove() {
          if (entries.filter(table.take).length > 0) changed();
        },
      };
    },
    remove(name) {
      const entry = table.lookup(name);
      if (!entry || !table.take(entry)) return false;
      changed();
      return true;
    },
    get: table.lookup,
    entries() {
      sorted ??= table.entries().sort(inOfferOrder);
      return sorted;
    },
    names() {
      names ??= new Set([...table.names(), ...reserved.values()]);
      return names;
    },
    suggest(name) {
      const loose = looseName(name);
      const known = table.names();
      return known.find((one) => looseName(one) === loose) ?? nearest(name, [...known, ...table.aliases()]);
    },
    get version() {
      return version;
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Each name and alias of a tool, with its name. */
type ReservedNames = ReadonlyMap<string, string>;

interface Clash {
  readonly name: string;
  readonly owner: Source;
}

function clashIn(reserved: ReservedNames, { name, aliases = [] }: Tool): Clash | undefined {
  const taken = [name, ...aliases].find((one) => reserved.has(one));
  return taken === undefined ? undefined : { name: taken, owner: { origin: "builtin", name: "haft" } };
}

/** Names and aliases → tools. If a host overrides a tool, the name means the new one; the old one is kept below it. */
interface NameTable {
  lookup(name: string): Entry | undefined;
  /** The tool that already has one of this tool's names. */
  clash(tool: Tool): Clash | undefined;
  insert(entry: Entry): void;
  /** Removes an entry; `false` if it was not there. */
  take(entry: Entry): boolean;
  /** Assigns each alias to the tool that it means now. */
  settle(): void;
  entries(): Entry[];
  names(): readonly string[];
  aliases(): readonly string[];
}

function createNameTable(): NameTable {
  const byName = new Map<string, Entry[]>();
  const byAlias = new Map<string, Entry>();
  const lookup = (name: string): Entry | undefined => byName.get(name)?.at(-1) ?? byAlias.get(name);
  return {
    lookup,
    clash(tool) {
      for (const name of [tool.name, ...(tool.aliases ?? [])]) {
        const entry = lookup(name);
        if (entry) return { name, owner: entry.source };
      }
      return undefined;
    },
    insert(entry) {
      const stack = byName.get(entry.tool.name);
      if (stack) stack.push(entry);
      else byName.set(entry.tool.name, [entry]);
      for (const alias of entry.tool.aliases ?? []) byAlias.set(alias, entry);
    },
    take(entry) {
      const stack = byName.get(entry.tool.name) ?? [];
      const rest = stack.filter((other) => other !== entry);
      if (rest.length > 0) byName.set(entry.tool.name, rest);
      else byName.delete(entry.tool.name);
      return rest.length !== stack.length;
    },
    settle() {
      byAlias.clear();
      for (const stack of byName.values()) {
        const entry = stack.at(-1);
        for (const alias of entry?.tool.aliases ?? []) if (entry) byAlias.set(alias, entry);
      }
    },
    entries: () => [...byName.values()].flatMap((stack) => stack.at(-1) ?? []),
    names: () => [...byName.keys()],
    aliases: () => [...byAlias.keys()],
  };
}

/** The tool of that name, or an error that names the nearest and all others, among those that the caller may know. */
export function getOrFail(registry: Registry, name: string, isOffered: (entry: Entry) => boolean): Entry {
  const entry = registry.get(name);
  if (entry) return entry;
  const nearby = registry.suggest(name);
  const meant = nearby === undefined ? undefined : registry.get(nearby);
  const suggestion = meant && isOffered(meant) ? nearby : undefined;
  const known = registry.entries().flatMap((one) => (isOffered(one) ? [one.tool.name] : []));
  const list = known.length > 40 ? `${known.slice(0, 40).join(", ")} and ${known.length - 40} more` : known.join(", ");
  fail(
    "unknown_tool",
    `There is no tool "${name}".`,
    `${suggestion ? `Did you mean ${registry.get(suggestion)?.tool.name ?? suggestion}? ` : ""}Available: ${list || "none"}.`,
    suggestion === undefined ? {} : { suggestion },
  );
}

/** Array.prototype.sort is stable, so tools of one owner keep the order of registration. */
function inOfferOrder(a: Entry, b: Entry): number {
  const byOrigin = origins.indexOf(a.source.origin) - origins.indexOf(b.source.origin);
  if (byOrigin !== 0 || a.source.origin !== "mcp") return byOrigin;
  return a.source.name < b.source.name ? -1 : a.source.name > b.source.name ? 1 : 0;
}

function collision(tool: Tool, source: Source, name: string, owner: Source): Diagnostic {
  return {
    tool: tool.name,
    source,
    message: `${ownerOf(source)} cannot use the name "${name}": it belongs to ${ownerOf(owner)}.`,
    hint: "Rename the tool or the alias, or let the host register it with { override: true }.",
  };
}
