import { createHash } from "node:crypto";
import type { McpServer } from "@haft/mcp";

/**
 * A fingerprint of a server's program or address, its confinement and the user's login there. A server with another
 * fingerprint is another server, whatever its name, also if it only leaves its sandbox.
 */
export function serverDigest({ command, args, env, cwd, url, headers, type, sandbox, oauth }: McpServer): string {
  return createHash("sha256")
    .update(
      JSON.stringify([command, args ?? [], env ?? {}, cwd, url, headers ?? {}, type, sandbox === true, oauth ?? {}]),
    )
    .digest("hex");
}
