import { nearest } from "@haft/core/schema";
import type { Command } from "../../command.ts";
import { UsageError } from "../../exit-code.ts";

const verbs: Readonly<Record<string, () => Promise<Command>>> = {
  add: async () => (await import("./change.ts")).add,
  search: async () => (await import("./registry/search.ts")).search,
  "add-json": async () => (await import("./foreign/add-json.ts")).addJson,
  import: async () => (await import("./foreign/import.ts")).importServers,
  install: async () => (await import("./foreign/install.ts")).install,
  remove: async () => (await import("./change.ts")).remove,
  approve: async () => (await import("./change.ts")).approve,
  forget: async () => (await import("./change.ts")).forget,
  login: async () => (await import("./log-in.ts")).login,
  logout: async () => (await import("./log-in.ts")).logout,
  prompts: async () => (await import("./prompts.ts")).prompts,
  prompt: async () => (await import("./prompts.ts")).prompt,
  list: async () => (await import("./show.ts")).list,
  get: async () => (await import("./show.ts")).get,
  logs: async () => (await import("./show.ts")).logs,
};

/**
 * Runs `haft mcp add`, `list` and the other commands about servers. Returns `undefined` for other
 * arguments, which are for the server.
 *
 * @throws UsageError for a word that resembles one of these commands.
 */
export function mcpServersCommand(args: readonly string[]): Promise<number> | undefined {
  const [verb, ...rest] = args;
  if (verb === undefined || verb.startsWith("-")) return undefined;
  if (Object.hasOwn(verbs, verb)) return verbs[verb]!().then((command) => command(rest));
  const close = nearest(verb, Object.keys(verbs));
  throw new UsageError(
    `There is no "mcp ${verb}".`,
    close ? `Did you mean mcp ${close}?` : `Use ${Object.keys(verbs).join(", ")}; without a word it is the server.`,
  );
}
