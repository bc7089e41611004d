import { resolve } from "node:path";
import type { McpOAuthSettings, McpServerSettings } from "@haft/core/policy";
import { fail } from "@haft/core/tool";

/** A configured MCP server. */
export interface McpServer extends McpServerSettings {
  /** Its name for people; any text. */
  readonly name: string;
  /** The source of its configuration. A project's server is started only after a person has seen its command. Absent: the host itself. */
  readonly origin?: "user" | "local" | "project" | "cli" | "managed";
  /** The agent whose file names it. Only a question can agree to its start: `haft mcp` does not know it. */
  readonly agent?: string;
}

/** How to reach a server, with its variables filled in. */
export type Reach = StdioReach | HttpReach;

/** A program to start. */
interface StdioReach {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** An address. */
export interface HttpReach {
  readonly kind: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth: McpOAuthSettings;
  /** The user named the address, not a project: it may be in a private network. */
  readonly isVouched: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of our environment that a server's process gets. Others may contain secrets and must be passed by name. */
const PASSED_ON = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"];

/**
 * Fills `${NAME}` and `${NAME:-default}` in, and returns how to reach the server.
 *
 * @throws HaftError `validation_failed` for a server with neither command nor address, a variable without value, or an address to be
 * confined.
 */
export function reachOf(server: McpServer, at: { readonly cwd: string; readonly env: Environment }): Reach {
  const fill = (text: string): string => filled(text, at.env, server.name);
  const fillAll = (record: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, fill(value)]));
  if (server.command !== undefined) {
    const passed = PASSED_ON.flatMap((key) => (at.env[key] === undefined ? [] : [[key, at.env[key]]]));
    return {
      kind: "stdio",
      command: fill(server.command),
      args: (server.args ?? []).map(fill),
      env: { ...Object.fromEntries(passed), ...fillAll(server.env) },
      cwd: server.cwd ?? at.cwd,
    };
  }
  if (server.url === undefined)
    fail("validation_failed", `The MCP server "${server.name}" has no command and no url.`, "Give it one of the two.");
  const url = fill(server.url);
  const address = URL.parse(url);
  if (!address || !/^https?:$/.test(address.protocol))
    fail(
      "validation_failed",
      `The MCP server "${server.name}" has an invalid address: ${server.url}`,
      "Write https://…",
    );
  if (server.sandbox)
    fail(
      "validation_failed",
      `The MCP server "${server.name}" has an address; only a program can run in the sandbox.`,
      "Remove sandbox from its settings, and restrict its calls with rules.",
    );
  // No request sends credentials from an address, and an error that quotes the address would reveal them.
  if (address.username || address.password)
    fail(
      "validation_failed",
      `The MCP server "${server.name}" has a user name or password in its address.`,
      'Take it out, and write headers: {"Authorization": "Basic …"} in its settings.',
    );
  const { clientSecret, privateKeyFile, ...oauth } = server.oauth ?? {};
  const isVouched = server.origin !== "project";
  if (!isVouched && (oauth.grant === "client_credentials" || privateKeyFile !== undefined))
    fail(
      "validation_failed",
      `The MCP server "${server.name}" comes from the project and would log in with your credentials.`,
      "Write it into your own settings: haft mcp add, with --scope local or user.",
    );
  return {
    kind: server.type === "sse" ? "sse" : "http",
    url,
    headers: fillAll(server.headers),
    oauth: {
      ...oauth,
      ...(clientSecret === undefined ? {} : { clientSecret: fill(clientSecret) }),
      ...(privateKeyFile === undefined ? {} : { privateKeyFile: resolve(at.cwd, fill(privateKeyFile)) }),
    },
    isVouched,
  };
}

/** The description of a server for a person before its first start: everything, with variables by name. */
export function describeServer(server: McpServer): string {
  const lines =
    server.command === undefined
      ? [
          server.url ?? "(no command and no url)",
          ...pairs(server.headers, ": ", "header "),
          ...(server.oauth?.issuer === undefined ? [] : [`logs in at ${server.oauth.issuer}`]),
        ]
      : [
          [server.command, ...(server.args ?? [])].map(quoted).join(" "),
          ...(server.cwd === undefined ? [] : [`in ${server.cwd}`]),
          ...pairs(server.env, "=", "with "),
          ...(server.sandbox === true ? ["in the sandbox"] : []),
        ];
  // A line break in a value must not begin a line such as "in the sandbox".
  return lines.map((line) => line.replaceAll(/\r\n?|\n/g, "␊")).join("\n");
}

const pairs = (record: Readonly<Record<string, string>> | undefined, between: string, before: string): string[] =>
  Object.entries(record ?? {}).map(([key, value]) => `${before}${key}${between}${value}`);

const quoted = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

function filled(text: string, env: Environment, server: string): string {
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
    const value = env[name] || fallback;
    if (value !== undefined) return value;
    return fail(
      "validation_failed",
      `The MCP server "${server}" needs the environment variable ${name}, which is not set.`,
      `Set ${name}, or write \${${name}:-default}.`,
    );
  });
}
