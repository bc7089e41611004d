import { NAME_PATTERN, wireName } from "@haft/core/tool";

/** The name under which a remote tool is offered. Names that are too long or have other characters get a hash, so that no two become
 * one. */
export const toolNameOf = (server: string, tool: string): string => wireName(`mcp__${server}__${tool}`);

/**
 * Other names by which people may know it: without the prefix, and with one underscore in the middle. They are built from the known parts
 * of the tool; such a name is never parsed.
 */
const spellingsOf = (server: string, tool: string): readonly string[] =>
  [`${server}__${tool}`, `mcp__${server}_${tool}`].filter((name) => NAME_PATTERN.test(name));

/** Maps spellings to tools. A spelling that could mean two tools means none. */
export interface Spellings {
  /** Sets the current tools of a server. Returns the other servers whose spellings changed by that. */
  set(server: string, tools: readonly string[]): readonly string[];
  /** The spellings that mean just this tool. `isTaken` says which names are in use. */
  of(server: string, tool: string, isTaken: (name: string) => boolean): readonly string[];
}

/** Stores the spellings of all servers. */
export function createSpellings(): Spellings {
  const byServer = new Map<string, readonly string[]>();
  const owners = new Map<string, Set<string>>();
  const nameOf = (server: string, tool: string): string => JSON.stringify([server, tool]);

  return {
    set(server, tools) {
      const touched = new Set<string>();
      const change = (tool: string, edit: (set: Set<string>) => void): void => {
        for (const spelling of spellingsOf(server, tool)) {
          const set = owners.get(spelling) ?? new Set();
          for (const owner of set) touched.add((JSON.parse(owner) as [string, string])[0]);
          edit(set);
          if (set.size > 0) owners.set(spelling, set);
          else owners.delete(spelling);
        }
      };
      const before = new Set(byServer.get(server));
      const after = new Set(tools);
      for (const tool of before) if (!after.has(tool)) change(tool, (set) => set.delete(nameOf(server, tool)));
      for (const tool of after) if (!before.has(tool)) change(tool, (set) => set.add(nameOf(server, tool)));
      if (tools.length > 0) byServer.set(server, tools);
      else byServer.delete(server);
      touched.delete(server);
      return [...touched];
    },
    of: (server, tool, isTaken) =>
      spellingsOf(server, tool).filter((spelling) => owners.get(spelling)?.size === 1 && !isTaken(spelling)),
  };
}
