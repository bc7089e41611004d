import type { JournalCall } from "@haft/core/executor";
import type { RunOutcome, RunRequest } from "@haft/core/tool";
import { BASE_ENTRIES, type Base } from "../base/base.ts";
import type { Ledger } from "../ledger.ts";
import { notesOf, withNotes } from "../notes.ts";
import { notUndoable } from "../store/loss.ts";
import type { Change, Loss } from "../store/record.ts";
import { type Before, changesSince, lookBefore, scanAll, tooMany } from "./before.ts";

/**
 * Runs a command in the workspace itself, or in the given folders. Scans them before and after. Old content comes
 * from git for clean files, and from earlier copies for small files. Any other change is reported as not undoable.
 */
export async function runDirect(
  ledger: Ledger,
  call: JournalCall,
  request: RunRequest,
  run: (request: RunRequest) => Promise<RunOutcome>,
  folders: readonly string[] = [ledger.root],
  base?: Base,
): Promise<RunOutcome> {
  const before = await lookBefore(ledger, folders, undefined, base);
  const entry = { kind: "command", session: call.session, call: call.id, tool: call.tool, turn: call.turn } as const;
  const id = ledger.intend({ ...entry, changes: [] });
  try {
    const outcome = await run(request);
    const { changes: applied, losses } = await book(ledger, id, before);
    return withNotes(outcome, notesOf({ ledger, committed: { held: [], applied, losses } }));
  } catch (thrown) {
    await book(ledger, id, before);
    throw thrown;
  }
}

interface Booked {
  readonly changes: readonly Change[];
  /** Changes that cannot be undone. */
  readonly losses: readonly Loss[];
}

/** Records the changes. */
async function book(ledger: Ledger, id: string, before: Before): Promise<Booked> {
  const { folders, scan } = before;
  const after = scan.complete ? scanAll(ledger, folders, undefined, before.base && BASE_ENTRIES) : scan;
  const losses: Loss[] = [];
  const changes = scan.complete ? await changesSince(ledger, before, after, (loss) => losses.push(loss)) : [];
  if (!scan.complete) losses.push(...tooMany(folders, "It has too many files to check."));
  else if (!after.complete) losses.push(...tooMany(folders, "The command created too many files to check."));
  if (changes.length === 0 && losses.length === 0) ledger.drop(id);
  else ledger.done(id, changes, losses);
  return { changes, losses: [...losses, ...notUndoable(changes)] };
}
