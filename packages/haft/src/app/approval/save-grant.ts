import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  type Answer,
  type ApprovalRequest,
  grantOf,
  type LastingScope,
  type PersistGrant,
  type Remembered,
} from "@haft/core/approval";
import { fail } from "@haft/core/tool";
import { withShortFileLock } from "@haft/host";
import type { McpServer } from "@haft/mcp";
import { openServerGrants } from "../mcp/server-grants.ts";
import { localSettingsFile, makeLocalFolder } from "../settings/local-file.ts";
import { isOwn } from "../settings/settings-places.ts";
import { withAllowRules } from "./rule-text.ts";

/** The places of grants. */
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

/** The grant that an answer leaves behind, saved beyond the session if its scope requires it. */
export const saveGrant = (places: GrantPlaces, request: ApprovalRequest, answer: Answer): Promise<Remembered> =>
  grantOf(request, answer, persistFor(places, request));

const persistFor =
  (places: GrantPlaces, request: ApprovalRequest): PersistGrant =>
  async (sources, scope: LastingScope) => {
    const rules = sources.map(({ text }) => text);
    if (scope === "server" || scope === "tool") return keepForServer(places, request, rules);
    const file = scope === "user" ? places.userFile : places.root && localSettingsFile(places.root);
    if (file === undefined) fail("validation_failed", `the ${scope}'s settings are not read here`);
    if (scope === "project") {
      checkOwn(file, places.root!);
      makeLocalFolder(places.root!);
    }
    saveRules(file, rules);
    return file;
  };

function keepForServer(
  { servers, workspaceDir }: GrantPlaces,
  request: ApprovalRequest,
  rules: readonly string[],
): string {
  const name = request.effects.find((effect) => effect.do === "call")?.server;
  const server = servers.find((one) => one.name === name);
  const kept = openServerGrants(workspaceDir);
  if (!server || kept.file === undefined)
    return fail("validation_failed", "no settings define this server, so another one could use its name later");
  kept.add(server, rules);
  return kept.file;
}

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
