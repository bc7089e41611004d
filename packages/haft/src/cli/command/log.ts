import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { counted } from "@haft/core/tool";
import { readSessionLog, stateFolder } from "@haft/service";
import type { SessionRecording } from "../../agent/index.ts";
import { journalOf } from "../../app/journal/open-journal.ts";
import { real } from "../../app/workspace.ts";
import { drawEntry } from "../../draw/log-row.ts";
import type { Command } from "../command.ts";
import { EXIT, UsageError } from "../exit-code.ts";
import { sessionOf } from "../open-haft.ts";
import { readOptions } from "../options.ts";
import { processTerminal } from "../terminal/terminal.ts";
import { diffsOf, isOf } from "./journal/log-diff.ts";
import { prune } from "./journal/prune.ts";
import { verify } from "./journal/verify.ts";

/**
 * `haft log`: shows what a session did, by default this folder's latest; with `--diff` also the file changes of its
 * calls, one or all. `haft log verify`: checks that the records are unchanged. `--cassette`: writes the session as a
 * file for `haft replay`. `haft log prune`: removes old records. `--json`: JSON lines.
 */
export const log: Command = async (args) => {
  const { common, own, words } = readOptions(
    args,
    { calls: "boolean", cassette: "boolean", days: "string", diff: "boolean" },
    1,
  );
  const [word] = words;
  if (word !== undefined && word !== "verify" && word !== "prune" && !own.diff)
    throw new UsageError(`There is no "log ${word}".`, `Use haft log verify, or haft log --diff ${word} for one call.`);
  const terminal = processTerminal();
  if (word === "verify" && !own.diff) return verify(common);
  if (word === "prune" && !own.diff) return prune(common, own.days);
  if (own.days !== undefined)
    throw new UsageError("--days belongs to haft log prune.", "Use haft log prune --days 30.");
  const session = sessionOf({ cwd: common.cwd, session: common.session ?? "last" })!;
  const cwd = real(common.cwd);
  const state = stateFolder(real(homedir()));
  const path = join(state.session(cwd, session), "session.jsonl");
  if (!existsSync(path)) throw new UsageError(`This folder has no session "${session}".`, "Use --session last.");
  if (own.cassette) return printCassette(path, { session, cwd });
  const diffs = own.diff ? await diffsOf(journalOf(state, cwd), session, word, cwd) : undefined;
  const { entries, skipped } = readSessionLog(path);
  const wanted = own.calls || own.diff ? entries.filter(({ t }) => t === "call") : entries;
  const chosen = word === undefined ? wanted : wanted.filter(({ id }) => isOf(id, word));
  if (word !== undefined && chosen.length === 0)
    throw new UsageError(`Session ${session} has no call "${word}".`, "haft log --calls lists them.");
  for (const entry of chosen) {
    const changes = diffs?.get(String(entry.id));
    if (common.json) await terminal.print(`${JSON.stringify(changes ? { ...entry, changes: changes.json } : entry)}\n`);
    else await terminal.print(`${drawEntry(entry, terminal.style)}\n${changes?.text ?? ""}`);
  }
  if (skipped > 0) terminal.tell(`${counted(skipped, "line")} of ${path} could not be read.\n`);
  return EXIT.ok;
};

async function printCassette(path: string, recording: SessionRecording): Promise<number> {
  const { entries } = readSessionLog(path);
  if (!entries.some(({ t }) => t === "call"))
    throw new UsageError(`Session ${recording.session} made no calls.`, "Name another one with --session.");
  // Loaded only on request: the agent has many dependencies.
  const { cassetteOfSession, formatCassette } = await import("../../agent/index.ts");
  await processTerminal().print(formatCassette(cassetteOfSession(entries, recording)));
  return EXIT.ok;
}
