import { homedir } from "node:os";
import { counted } from "@haft/core/tool";
import { stateFolder } from "@haft/service";
import { real } from "../../../app/workspace.ts";
import { EXIT, type ExitCode, UsageError } from "../../exit-code.ts";
import type { CommonOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

/**
 * `haft log prune`: removes the records of this folder's sessions that nobody has continued for some days, with the
 * outputs kept beside them. The latest session and open ones stay. Undo is not affected: the journal is a file of its own.
 */
export async function prune({ cwd, json }: CommonOptions, days = "30"): Promise<ExitCode> {
  if (!/^[1-9]\d{0,4}$/.test(days))
    throw new UsageError(`"${days}" is not a number of days.`, "Use --days 30, for example.");
  const removed = stateFolder(real(homedir())).prune(real(cwd), { days: Number(days) });
  const text =
    removed.length === 0
      ? `No session is older than ${counted(Number(days), "day")}. Nothing was removed.\n`
      : `Removed ${counted(removed.length, "session")}. haft undo can still undo their changes.\n`;
  await processTerminal().print(json ? `${JSON.stringify({ removed })}\n` : text);
  return EXIT.ok;
}
