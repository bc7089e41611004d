import { existsSync, mkdirSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { McpServerSettings } from "@haft/core/policy";
import { textOfFile } from "@haft/tools";
import { MCP_JSON } from "../../../app/mcp/mcp-json.ts";
import { localSettingsFile } from "../../../app/settings/local-file.ts";
import { userSettingsFile } from "../../../app/settings/settings-files.ts";
import { UsageError } from "../../exit-code.ts";

/** Where a server may be written down. */
export const scopes = ["local", "project", "user"] as const;

/** More is no list of servers. */
const MOST_BYTES = 4_000_000;

export type Scope = (typeof scopes)[number];

/** The file of a scope: the user's own for this project, the one that is shared with it, the user's for everything. */
export function scopeFile(scope: Scope, at: { readonly root: string; readonly home: string }): string {
  if (scope === "project") return join(at.root, MCP_JSON);
  if (scope === "local") return localSettingsFile(at.root);
  return userSettingsFile(at.home);
}

/** Whether a file names a server. A file that is not there names none. */
export const namesServer = (file: string, name: string): boolean => Object.hasOwn(read(file).mcpServers ?? {}, name);

/** Writes a server into a file, beside what is there. */
export function putServer(file: string, name: string, server: McpServerSettings): void {
  const settings = read(file, { name, server });
  write(file, { ...settings, mcpServers: { ...settings.mcpServers, [name]: server } });
}

/** Takes a server out of a file. */
export function dropServer(file: string, name: string): void {
  const settings = read(file);
  const { [name]: _gone, ...rest } = settings.mcpServers ?? {};
  write(file, { ...settings, mcpServers: rest });
}

interface File {
  readonly mcpServers?: Readonly<Record<string, unknown>>;
}

/** Only plain JSON is rewritten: comments and layout that a person made would be lost. */
function read(file: string, wanted?: { readonly name: string; readonly server: McpServerSettings }): File {
  const text = contentOf(file);
  if (text === undefined) return {};
  let value: unknown;
  try {
    // Editors that begin a file with a byte order mark mean nothing by it.
    value = JSON.parse(text.replace(/^\u{feff}/u, ""));
  } catch {
    const entry = wanted && JSON.stringify({ [wanted.name]: wanted.server }, null, 2).slice(2, -2);
    throw new UsageError(
      `${file} is not plain JSON (comments?), and rewriting it would lose them.`,
      entry === undefined ? 'Edit "mcpServers" in it by hand.' : `Add this to "mcpServers" in it by hand:\n${entry}`,
    );
  }
  if (isRecord(value) && isRecord(value.mcpServers ?? {})) return value as File;
  throw new UsageError(`${file} holds no servers by name, and is left as it is.`, 'Write {"mcpServers": {}} into it.');
}

function contentOf(file: string): string | undefined {
  try {
    return textOfFile(file, MOST_BYTES);
  } catch (thrown) {
    throw new UsageError(
      `${file}: ${(thrown as Error).message}.`,
      "Put a file that can be read in its place, or remove it.",
    );
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A project's file that is a link is replaced; where the user keeps their own settings behind one, it stays. */
function write(named: string, settings: File): void {
  const file = basename(named) === "settings.json" && existsSync(named) ? realpathSync(named) : named;
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.new`;
  // What the user alone reads may hold a secret; a file that is there keeps its mode.
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? (basename(file) === MCP_JSON ? 0o644 : 0o600);
  writeFileSync(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode: mode & 0o777 });
  renameSync(draft, file);
}
