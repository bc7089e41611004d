import { existsSync, mkdirSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { McpServerSettings } from "@haft/core/policy";
import { textOfFile } from "@haft/host/whole-file";
import { localSettingsFile } from "../../../app/settings/local-file.ts";
import { MCP_JSON, userSettingsFile } from "../../../app/settings/settings-places.ts";
import { UsageError } from "../../exit-code.ts";

/** The scopes of a server's configuration. */
export const scopes = ["local", "project", "user"] as const;

/** Maximum bytes; a larger file is not a list of servers. */
const MOST_BYTES = 4_000_000;

export type Scope = (typeof scopes)[number];

/** The file of a scope: the user's own for this project, the shared one of the project, or the user's global one. */
export function scopeFile(scope: Scope, at: { readonly root: string; readonly home: string }): string {
  if (scope === "project") return join(at.root, MCP_JSON);
  if (scope === "local") return localSettingsFile(at.root);
  return userSettingsFile(at.home);
}

/** Whether a file names a server. A missing file names none. */
export const namesServer = (file: string, name: string): boolean => Object.hasOwn(read(file).mcpServers ?? {}, name);

/** Adds a server to a file and keeps its other content. */
export function putServer(file: string, name: string, server: McpServerSettings): void {
  const settings = read(file, { name, server });
  write(file, { ...settings, mcpServers: { ...settings.mcpServers, [name]: server } });
}

/** Removes a server from a file. */
export function dropServer(file: string, name: string): void {
  const settings = read(file);
  const { [name]: _gone, ...rest } = settings.mcpServers ?? {};
  write(file, { ...settings, mcpServers: rest });
}

interface File {
  readonly mcpServers?: Readonly<Record<string, unknown>>;
}

/** Rewrites only plain JSON: otherwise a person's comments and layout would be lost. */
function read(file: string, wanted?: { readonly name: string; readonly server: McpServerSettings }): File {
  const text = contentOf(file);
  if (text === undefined) return {};
  let value: unknown;
  try {
    // Ignore the byte order mark that some editors write.
    value = JSON.parse(text.replace(/^\u{feff}/u, ""));
  } catch {
    const entry = wanted && JSON.stringify({ [wanted.name]: wanted.server }, null, 2).slice(2, -2);
    throw new UsageError(
      `${file} is not plain JSON (comments?), and rewriting it would lose them.`,
      entry === undefined ? 'Edit "mcpServers" in it by hand.' : `Add this to "mcpServers" in it by hand:\n${entry}`,
    );
  }
  if (isRecord(value) && isRecord(value.mcpServers ?? {})) return value as File;
  throw new UsageError(
    `${file} does not map names to servers. It was not changed.`,
    'Write {"mcpServers": {}} into it.',
  );
}

function contentOf(file: string): string | undefined {
  try {
    return textOfFile(file, MOST_BYTES);
  } catch (thrown) {
    throw new UsageError(`${file}: ${(thrown as Error).message}.`, "Replace it with a readable file, or remove it.");
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Replaces a project's file that is a link. A link to the user's own settings stays. */
function write(named: string, settings: File): void {
  const file = basename(named) === "settings.json" && existsSync(named) ? realpathSync(named) : named;
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.new`;
  // A file that only the user reads may hold a secret; an existing file keeps its mode.
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? (basename(file) === MCP_JSON ? 0o644 : 0o600);
  writeFileSync(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode: mode & 0o777 });
  renameSync(draft, file);
}
