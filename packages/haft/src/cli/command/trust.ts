import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { stateFolder, trustStore } from "@haft/service";
import { real } from "../../app/workspace.ts";
import { oneLine } from "../../draw/sanitize.ts";
import type { Command } from "../command.ts";
import { EXIT, UsageError } from "../exit-code.ts";
import { readOptions } from "../options.ts";
import { processTerminal } from "../terminal/terminal.ts";

/** `haft trust [DIR]`: allows the folder's settings to loosen rules as well as tighten them. */
export const trust: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 1);
  const folder = real(resolve(common.cwd, words[0] ?? "."));
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${folder} is not a folder.`, "Name an existing folder, or none for the current one.");
  }
  const trusted = await trustStore(stateFolder(real(homedir()))).trust(folder);
  const terminal = processTerminal();
  await terminal.print(common.json ? `${JSON.stringify({ trusted })}\n` : `Trusted: ${oneLine(trusted)}\n`);
  return EXIT.ok;
};
