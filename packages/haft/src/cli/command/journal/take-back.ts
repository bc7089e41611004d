import { homedir } from "node:os";
import { display, errorText, grouped, HaftError, type ToolError } from "@haft/core/tool";
import type {
  Change,
  Conflict,
  HostJournal,
  JournalCure,
  Loss,
  Plan,
  Undone,
  UndoneCall,
  UndoOptions,
} from "@haft/journal";
import { callsOf, wordsFor } from "@haft/journal/undo";
import { stateFolder } from "@haft/service";
import { journalOf } from "../../../app/journal/open-journal.ts";
import { recoveredNotice } from "../../../app/journal/recovered.ts";
import { real } from "../../../app/workspace.ts";
import { oneLine, visible } from "../../../draw/sanitize.ts";
import { drawNotice } from "../../draw-notice.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import { commandWays, sessionOf } from "../../open-haft.ts";
import type { CommonOptions } from "../../options.ts";
import { openRemote, type RemoteWish } from "../../remote/open-placed.ts";
import { processTerminal, type Terminal } from "../../terminal/terminal.ts";
import { bodyOf } from "./diff-body.ts";
import { handOutHead } from "./hand-out.ts";
import { tellDoubt } from "./verify.ts";

/** The shared part of `haft undo` and `haft redo`. Exit code 1 if something could not be undone, or nothing was. */
export async function takeBack(
  kind: Plan["kind"],
  common: CommonOptions,
  options: UndoOptions,
  isPreview: boolean,
  wish: RemoteWish,
): Promise<ExitCode> {
  const terminal = processTerminal();
  const { journal, cwd, session, ...place } = await placeOf(wish, common, terminal);
  const progress = progressLine(kind, terminal);
  const full = { ...options, ...(session === undefined ? {} : { session }), onProgress: progress.show };
  try {
    place.before();
    const report = isPreview ? await preview(journal, kind, full) : await perform(journal, kind, full);
    if (!isPreview) await place.after();
    progress.clear();
    return await printReport(report, common.json, cwd);
  } catch (thrown) {
    progress.clear();
    return await refused(thrown, common, terminal);
  } finally {
    await place.close();
  }
}

/** The parts of a journal that undo needs. */
type UndoableJournal = Pick<HostJournal, "undo" | "redo" | "planUndo" | "planRedo" | "preview">;

interface Place {
  readonly journal: UndoableJournal;
  readonly cwd: string;
  readonly session: string | undefined;
  before(): void;
  after(): void | Promise<void>;
  close(): void | Promise<void>;
}

/** The journal of the folder, here or on the machine that the command line names. */
async function placeOf(wish: RemoteWish, common: CommonOptions, terminal: Terminal): Promise<Place> {
  if (wish.remote !== undefined) {
    const { remote, session } = await openRemote(wish, common);
    const { journal, cwd } = remote.options;
    return { journal, cwd, session, before() {}, after() {}, close: remote.close };
  }
  const cwd = real(common.cwd);
  const session = sessionOf(common);
  const journal = journalAt(cwd, terminal);
  return {
    ...{ journal, cwd, session },
    before: () => tellDoubt(journal, common, cwd),
    after: () => handOutHead(journal, common, cwd),
    close: () => journal.close(),
  };
}

/** A line that counts the paths of a long undo, on a terminal only. */
function progressLine(kind: Plan["kind"], terminal: Terminal) {
  let isShown = false;
  return {
    show(done: number, paths: number): void {
      if (!process.stderr.isTTY) return;
      isShown = true;
      terminal.tell(`\r${kind === "undo" ? "Undoing" : "Redoing"}: ${grouped(done)} of ${grouped(paths)} paths`);
    },
    clear(): void {
      if (isShown) terminal.tell("\r\x1b[K");
      isShown = false;
    },
  };
}

interface Report {
  readonly kind: Plan["kind"];
  /** Applied for the first time, not again. */
  readonly isApplied?: true;
  readonly isPreview: boolean;
  readonly calls: readonly UndoneCall[];
  readonly changes: readonly (Change & { readonly diff?: string })[];
  readonly conflicts: readonly Conflict[];
  readonly losses: readonly Loss[];
}

const perform = async (journal: UndoableJournal, kind: Plan["kind"], options: UndoOptions): Promise<Report> =>
  reportOf(await journal[kind](options));

const reportOf = ({ kind, calls, changed, kept, losses }: Undone): Report => ({
  kind,
  isPreview: false,
  calls,
  changes: changed,
  conflicts: kept,
  losses,
});

/** Reports the changes applied from a held view. Exit code 1 if something was skipped or lost. */
export async function printUndone(undone: Undone, { json }: CommonOptions, cwd: string): Promise<ExitCode> {
  return printReport({ ...reportOf(undone), isApplied: true }, json, cwd);
}

async function printReport(report: Report, json: boolean, cwd: string): Promise<ExitCode> {
  await processTerminal().print(json ? `${JSON.stringify(jsonOf(report))}\n` : textOf(report, cwd));
  return report.conflicts.length > 0 || report.losses.length > 0 ? EXIT.failed : EXIT.ok;
}

