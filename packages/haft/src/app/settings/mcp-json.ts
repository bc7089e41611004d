import { join } from "node:path";
import type { McpServerSettings, SettingsProblem } from "@haft/core/policy";
import { NotRead, textOfFile } from "@haft/host/whole-file";
import JSON5 from "json5";
import { MCP_JSON } from "./settings-places.ts";

/** A larger file is not a list of servers, and would take too long to read. */
const MOST_BYTES = 4_000_000;

/** The contents of a `.mcp.json`. Other programs use it too, so its mistakes are reported but stop nothing. */
export interface McpJson {
  readonly file: string;
  readonly servers: Readonly<Record<string, McpServerSettings>>;
  readonly problems: readonly SettingsProblem[];
}

/** Reads the `.mcp.json` of a folder; `undefined` if there is none. Ignores unknown keys. */
export function readMcpJson(root: string): McpJson | undefined {
  const file = join(root, MCP_JSON);
  const problem = (path: readonly string[], message: string, cure: string): SettingsProblem => ({
    severity: "warning",
    file,
    path,
    message,
    cure,
  });
  const unread = (message: string): McpJson => ({
    file,
    servers: {},
    problems: [problem([], message, "Correct it; its servers are left out until then.")],
  });
  let value: unknown;
  try {
    const text = textOfFile(file, MOST_BYTES);
    if (text === undefined) return undefined;
    value = JSON5.parse(text);
  } catch (thrown) {
    if (thrown instanceof NotRead) return unread(`${thrown.message}.`);
    return unread(`The file cannot be read: ${(thrown as Error).message}.`);
  }
  const listed = (value as { readonly mcpServers?: unknown } | null)?.mcpServers;
  if (!isRecord(listed))
    return { file, servers: {}, problems: [problem([], 'It has no "mcpServers".', 'Write {"mcpServers": {}}.')] };
  const servers: Record<string, McpServerSettings> = {};
  const problems: SettingsProblem[] = [];
  for (const [name, entry] of Object.entries(listed)) {
    const server = serverIn(entry);
    if (server) servers[name] = server;
    if (server?.command !== undefined && isRecord(entry) && entry.url !== undefined)
      problems.push(
        problem(
          ["mcpServers", name],
          `The MCP server "${name}" has a command and a url; the command counts.`,
          "Remove the one you do not mean.",
        ),
      );
    if (!server)
      problems.push(
        problem(
          ["mcpServers", name],
          `The MCP server "${name}" has no valid command or url.`,
          'Write {"command": "...", "args": []} or {"url": "https://..."}.',
        ),
      );
  }
  return { file, servers, problems };
}

/** One entry of a list of servers as most programs write it. `undefined` if it has neither a command nor a url. */
export function serverIn(entry: unknown): McpServerSettings | undefined {
  if (!isRecord(entry)) return undefined;
  const { command, args, cwd, url, type, disabled, enabled } = entry;
  const env = textsIn(entry.env);
  const headers = textsIn(entry.headers);
  const common = {
    enabled: enabled !== false && disabled !== true,
    ...countsIn(entry, "timeoutMs", "startTimeoutMs", "callTimeoutMs"),
    ...listsIn(entry, "allowedTools", "disabledTools"),
    ...(entry.sandbox === true ? { sandbox: true } : {}),
    ...oauthIn(entry.oauth),
  };
  if (typeof command === "string" && command !== "") {
    if (args !== undefined && !(Array.isArray(args) && args.every((arg) => typeof arg === "string"))) return undefined;
    if (entry.env !== undefined && !env) return undefined;
    return {
      ...common,
      command,
      args: (args as string[] | undefined) ?? [],
      ...(env ? { env } : {}),
      ...(typeof cwd === "string" ? { cwd } : {}),
    };
  }
  if (typeof url !== "string" || url === "" || (entry.headers !== undefined && !headers)) return undefined;
  return { ...common, type: type === "sse" ? "sse" : "http", url, ...(headers ? { headers } : {}) };
}

const countsIn = <K extends string>(entry: Entry, ...keys: readonly K[]): Partial<Record<K, number>> =>
  pick(entry, keys, (value): value is number => Number.isInteger(value) && (value as number) > 0);

const listsIn = <K extends string>(entry: Entry, ...keys: readonly K[]): Partial<Record<K, readonly string[]>> =>
  pick(entry, keys, (value): value is readonly string[] => Array.isArray(value) && value.every(isText));

/** Reads fields that other programs write too. A shared file must not contain a secret. */
function oauthIn(value: unknown): Pick<McpServerSettings, "oauth"> {
  if (!isRecord(value)) return {};
  const texts = pick(value, ["clientId", "clientMetadataUrl", "issuer", "scope"] as const, isText);
  return { oauth: { ...texts, ...countsIn(value, "callbackPort") } };
}

type Entry = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const pick = <K extends string, T>(
  entry: Entry,
  keys: readonly K[],
  fits: (value: unknown) => value is T,
): Partial<Record<K, T>> =>
  Object.fromEntries(keys.flatMap((key) => (fits(entry[key]) ? [[key, entry[key]]] : []))) as Partial<Record<K, T>>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function textsIn(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isRecord(value) || !Object.values(value).every((item) => typeof item === "string")) return undefined;
  return value as Record<string, string>;
}
