import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { readSessionLog, stateFolder } from "@haft/tools";
import { real } from "../../app/workspace.ts";
import type { Command } from "../command.ts";
import { drawEntry } from "../draw/log-row.ts";
import { EXIT, UsageError } from "../exit-code.ts";
import { sessionOf } from "../open-haft.ts";
import { readOptions } from "../options.ts";
import { processTerminal } from "../terminal/terminal.ts";

/** `haft log`: what a session did, by default this folder's latest. With `--json` the entries as JSON lines. */
export const log: Command = async (args) => {
  const { common, own } = readOptions(args, { calls: "boolean" }, 0);
  const terminal = processTerminal();
  const session = sessionOf({ cwd: common.cwd, session: common.session ?? "last" })!;
  const path = join(stateFolder(real(homedir())).session(real(common.cwd), session), "session.jsonl");
  if (!existsSync(path)) throw new UsageError(`This folder has no session "${session}".`, "Use --session last.");
  const { entries, skipped } = readSessionLog(path);
  const chosen = own.calls ? entries.filter(({ t }) => t === "call") : entries;
  for (const entry of chosen) {
    await terminal.print(`${common.json ? JSON.stringify(entry) : drawEntry(entry, terminal.style)}\n`);
  }
  if (skipped > 0) terminal.tell(`${skipped} lines of ${path} could not be read.\n`);
  return EXIT.ok;
};
