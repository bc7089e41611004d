import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { counted } from "@haft/core/tool";
import type { PolicyReplay } from "@haft/policy-tools";
import { type LogEntry, readSessionLog, stateFolder } from "@haft/service";
import { replaySession } from "../../../app/settings/replay-session.ts";
import { real } from "../../../app/workspace.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import type { Command } from "../../command.ts";
import { EXIT, UsageError } from "../../exit-code.ts";
import { modeOf } from "../../mode.ts";
import { sessionOf } from "../../open-haft.ts";
import { type CommonOptions, readOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

/**
 * `haft policy replay SESSION`: shows what the current rules, and those given here, would have decided in a session.
 */
export const replay: Command = async (args) => {
  const { common, words } = readOptions(args, {}, 1);
  const path = recordOf(common, words[0] ?? common.session);
  const { entries, skipped } = readSessionLog(path);
  const report = replayUnder(common, entries);
  const terminal = processTerminal();
  if (skipped > 0) terminal.tell(`${counted(skipped, "line")} of ${oneLine(path)} could not be read.\n`);
  await terminal.print(common.json ? `${JSON.stringify({ path, ...report })}\n` : reportText(report));
  return EXIT.ok;
};

/** The record of a session, by id, `last`, or the path of the file itself. */
function recordOf({ cwd }: CommonOptions, word: string | undefined): string {
  if (word === undefined) throw new UsageError("Which session?", "Usage: haft policy replay SESSION|last|FILE.");
  const isFile = word.includes("/") || word.endsWith(".jsonl");
  const folder = real(cwd);
  const path = isFile
    ? resolve(word)
    : join(stateFolder(real(homedir())).session(folder, sessionOf({ cwd, session: word })!), "session.jsonl");
  if (!existsSync(path))
    throw new UsageError(
      `There is no session "${word}" of this folder.`,
      "Use last, an id that haft log shows, or the path of a session.jsonl.",
    );
  return path;
}

function replayUnder(common: CommonOptions, entries: readonly LogEntry[]): PolicyReplay {
  const { allow, ask, deny, settings, withoutUserSettings, trust } = common;
  const home = real(homedir());
  const mode = modeOf(common.mode);
  return replaySession(entries, stateFolder(home), {
    ...{ allow, ask, deny, home, cwd: real(common.cwd), withoutUser: withoutUserSettings, trusted: trust },
    ...(settings === undefined ? {} : { settings }),
    ...(mode === undefined ? {} : { mode }),
  });
}

function reportText({ calls, undecided, differences }: PolicyReplay): string {
  const lines = differences.flatMap(({ id, tool, input, before, now, reason }) => [
    `${id} ${tool} ${JSON.stringify(input)}: ${before} -> ${now}`,
    `  ${reason}`,
  ]);
  const rest = undecided === 0 ? "" : `, ${undecided} without a decision`;
  return `${[...lines.map(oneLine), `${counted(calls, "call")}, ${differences.length} decided differently${rest}.`].join("\n")}\n`;
}
