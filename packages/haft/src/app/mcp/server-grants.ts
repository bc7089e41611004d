import { join } from "node:path";
import type { McpServer } from "@haft/mcp";
import { openStateFile } from "@haft/service";
import { serverDigest } from "./server-digest.ts";

/** Grants for one tool or all tools of a server, bound to the server as it was configured then. */
export interface ServerGrants {
  /** The file that stores them; absent: they are not stored. */
  readonly file: string | undefined;
  /** Allow rules; none for a server whose configuration has changed. */
  of(server: McpServer): readonly string[];
  add(server: McpServer, rules: readonly string[]): void;
  /** Deletes the grants of a server, so that it asks again. Returns the deleted rules, empty if there were none. */
  forget(name: string): readonly string[];
}

interface ServerGrant {
  readonly digest: string;
  readonly rules: readonly string[];
}

/** Opens the grants of a workspace, stored in its folder in the user's state. */
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
