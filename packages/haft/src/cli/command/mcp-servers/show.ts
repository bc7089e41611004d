import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createRegistry } from "@haft/core/registry";
import { createMcpManager, describeServer, logFileOf, type McpServer, type McpStatus } from "@haft/tools";
import { needsConsent, openConsent } from "../../../app/mcp/consent.ts";
import { tokenFileOf } from "../../../app/mcp/open-mcp.ts";
import type { Command } from "../../command.ts";
import { oneLine, visible } from "../../draw/sanitize.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { type Known, knownServers, serverNamed } from "./known.ts";

/** Milliseconds for which servers are looked at. */
const LOOK_MS = 10_000;

/** Lines of a log that are shown unless more are asked for. */
const LOG_LINES = 200;

/** `haft mcp list`: every server, and how it does when it is reached for. */
export const list: Command = async (args) => {
  const { common } = readOptions(args, {}, 0);
  const known = knownServers(common);
  const terminal = processTerminal();
  terminal.tell(known.notices);
  const found = await look(known, known.servers);
  if (common.json) await terminal.print(`${JSON.stringify(found.map(asData), null, 2)}\n`);
  else if (found.length === 0) await terminal.print("No MCP servers. Add one: haft mcp add NAME -- COMMAND\n");
  else await terminal.print(`${found.map(summary).join("\n")}\n`);
  return EXIT.ok;
};

/** `haft mcp get NAME`: one server in full, with its tools. Exit code 1 when it cannot be reached. */
export const get: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 1);
  const known = knownServers(common);
  const terminal = processTerminal();
  terminal.tell(known.notices);
  const [status] = await look(known, [serverNamed(known, words[0])]);
  await terminal.print(common.json ? `${JSON.stringify(asData(status!), null, 2)}\n` : `${page(status!)}\n`);
  return status!.state === "ready" || status!.server.enabled === false ? EXIT.ok : EXIT.failed;
};

/** `haft mcp logs NAME`: what a server last said beside the protocol. */
export const logs: Command = async (args) => {
  const { common, own, words } = readOptions(args, { lines: "string" }, 1);
  const known = knownServers(common);
  const { name } = serverNamed(known, words[0]);
  const most = own.lines === undefined ? LOG_LINES : Number(own.lines);
  if (!Number.isInteger(most) || most < 1)
    throw new UsageError(`"${own.lines}" is no number of lines.`, "Write --lines 50.");
  const file = logFileOf(join(known.state.workspace(known.cwd), "mcp-logs"), name);
  if (!existsSync(file))
    throw new UsageError(`"${name}" has said nothing in this folder yet.`, "Its log begins with its first start.");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").slice(-most);
  await processTerminal().print(`${lines.map((line) => visible(line)).join("\n")}\n`);
  return EXIT.ok;
};

/** Reaches for servers, all at once, and ends them again. Those that nobody has agreed to are left alone. */
async function look({ state, cwd }: Known, servers: readonly McpServer[]): Promise<readonly McpStatus[]> {
  const consent = openConsent(state, cwd);
  const manager = createMcpManager({
    registry: createRegistry(),
    cwd,
    startTimeoutMs: LOOK_MS,
    tokenFile: tokenFileOf(state),
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

const asData = ({ server, state, error, tools, problems, era }: McpStatus) => ({
  ...server,
  state: server.enabled === false ? "disabled" : state,
  ...(era === undefined ? {} : { era }),
  ...(error === undefined ? {} : { error }),
  tools,
  problems,
});

function summary({ server, state, error, tools }: McpStatus): string {
  const how = server.enabled === false ? "disabled" : state === "ready" ? `${tools.length} tools` : state;
  const why = error === undefined ? "" : `\n    ${oneLine(error.message)}`;
  return `${oneLine(server.name)} (${server.origin ?? "project"}): ${how}: ${oneLine(describeServer(server).split("\n")[0]!)}${why}`;
}

function page(status: McpStatus): string {
  const { server, error, tools, problems, era } = status;
  return [
    summary(status),
    ...describeServer(server)
      .split("\n")
      .slice(1)
      .map((line) => `  ${oneLine(line)}`),
    ...(era === undefined ? [] : [`  protocol: ${era}`]),
    ...(error?.hint === undefined ? [] : [`  ${oneLine(error.hint)}`]),
    ...tools.map((tool) => `  ${oneLine(tool)}`),
    ...problems.map((problem) => `  ! ${oneLine(problem)}`),
  ].join("\n");
}
