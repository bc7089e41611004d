import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { counted } from "@haft/core/tool";
import { type ChainReport, checkChain, type HostJournal } from "@haft/journal";
import { stateFolder } from "@haft/service";
import { type Head, keptHeads } from "../../../app/journal/head.ts";
import { headFile } from "../../../app/journal/head-file.ts";
import { journalOf } from "../../../app/journal/open-journal.ts";
import { real } from "../../../app/workspace.ts";
import { EXIT, type ExitCode, UsageError } from "../../exit-code.ts";
import { sessionOf } from "../../open-haft.ts";
import type { CommonOptions } from "../../options.ts";
import { processTerminal } from "../../terminal/terminal.ts";

const LIMITS =
  "A user with write access can rewrite these files completely. To detect that, or missing last lines, store the head elsewhere (settings: journal.head).";

interface Checked {
  readonly name: "record" | "journal";
  readonly path: string;
  readonly report: ChainReport;
  /** The journal has changes of this session, but not a single line of it is left. */
  readonly isEmptied?: true;
}

/**
 * `haft log verify`: checks that the records are unchanged; exit code 1 if not. Without a session, also checks that no
 * session is missing that a head kept elsewhere, or the journal, knows.
 */
export async function verify(common: CommonOptions): Promise<ExitCode> {
  const terminal = processTerminal();
  const cwd = real(common.cwd);
  const state = stateFolder(real(homedir()));
  const recordOf = (session: string): string => join(state.session(cwd, session), "session.jsonl");
  const journal = journalOf(state, cwd);
  const file = headFile(common);
  const heads = file === undefined ? [] : readHeads(file, cwd);
  const headOf = new Map(
    heads.flatMap(({ session, record }) => (session && record ? [[session, record] as const] : [])),
  );
  const writers = new Set(journal.history().entries.map((entry) => entry.session));
  const known = [...new Set([...headOf.keys(), ...writers])];
  const named = common.session === "last" ? undefined : sessionOf(common);
  const session = named ?? state.sessions(cwd)[0] ?? known.at(-1) ?? sessionOf({ ...common, session: "last" })!;
  if (named !== undefined && !existsSync(recordOf(named)) && !known.includes(named))
    throw new UsageError(`This folder has no session "${named}".`, "Use --session last.");

  const checked = (id: string): Checked => {
    const report = check(recordOf(id), headOf.get(id));
    const isEmptied = report.lines === 0 && writers.has(id) && existsSync(recordOf(id));
    return { name: "record", path: recordOf(id), report, ...(isEmptied ? { isEmptied } : {}) };
  };
  const others = named === undefined ? known.filter((id) => id !== session).map(checked) : [];
  const all: readonly Checked[] = [
    checked(session),
    { name: "journal", path: journal.path, report: check(journal.path, lastOf(heads)) },
    ...others.filter((one) => !isSound(one)),
  ];
  const isWhole = all.every(isSound);
  if (common.json) {
    const records = all.map(({ report, ...one }) => ({ ...one, ...report }));
    await terminal.print(`${JSON.stringify({ sound: isWhole, session, records })}\n`);
  } else {
    for (const one of all)
      await terminal.print(`${one.name} ${one.path}\n  ${wordsFor(one, file !== undefined).join("\n  ")}\n`);
    await terminal.print(`${isWhole ? "The records are whole." : "The records were altered."} ${LIMITS}\n`);
  }
  return isWhole ? EXIT.ok : EXIT.failed;
}

const isSound = ({ report, isEmptied }: Checked): boolean =>
  report.broken.length === 0 && report.hasHead !== false && !isEmptied;

/** The last kept head of the journal. */
const lastOf = (heads: readonly Head[]): string | undefined => heads.findLast(({ journal }) => journal)?.journal;

/** Warns before an undo if the journal was changed: its content may not match what was done. */
export function tellDoubt({ path }: HostJournal, common: CommonOptions, cwd: string): void {
  const file = headFile(common);
  let heads: readonly Head[] = [];
  try {
    heads = file === undefined ? [] : keptHeads(file, cwd);
  } catch {
    // The next head that is published reports that the file cannot be read.
  }
  const head = lastOf(heads);
  if (!isSound({ name: "journal", path, report: check(path, head) }))
    processTerminal().tell(
      "The journal was altered: its contents may not match what the calls did. Run haft log verify for details.\n",
    );
}

/** If the settings keep heads and the file cannot be read, nothing can be verified: that is a failure. */
function readHeads(file: string, cwd: string): readonly Head[] {
  try {
    return keptHeads(file, cwd);
  } catch (thrown) {
    throw new UsageError(
      `The heads of the records cannot be read: ${(thrown as Error).message}.`,
      "Restore the file that journal.head of the settings names.",
    );
  }
}

function check(path: string, head: string | undefined): ChainReport {
  // A missing record has no lines; a head that was kept then is missing in it.
  return checkChain(existsSync(path) ? readFileSync(path, "utf8") : "", head);
}

function wordsFor({ report, isEmptied }: Checked, areKept: boolean): readonly string[] {
  const { lines, broken, torn, head, hasHead } = report;
  const some = broken.slice(0, 5).join(", ") + (broken.length > 5 ? ` and ${broken.length - 5} more` : "");
  return [
    `${counted(lines, "line")}${head === undefined ? "" : `, head ${head.slice(0, 16)}…`}`,
    ...(broken.length > 0 ? [`lines before line ${some} were changed, removed or added`] : []),
    ...(torn > 0 ? [`${counted(torn, "line")} torn by a kill`] : []),
    ...(hasHead === false ? ["the head stored elsewhere is not in it: lines are missing, or it was rewritten"] : []),
    ...(isEmptied ? ["the journal has changes of this session: its record was emptied"] : []),
    ...(areKept && hasHead === undefined
      ? ["no head is stored elsewhere: the session has not ended, or was killed"]
      : []),
    ...(hasHead ? ["the head stored elsewhere is in it"] : []),
  ];
}
