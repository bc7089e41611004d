import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { stateFolder } from "@haft/service";
import { real } from "../../app/workspace.ts";
import type { Command } from "../command.ts";
import { EXIT, UsageError } from "../exit-code.ts";
import { readOptions } from "../options.ts";
import { builtConsole, sessionBase } from "../server-options.ts";
import { onInterrupt } from "../terminal/interrupt.ts";
import { packageVersion } from "../version.ts";
import { wishedModel } from "./agent/model-choice.ts";

const OPTIONS = { port: "string", host: "string", "token-file": "string", model: "string", open: "boolean" } as const;

/** `haft serve`: the API and the console over the sessions of a folder. Ends with Ctrl-C. */
export const serve: Command = async (args) => {
  const { common, own } = readOptions(args, OPTIONS, 0);
  if (own.port !== undefined && !(/^\d{1,5}$/.test(own.port) && Number(own.port) < 65_536))
    throw new UsageError(`"${own.port}" is not a port.`, "Use a number from 0 (any free one) to 65535.");
  using interrupt = onInterrupt();
  const { createTokens, newToken, readTokens, startServer } = await import("../../server/index.ts");
  const made = own["token-file"] === undefined ? newToken() : undefined;
  const tokens = made === undefined ? readTokens(readPrivate(own["token-file"]!)) : new Map([["you", made]]);
  const cwd = real(common.cwd);
  const consoleFolder = builtConsole();
  const handle = await startServer({
    host: own.host ?? "127.0.0.1",
    port: Number(own.port ?? 0),
    tokens: createTokens(tokens),
    version: await packageVersion(),
    base: sessionBase(common, wishedModel(own)),
    cwd,
    state: stateFolder(real(homedir())),
    ...(consoleFolder === undefined ? {} : { consoleFolder }),
  }).catch((thrown: Error) => {
    throw new UsageError(
      `The server cannot listen: ${thrown.message}.`,
      "Choose another --port (0: any free one) or --host.",
    );
  });
  // The token is behind #, which browsers send nowhere.
  const address = made === undefined ? handle.url : `${handle.url}/#token=${made}`;
  if (common.json) process.stdout.write(`${JSON.stringify({ url: handle.url, ...(made ? { token: made } : {}) })}\n`);
  else process.stderr.write(`haft serve: ${cwd}\nhaft serve: open ${address}\n`);
  if (own.open) await openInBrowser(address);
  if (!interrupt.signal.aborted) await once(interrupt.signal, "abort");
  await handle.close();
  return EXIT.ok;
};

function readPrivate(file: string): string {
  try {
    if (process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0)
      process.stderr.write(`haft serve: other users can read ${file}; chmod 600 makes it private.\n`);
    return readFileSync(file, "utf8");
  } catch (thrown) {
    throw new UsageError(
      `The token file cannot be read: ${(thrown as Error).message}.`,
      "Write NAME TOKEN on each line.",
    );
  }
}

async function openInBrowser(address: string): Promise<void> {
  const { spawn } = await import("node:child_process");
  const program = process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open";
  const child = spawn(program, [address], { stdio: "ignore", detached: true });
  child.on("error", () => process.stderr.write(`haft serve: ${program} was not found; open the address yourself.\n`));
  child.unref();
}
