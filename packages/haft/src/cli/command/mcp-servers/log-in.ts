import { spawn } from "node:child_process";
import { createRegistry } from "@haft/core/registry";
import { counted } from "@haft/core/tool";
import { assertTokenFile, createMcpManager, logOut, loopbackBrowser, type McpServer } from "@haft/mcp";
import { needsConsent, openConsent } from "../../../app/mcp/consent.ts";
import { tokenFileOf } from "../../../app/mcp/open-mcp.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { readOptions } from "../../options.ts";
import { onInterrupt } from "../../terminal/interrupt.ts";
import { processTerminal } from "../../terminal/terminal.ts";
import { type Known, knownServers, serverNamed } from "./known.ts";

/** `haft mcp login NAME`: opens the login page of a server, and saves the tokens. */
export const login: Command = async (args) => {
  const { common, own, words } = readOptions(args, { "no-browser": "boolean" }, 1);
  const known = knownServers(common);
  const terminal = processTerminal();
  terminal.tell(known.notices);
  const server = remoteNamed(known, words[0]);
  const tokenFile = tokenFileOf(known.state);
  // Check before the login page opens: a login that cannot be saved is useless.
  assertTokenFile(tokenFile);
  using interrupt = onInterrupt();
  let wasAsked = false;
  const browser = loopbackBrowser((address) => {
    wasAsked = true;
    terminal.tell(`Log in at ${oneLine(server.name)} here:\n${oneLine(address.href)}\n`);
    if (own["no-browser"] !== true) openPage(address);
  });
  const manager = createMcpManager({
    registry: createRegistry(),
    cwd: known.cwd,
    tokenFile,
    browser,
  });
  const stop = (): void => void manager.close();
  interrupt.signal.addEventListener("abort", stop, { once: true });
  try {
    manager.add(server, { connect: false });
    await manager.connect(server.name);
    const tools = manager.list()[0]?.tools.length ?? 0;
    const how = wasAsked ? "Logged in at" : "No new login is needed at";
    await terminal.print(`${how} ${oneLine(server.name)}: ${counted(tools, "tool")}\n`);
    return EXIT.ok;
  } catch (thrown) {
    if (interrupt.signal.aborted) return EXIT.interrupted;
    throw thrown;
  } finally {
    await manager.close();
  }
};

/** `haft mcp logout NAME`: forgets the login, and asks its authorization server to revoke it. */
export const logout: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 1);
  const known = knownServers(common);
  const server = remoteNamed(known, words[0]);
  const at = { cwd: known.cwd, env: process.env };
  const { forgotten, revoked } = await logOut(tokenFileOf(known.state), server, at);
  const name = oneLine(server.name);
  await processTerminal().print(
    forgotten === 0
      ? `You were not logged in at ${name}.\n`
      : `Logged out of ${name}${revoked === forgotten ? "" : "; its authorization server did not revoke the login"}.\n`,
  );
  return EXIT.ok;
};

function remoteNamed(known: Known, name: string | undefined): McpServer {
  const server = serverNamed(known, name);
  if (server.url === undefined)
    throw new UsageError(
      `"${server.name}" is a program on this machine: it has no login.`,
      "Put its credentials under env in its settings.",
    );
  if (needsConsent(server) && !openConsent(known.state, known.root).has(server))
    throw new UsageError(
      `"${server.name}" is defined by this project and not approved yet.`,
      `See haft mcp get ${server.name}, then run haft mcp approve ${server.name}.`,
    );
  return server;
}

/** Opens a web page with the system's command. Without one, the user opens the printed address. */
function openPage(address: URL): void {
  const [command, ...args] =
    process.platform === "darwin"
      ? ["open", address.href]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler", address.href]
        : ["xdg-open", address.href];
  const opener = spawn(command!, args, { stdio: "ignore", detached: true });
  opener.on("error", () => {});
  opener.unref();
}
