import { existsSync, readFileSync } from "node:fs";
import { createRegistry } from "@haft/core/registry";
import { counted } from "@haft/core/tool";
import { createMcpManager, describeServer, logFileOf, type McpServer, type McpStatus } from "@haft/mcp";
import { confineServers } from "../../../app/mcp/confine.ts";
import { needsConsent, openConsent } from "../../../app/mcp/consent.ts";
import { logFolderOf, tokenFileOf } from "../../../app/mcp/open-mcp.ts";
import { openServerGrants } from "../../../app/mcp/server-grants.ts";
import { oneLine, visible } from "../../../draw/sanitize.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { type Known, knownServers, serverNamed } from "./known.ts";

/** Milliseconds to wait for servers. */
const LOOK_MS = 10_000;

/** Default number of log lines. */
const LOG_LINES = 200;

/** `haft mcp list`: connects to every server and shows its status. */
export const list: Command = async (args) => {
  const { common } = readOptions(args, {}, 0);
  const known = knownServers(common);
  const terminal = processTerminal();
  terminal.tell(known.notices);
  const found = [...(await look(known, known.servers)), ...known.withheld.map(untrusted)];
  if (common.json) await terminal.print(`${JSON.stringify(found.map(asData), null, 2)}\n`);
  else if (found.length === 0) await terminal.print("No MCP servers. Add one: haft mcp add NAME -- COMMAND\n");
  else await terminal.print(`${found.map(summary).join("\n")}\n`);
  return EXIT.ok;
};

/** `haft mcp get NAME`: shows one server in full, with its tools. Exit code 1 if it cannot be reached. */
export const get: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 1);
  const known = knownServers(common);
  const terminal = processTerminal();
  terminal.tell(known.notices);
  const waiting = known.withheld.find(({ name }) => name === words[0]);
  const [status] = waiting ? [untrusted(waiting)] : await look(known, [serverNamed(known, words[0])]);
  const allowed = openServerGrants(known.state.workspace(known.cwd)).of(status!.server);
  const text = common.json ? JSON.stringify({ ...asData(status!), allowed }, null, 2) : page(status!, allowed);
  await terminal.print(`${text}\n`);
  return status!.state === "ready" || status!.server.enabled === false ? EXIT.ok : EXIT.failed;
};

/** `haft mcp logs NAME`: shows the latest output of a server outside the protocol. */
export const logs: Command = async (args) => {
  const { common, own, words } = readOptions(args, { lines: "string" }, 1);
  const known = knownServers(common);
  const { name } = serverNamed(known, words[0]);
  const most = own.lines === undefined ? LOG_LINES : Number(own.lines);
  if (!Number.isInteger(most) || most < 1)
    throw new UsageError(`"${own.lines}" is not a number of lines.`, "Write --lines 50.");
  const file = logFileOf(logFolderOf(known.state, known.cwd), name);
  if (!existsSync(file))
    throw new UsageError(`"${name}" has no log in this folder yet.`, "The log begins when it first starts.");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").slice(-most);
  await processTerminal().print(`${lines.map((line) => visible(line)).join("\n")}\n`);
  return EXIT.ok;
};

/** Connects to servers, all at once, and ends them again. Servers without approval are not started. */
async function look({ state, cwd, root, policy }: Known, servers: readonly McpServer[]): Promise<readonly McpStatus[]> {
  const consent = openConsent(state, root);
  const confine = confineServers(state, policy)?.confine;
  const manager = createMcpManager({
    registry: createRegistry(),
    cwd,
    startTimeoutMs: LOOK_MS,
    tokenFile: tokenFileOf(state),
    logFolder: logFolderOf(state, cwd),
    ...(confine ? { confine } : {}),
    mayStart: async (server) => !needsConsent(server) || consent.has(server),
  });
  try {
    for (const server of servers) manager.add(server);
    await manager.settled(LOOK_MS);
    return manager.list();
  } finally {
    await manager.close();
  }
}

