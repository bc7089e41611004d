import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Answer,
  type ApprovalRequest,
  grantOf,
  type LastingScope,
  type PersistGrant,
  type Remembered,
} from "@haft/core/approval";
import type { RuleSource } from "@haft/core/policy";
import { fail } from "@haft/core/tool";
import { withShortFileLock } from "@haft/host";
import type { McpServer } from "@haft/mcp";
import { openStateFile } from "@haft/service";
import { openServerGrants } from "../mcp/server-grants.ts";
import { localSettingsFile, makeLocalFolder } from "../settings/local-file.ts";
import { isOwn } from "../settings/settings-places.ts";
import { withAllowRules } from "./rule-text.ts";

export interface GrantPlaces {
  /** The project's folder. `undefined`: its settings are not read, so nothing is saved there either. */
  readonly root: string | undefined;
  /** The user's settings file. `undefined`: it is not read. */
  readonly userFile: string | undefined;
  /** The session's own folder. Its grants apply again when it is resumed. */
  readonly sessionDir: string | undefined;
  /** The workspace's folder in the user's state. */
  readonly workspaceDir: string | undefined;
  /** The MCP servers as they are configured now. */
  readonly servers: readonly McpServer[];
}

/** Grants beyond one call. */
export interface Grants {
  /** Earlier allow rules: from this session before a restart, and for MCP servers with unchanged configuration. */
  readonly rules: readonly RuleSource[];
  /** Stores the grant of an answer, if its scope requires it. */
  remember(request: ApprovalRequest, answer: Answer): Promise<Remembered>;
}

/** Opens the grants of a session. */
export function openGrants(places: GrantPlaces): Grants {
  const { sessionDir, workspaceDir, servers } = places;
  const ofSession = openStateFile<readonly string[]>(sessionDir && join(sessionDir, "grants.json"));
  const ofServers = openServerGrants(workspaceDir);

  function keepForServer(request: ApprovalRequest, rules: readonly string[]): string {
    const name = request.effects.find((effect) => effect.do === "call")?.server;
    const server = servers.find((one) => one.name === name);
    if (!server || ofServers.file === undefined)
      return fail("validation_failed", "no settings define this server, so another one could use its name later");
    ofServers.add(server, rules);
    return ofServers.file;
  }

  const persistFor =
    (request: ApprovalRequest): PersistGrant =>
    async (sources, scope: LastingScope) => {
      const rules = sources.map(({ text }) => text);
      if (scope === "server" || scope === "tool") return keepForServer(request, rules);
      const file = scope === "user" ? places.userFile : places.root && localSettingsFile(places.root);
      if (file === undefined) fail("validation_failed", `the ${scope}'s settings are not read here`);
      if (scope === "project") {
        checkOwn(file, places.root!);
        makeLocalFolder(places.root!);
      }
      saveRules(file, rules);
      return file;
    };

  return {
    get rules() {
      const lasting = servers.flatMap(ofServers.of).map((text) => allowed(text, ofServers.file));
      return [...(ofSession.get(RULES) ?? []).map((text) => allowed(text)), ...lasting];
    },
    async remember(request, answer) {
      const kept = await grantOf(request, answer, persistFor(request));
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

/** A local file that came with the repository counts as the project's, so rules saved there would not count. */
function checkOwn(file: string, root: string): void {
  const folder = lstatSync(dirname(file), { throwIfNoEntry: false });
  if (folder?.isSymbolicLink() || !isOwn(file, root))
    fail("protected_path", `${file} is under version control or behind a link, so its rules may not be the user's own`);
}

/** Adds allow rules to a settings file, which keeps its other content. A reader sees the old file or the new one. */
function saveRules(file: string, rules: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true });
  const existing = statSync(file, { throwIfNoEntry: false });
  const target = existing ? realpathSync(file) : file;
  // Another session may be adding rules at the same time: neither may be lost.
  withShortFileLock(`${target}.change`, () => {
    const now = statSync(target, { throwIfNoEntry: false });
    const text = withAllowRules(now ? readFileSync(target, "utf8") : "", rules);
    const draft = `${target}.${process.pid}.new`;
    writeFileSync(draft, text, { mode: now ? now.mode & 0o777 : 0o600 });
    renameSync(draft, target);
  });
}