async function preview(journal: UndoableJournal, kind: Plan["kind"], options: UndoOptions): Promise<Report> {
  const plan = await (kind === "undo" ? journal.planUndo(options) : journal.planRedo(options));
  const diffs = new Map((await journal.preview(plan)).map(({ path, diff }) => [path, diff]));
  const changes = plan.net.map((change) => {
    const diff = diffs.get(change.path);
    return diff === undefined ? change : { ...change, diff };
  });
  return { kind, isPreview: true, calls: callsOf(plan), changes, conflicts: plan.conflicts, losses: plan.losses };
}

/** When the changes of a call were seen, if anybody may have made them. */
const timeOf = ({ jobs = [], isDirect }: UndoneCall): readonly string[] => [
  ...(isDirect ? ["changed while the command ran"] : []),
  ...(jobs.length > 0 ? [`during job ${jobs.join(", ")}`] : []),
];

function textOf({ kind, isApplied, isPreview, calls, changes, conflicts, losses }: Report, cwd: string): string {
  const shown = (path: string) => oneLine(display(cwd, path.toWellFormed()));
  const names = calls.map((call) => oneLine(`${call.id} (${[call.tool, ...timeOf(call)].join(", ")})`)).join(", ");
  const done = kind === "undo" ? "Undone" : isApplied ? "Applied" : "Done again";
  // Nothing could be undone, and the reasons are below.
  const isNothing = changes.length === 0 && conflicts.length + losses.length > 0;
  const verb = isPreview ? `Would ${kind}` : isNothing ? `Not ${done.toLowerCase()}` : done;
  const made = isApplied ? "made" : "restored";
  const isPartial = (path: string) => changes.some((change) => change.path === path);
  const sorted = [...changes].sort((a, b) => (a.path < b.path ? -1 : 1));
  return [
    `${verb}: ${names}`,
    ...sorted.flatMap((change) => {
      const line = `  ${shown(change.path)}: ${oneLine(wordsFor(change, made))}`;
      return change.diff === undefined ? [line] : [line, bodyOf(visible(change.diff))];
    }),
    ...(changes.length === 0 ? ["  Nothing was changed."] : []),
    ...conflicts.map(
      ({ path, why }) => `  ${shown(path)}: ${isPreview ? "in conflict" : "left alone"}, ${oneLine(why)}`,
    ),
    ...(isApplied && conflicts.length > 0 ? ["  --force applies the command's version all the same."] : []),
    ...losses.map(({ path, why }) => {
      const not = isPartial(path) ? "not completely" : "not";
      return `  ${shown(path)}: ${not} ${kind === "undo" ? "undone" : "done"}. ${oneLine(why)}`;
    }),
    "",
  ].join("\n");
}

function jsonOf({ kind, isApplied, isPreview, calls, changes, conflicts, losses }: Report) {
  const paths = changes.map(({ path, diff, ...change }) => ({
    path,
    what: wordsFor({ path, ...change }, isApplied ? "made" : "restored"),
    ...(diff === undefined ? {} : { diff }),
  }));
  return {
    action: isApplied ? "commit" : kind,
    ...(isPreview ? { preview: true } : {}),
    calls,
    changes: paths,
    conflicts,
    losses,
  };
}

/** The journal of a folder. Interrupted calls are reported in addition to the command's own answer. */
export const journalAt = (cwd: string, terminal: Terminal): HostJournal =>
  journalOf(stateFolder(real(homedir())), cwd, {
    ways: commandWays,
    onRecovered: (recovered) => terminal.tell(drawNotice(recoveredNotice(recovered))),
  });

/** The commands and options that resolve an error of the journal, if there are any. */
const COMMANDS: Readonly<Record<JournalCure, (details: Readonly<Record<string, unknown>>) => string>> = {
  undo: () => "Run `haft undo` first.",
  redo: () => "`haft redo` repeats the last one.",
  name_call: () => "`haft log` lists them.",
  name_session: () => "Name one with --session.",
  list_calls: () => "`haft log` shows what a session did; choose another one with --session.",
  list_held: () => "`haft held list` shows the held changes.",
  review_held: ({ held }) => `Look at it again: haft held show ${held}; or discard it: haft held discard ${held}.`,
  force: ({ kind }) => `--force ${kind === "undo" ? "undoes" : "redoes"} the rest and leaves these as they are.`,
};

/** The remedy, with the commands of this program. */
function cureOf({ hint, details: { cure, ...details } = {} }: ToolError): string | undefined {
  const isKnown = typeof cure === "string" && Object.hasOwn(COMMANDS, cure);
  return isKnown ? COMMANDS[cure as JournalCure](details) : hint;
}

/** Reports an error of the journal. Rethrows any other error. */
export async function refused(thrown: unknown, common: CommonOptions, terminal: Terminal): Promise<ExitCode> {
  if (!HaftError.is(thrown)) throw thrown;
  const { code, message, details } = thrown;
  const hint = cureOf(thrown);
  if (common.json) await terminal.print(`${JSON.stringify({ error: { code, message, hint, ...details } })}\n`);
  else terminal.tell(`${visible(errorText({ code, message, ...(hint === undefined ? {} : { hint }) }))}\n`);
  return EXIT.failed;
}
