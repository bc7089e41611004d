import { join } from "node:path";
import type { Answer, ApprovalRequest, Remembered } from "@haft/core/approval";
import type { RuleSource } from "@haft/core/policy";
import { openStateFile } from "@haft/service";
import type { GrantPlaces } from "./save-grant.ts";

/** Grants beyond one call. */
export interface Grants {
  /** Earlier allow rules: from this session before a restart, and for MCP servers with unchanged configuration. */
  readonly rules: readonly RuleSource[];
  /** Stores the grant of an answer, if its scope requires it. */
  remember(request: ApprovalRequest, answer: Answer): Promise<Remembered>;
}

/** Opens the grants of a session. */
export async function openGrants(places: GrantPlaces): Promise<Grants> {
  const { sessionDir, workspaceDir, servers } = places;
  const ofSession = openStateFile<readonly string[]>(sessionDir && join(sessionDir, "grants.json"));
  const ofServers =
    servers.length === 0 ? undefined : (await import("../mcp/server-grants.ts")).openServerGrants(workspaceDir);

  return {
    get rules() {
      const lasting = ofServers ? servers.flatMap(ofServers.of).map((text) => allowed(text, ofServers.file)) : [];
      return [...(ofSession.get(RULES) ?? []).map((text) => allowed(text)), ...lasting];
    },
    async remember(request, answer) {
      const kept = await (await import("./save-grant.ts")).saveGrant(places, request, answer);
      // Rules that could not be saved for longer still hold for the session.
      const rules = kept.saved ? [] : kept.rules.map(({ text }) => text);
      if (rules.length > 0) ofSession.update(RULES, (now = []) => [...new Set([...now, ...rules])]);
      return kept;
    },
  };
}

const RULES = "rules";

const allowed = (text: string, file?: string): RuleSource => ({
  ...{ behavior: "allow", origin: "session", text },
  ...(file === undefined ? {} : { file }),
});
