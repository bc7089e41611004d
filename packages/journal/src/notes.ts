import { display, type RunOutcome, type ToolError } from "@haft/core/tool";
import { UNREADABLE } from "@haft/host/files";
import { reasonOf } from "./apply/reason.ts";
import { faultOf, faultyFolders } from "./fault.ts";
import { readable } from "./image/raw-path.ts";
import type { Ledger } from "./ledger.ts";
import type { Loss } from "./store/record.ts";
import type { Committed } from "./view/commit.ts";

export interface NoteFacts {
  readonly ledger: Ledger;
  readonly stopped?: "timeout" | "cancelled";
  /** Why its changes could not be applied. */
  readonly failure?: string;
  readonly committed?: Pick<Committed, "held" | "losses"> &
    Partial<Pick<Committed, "applied" | "failed" | "withheld" | "heldAs">>;
  /** The id of its held changes. */
  readonly held?: string;
  /** Reviewed and not applied: the reason, and the changes as text. */
  readonly review?: { readonly why: string; readonly diff: string };
  /** Why its changes were discarded. */
  readonly discarded?: string;
  /** Processes that the command left running were ended. */
  readonly wasLeft?: boolean;
  readonly output?: string;
  /** Paths that the copy of the workspace lacks. */
  readonly unseen?: readonly string[];
}

/** Most names in a note. */
const SHOWN = 10;
const OVERFLOW = /EOVERFLOW|Value too large for (?:defined )?data type/i;
const CROSS_DEVICE = /EXDEV|Invalid cross-device link|cross-device link not permitted/i;

const REVIEW_HEAD = "None of this is applied yet.";

/** An output without the note about changes that a review holds. */
export function withoutReview(output: string): string {
  // The lines of the changes are indented, so the last such line begins the note.
  const at = `\n${output}`.lastIndexOf(`\n[${REVIEW_HEAD}`);
  return at < 0 ? output : output.slice(0, at) + output.slice(at).replace(/^[^\n]*\n?(?:[ \n][^\n]*\n?)*/, "");
}

/** Notes for the model about a command's changes, in addition to its output. Usually empty. */
export function notesOf(facts: NoteFacts): readonly string[] {
  const { ledger, stopped, failure, committed, held, review, discarded, wasLeft, output, unseen = [] } = facts;
  const notes: string[] = [];
  const list = (paths: readonly string[]) => {
    const shown = paths.slice(0, SHOWN).map((path) => readable(display(ledger.root, path)));
    return shown.join(", ") + (paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : "");
  };
  const ways = held === undefined ? "" : ledger.ways.held(held);
  const left = committed?.heldAs ?? "";
  if (unseen.length > 0)
    notes.push(
      `The command ran in a copy of the workspace that lacks ${list(unseen)}: this user may not read it, or the disk reported an error.`,
    );
  if (stopped) {
    const how = stopped === "timeout" ? "ran out of time" : "was cancelled";
    notes.push(`The command ${how}: its changes in the workspace are held and not applied. ${ways}`);
  }
  if (review) notes.push(`${REVIEW_HEAD} ${review.why} ${ways}\n${review.diff}`);
  if (discarded !== undefined) notes.push(`Its changes in the workspace were discarded. ${discarded}`);
  if (failure !== undefined)
    notes.push(`Its changes in the workspace could not be applied: ${failure} They are held. ${ways}`);
  if (committed && committed.held.length > 0)
    notes.push(
      `Not applied, because somebody else changed it while the command ran: ${list(committed.held)}. The command's version is held. ${ledger.ways.forced(left)}`,
    );
  if (committed?.failed && committed.failed.length > 0)
    notes.push(
      `Not applied: ${list(committed.failed.map(({ path }) => path))}. ${reasons(committed.failed)} The command's version is held. ${ledger.ways.held(left)}`,
    );
  if (committed?.withheld && committed.withheld.length > 0)
    notes.push(
      `Not applied, because it runs automatically, configures tools or is under a deny or ask rule: ${list(committed.withheld)}. It is held. ${ledger.ways.held(left)}`,
    );
  for (const [lacks, changes] of Map.groupBy(committed?.applied ?? [], (change) => change.lacks))
    if (lacks !== undefined && !isRepeated(ledger, lacks))
      notes.push(`Not carried over: ${lacks}. Affected: ${list(changes.map(({ path }) => path))}.`);
  if (committed && committed.losses.length > 0)
    notes.push(`Not undoable: ${list(committed.losses.map(({ path }) => path))}. ${reasons(committed.losses)}`);
  if (wasLeft)
    notes.push(
      "Its background processes were ended after two seconds. To keep a process running, start it with run_in_background.",
    );
  if (output !== undefined && CROSS_DEVICE.test(output.slice(-20_000)))
    notes.push("Commands run in a view of the workspace, where folders cannot be renamed directly. Copy, then remove.");
  if (output !== undefined && OVERFLOW.test(output.slice(-20_000)))
    notes.push(
      "Commands run in a view of the workspace, where files of other users cannot be changed. `find . ! -user $(id -u)` lists them; their owner or root can chown them to this user.",
    );
  return notes;
}

/** Whether a reason that holds for every command was told before. */
function isRepeated({ told }: Ledger, lacks: string): boolean {
  if (lacks !== UNREADABLE) return false;
  const isTold = told.has(lacks);
  told.add(lacks);
  return isTold;
}

const reasons = (losses: readonly Loss[]): string => [...new Set(losses.map(({ why }) => why))].slice(0, 3).join(" ");

/** The error of a command that succeeded, although its changes did not reach the workspace. */
export function unappliedOf({ held, failed }: Pick<Committed, "held" | "failed">): ToolError | undefined {
  const [first] = failed;
  if (first) return { code: "execution_failed", message: `${PART} could not be applied: ${first.why}`, hint: SEE_NOTE };
  if (held.length === 0) return undefined;
  const message = `${PART} were not applied: somebody else changed the same paths in the meantime.`;
  return { code: "conflict", message, hint: SEE_NOTE };
}

const PART = "The command has ended, but some of its changes";
const SEE_NOTE = "The changes are held: the note after the output says how to apply them.";

/** The same for a late error, such as a disk error, that prevented all changes. */
export function lateFault(thrown: unknown, ledger: Ledger): ToolError {
  const fault = faultOf(thrown);
  const message = "The command has ended, but its changes could not be applied";
  if (!fault) return { code: "execution_failed", message: `${message}: ${reasonOf(thrown)}`, hint: SEE_NOTE };
  return {
    code: fault.code,
    message: `${message}: ${fault.words}.`,
    hint: `${fault.cure} below ${faultyFolders(thrown, ledger).join(" and ")}. ${SEE_NOTE}`,
  };
}

/** The first line is Haft's own and is put in brackets; the rest is content. */
function bracketed(note: string): string {
  const [head = "", ...rest] = note.split("\n");
  return [`[${head}]`, ...rest, ""].join("\n");
}

/** The outcome with notes after its output. */
export function withNotes(outcome: RunOutcome, notes: readonly string[]): RunOutcome {
  if (notes.length === 0) return outcome;
  const text = notes.map(bracketed).join("");
  const gap = outcome.output === "" || outcome.output.endsWith("\n") ? "" : "\n";
  return { ...outcome, output: `${outcome.output}${gap}${text}` };
}
