import { join } from "node:path";
import type { McpServerSettings } from "@haft/core/policy";
import { serverIn } from "../../../../app/settings/mcp-json.ts";

type Raw = Readonly<Record<string, unknown>>;

/** The file and the format in which another program lists its MCP servers. */
export interface ForeignConfig {
  /** The user's files, the first that exists counts. */
  home(home: string): readonly string[];
  /** The project's files. */
  project(root: string): readonly string[];
  /** The keys that lead to the list. */
  readonly at: readonly string[];
  readonly format: "json" | "toml";
  /** One entry as Haft's settings write it, or `undefined` if it does not name a server. */
  read(entry: Raw): McpServerSettings | undefined;
  /** An entry that starts a program. */
  write(command: string, args: readonly string[]): object;
}

const none = (): readonly string[] => [];
const plain = {
  at: ["mcpServers"],
  format: "json",
  read: serverIn,
  write: (command: string, args: readonly string[]) => ({ command, args }),
} as const satisfies Partial<ForeignConfig>;

/** The folder in which desktop programs keep their settings. */
function appFolder(home: string, name: string): string {
  if (process.platform === "darwin") return join(home, "Library/Application Support", name);
  if (process.platform === "win32") return join(process.env.APPDATA ?? join(home, "AppData/Roaming"), name);
  return join(home, ".config", name);
}

/** The programs whose lists can be read and written. */
export const FOREIGN_CONFIGS: Readonly<Record<string, ForeignConfig>> = {
  claude: {
    ...plain,
    home: (home) => [join(home, ".claude.json")],
    project: (root) => [join(root, ".mcp.json")],
    write: (command, args) => ({ type: "stdio", command, args }),
  },
  "claude-desktop": {
    ...plain,
    home: (home) => [join(appFolder(home, "Claude"), "claude_desktop_config.json")],
    project: none,
  },
  cursor: {
    ...plain,
    home: (home) => [join(home, ".cursor/mcp.json")],
    project: (root) => [join(root, ".cursor/mcp.json")],
  },
  vscode: {
    ...plain,
    at: ["servers"],
    home: (home) => [join(appFolder(home, "Code"), "User/mcp.json")],
    project: (root) => [join(root, ".vscode/mcp.json")],
    write: (command, args) => ({ type: "stdio", command, args }),
  },
  gemini: {
    ...plain,
    home: (home) => [join(home, ".gemini/settings.json")],
    project: (root) => [join(root, ".gemini/settings.json")],
    read: ({ httpUrl, timeout, includeTools, excludeTools, ...entry }) =>
      serverIn({
        ...entry,
        // Its `url` means the older transport.
        ...(httpUrl === undefined ? { type: "sse" } : { url: httpUrl }),
        ...{ timeoutMs: timeout, allowedTools: includeTools, disabledTools: excludeTools },
      }),
  },
  opencode: {
    ...plain,
    at: ["mcp"],
    home: (home) => ["opencode.json", "opencode.jsonc"].map((name) => join(home, ".config/opencode", name)),
    project: (root) => ["opencode.json", "opencode.jsonc"].map((name) => join(root, name)),
    read({ command, environment, timeout, ...entry }) {
      const [program, ...args] = Array.isArray(command) ? (command as unknown[]) : [];
      return serverIn({
        ...entry,
        ...(program === undefined ? {} : { command: program, args }),
        ...(environment === undefined ? {} : { env: environment }),
        startTimeoutMs: timeout,
      });
    },
    write: (command, args) => ({ type: "local", command: [command, ...args], enabled: true }),
  },
  codex: {
    ...plain,
    at: ["mcp_servers"],
    format: "toml",
    home: (home) => [join(home, ".codex/config.toml")],
    project: (root) => [join(root, ".codex/config.toml")],
    read({ http_headers, startup_timeout_sec, tool_timeout_sec, bearer_token_env_var, ...entry }) {
      const bearer =
        typeof bearer_token_env_var === "string" ? { Authorization: `Bearer \${${bearer_token_env_var}}` } : {};
      const headers = { ...(http_headers as object | undefined), ...bearer };
      return serverIn({
        ...entry,
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        startTimeoutMs: inMs(startup_timeout_sec),
        callTimeoutMs: inMs(tool_timeout_sec),
      });
    },
  },
};

const inMs = (seconds: unknown): number | undefined =>
  typeof seconds === "number" ? Math.round(seconds * 1000) : undefined;
