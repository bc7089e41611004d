import { join } from "node:path";
import { type McpServer, openStateFile } from "@haft/tools";
import { serverDigest } from "./consent.ts";

/** What people have granted for all tools of a server or one of them: for exactly the server that was configured then. */
export interface ServerGrants {
  /** Where they are kept; absent: they are not. */
  readonly file: string | undefined;
  /** Allow rules; none for a server that is another one now. */
  of(server: McpServer): readonly string[];
  add(server: McpServer, rules: readonly string[]): void;
  /** Asks again from now on. What was forgotten, empty when there was nothing. */
  forget(name: string): readonly string[];
}

interface ServerGrant {
  readonly digest: string;
  readonly rules: readonly string[];
}

/** Opens the grants of a workspace by its folder in the user's state. */
export function openServerGrants(workspaceDir: string | undefined): ServerGrants {
  const file = workspaceDir && join(workspaceDir, "mcp-grants.json");
  const kept = openStateFile<ServerGrant>(file);
  const rulesFor = (server: McpServer, grant: ServerGrant | undefined): readonly string[] =>
    grant?.digest === serverDigest(server) ? grant.rules : [];
  return {
    file,
    of: (server) => rulesFor(server, kept.get(server.name)),
    add: (server, rules) =>
      kept.update(server.name, (now) => ({
        digest: serverDigest(server),
        rules: [...new Set([...rulesFor(server, now), ...rules])],
      })),
    forget(name) {
      const rules = kept.get(name)?.rules ?? [];
      kept.delete(name);
      return rules;
    },
  };
}