/** A project's server in an untrusted folder is only shown. */
const untrusted = (server: McpServer): McpStatus => ({
  server,
  state: "stopped",
  error: {
    code: "mcp_error",
    message: "The folder is not trusted.",
    hint: `Look at its ${server.url === undefined ? "command" : "address"}, then trust the folder: haft trust`,
  },
  tools: [],
  problems: [],
});

/** A project's server without approval is not broken: it waits. */
const isWaiting = ({ server, error }: McpStatus): boolean =>
  needsConsent(server) && error?.hint?.includes(`haft mcp approve ${server.name}`) === true;

const asData = ({ server, state, error, tools, problems, era }: McpStatus) => ({
  ...withoutSecrets(server),
  state: server.enabled === false ? "disabled" : state,
  ...(era === undefined ? {} : { era }),
  ...(error === undefined ? {} : { error }),
  tools,
  problems,
});

/**
 * Values that the user wrote may be secret and are masked. Values that a project wrote must be visible for approval.
 */
function withoutSecrets(server: McpServer): McpServer {
  const { env, headers, oauth } = server;
  if (needsConsent(server)) return server;
  return {
    ...server,
    ...(env ? { env: masked(env) } : {}),
    ...(headers ? { headers: masked(headers) } : {}),
    ...(oauth?.clientSecret === undefined ? {} : { oauth: { ...oauth, clientSecret: mask(oauth.clientSecret) } }),
  };
}

const masked = (record: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, mask(value)]));

/** The source of a value is not secret. */
const mask = (value: string): string => (value.includes("${") ? value : "***");

/** A server in short: its status, the reason, and the remedy. */
function summary(status: McpStatus): string {
  const [why] = whyOf(status);
  const { server, error } = status;
  const cure = isWaiting(status) ? undefined : (error?.hint ?? (isLate(status) ? cureOfLate(status) : undefined));
  const isNamedOnly = server.command === undefined && server.url === undefined;
  const what = isNamedOnly ? "" : `: ${oneLine(describeServer(server).split("\n")[0]!)}`;
  const place = `${oneLine(server.name)} (${server.origin ?? "project"})`;
  const reasons = [why, cure].flatMap((line) => (line === undefined ? [] : [`    ${oneLine(line)}`]));
  return [`${place}: ${howOf(status)}${what}`, ...reasons].join("\n");
}

/** One reason per line; the first is the most informative. */
function whyOf(status: McpStatus): readonly string[] {
  const { server, error } = status;
  if (isWaiting(status))
    return [
      `Look at its ${server.url === undefined ? "command" : "address"}, then agree: haft mcp approve ${quoted(server.name)}`,
    ];
  if (error === undefined && isLate(status)) return [`It has not answered within ${LOOK_MS / 1_000} s.`];
  return error === undefined ? [] : error.message.split("\n");
}

const isLate = ({ server, state }: McpStatus): boolean => state === "connecting" && server.enabled !== false;

const cureOfLate = ({ server }: McpStatus): string =>
  server.command === undefined
    ? "Check its address, and that it runs."
    : `See what it waits for: haft mcp logs ${quoted(server.name)}, or start its command by hand.`;

function howOf(status: McpStatus): string {
  if (status.server.enabled === false) return "disabled";
  if (isWaiting(status) || status.state === "stopped") return "not started";
  return status.state === "ready" ? counted(status.tools.length, "tool") : status.state;
}

const quoted = (name: string): string => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(name));

function page(status: McpStatus, allowed: readonly string[]): string {
  const { server, tools, problems, era } = status;
  return [
    summary(status),
    ...whyOf(status)
      .slice(1)
      .map((line) => `      ${oneLine(line)}`),
    ...describeServer(withoutSecrets(server))
      .split("\n")
      .slice(1)
      .map((line) => `  ${oneLine(line)}`),
    ...(era === undefined ? [] : [`  protocol: ${era}`]),
    ...(allowed.length === 0
      ? []
      : [`  always allowed: ${oneLine(allowed.join(", "))} (to reset: haft mcp forget ${quoted(server.name)})`]),
    ...tools.map((tool) => `  ${oneLine(tool)}`),
    ...problems.map((problem) => `  ! ${oneLine(problem)}`),
  ].join("\n");
}
