import { NAME_PATTERN, wireName } from "@haft/core/tool";

/** The name under which a remote tool is offered. Too long or foreign names get a hash, so that no two become one. */
export const toolNameOf = (server: string, tool: string): string => wireName(`mcp__${server}__${tool}`);

/**
 * The other names by which people may know it: without the prefix, and with one underscore in the middle. They are made
 * from what is known of the tool; nobody ever takes such a name apart.
 */
const spellingsOf = (server: string, tool: string): readonly string[] =>
  [`${server}__${tool}`, `mcp__${server}_${tool}`].filter((name) => NAME_PATTERN.test(name));

/** Who may be meant by which spelling. One that could mean two tools means none. */
export interface Spellings {
  /** The tools of a server as they are now. Returns the other servers whose spellings have changed by that. */
  set(server: string, tools: readonly string[]): readonly string[];
  /** The spellings that mean just this tool. `isTaken` tells of names that others bear. */
  of(server: string, tool: string, isTaken: (name: string) => boolean): readonly string[];
}

/** Keeps the spellings of all servers. */
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
