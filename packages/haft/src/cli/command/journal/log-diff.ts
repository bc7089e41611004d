import { display } from "@haft/core/tool";
import type { EntryChanges, HostJournal, Preview } from "@haft/journal";
import { isDirect } from "@haft/journal/undo";
import { oneLine, visible } from "../../../draw/sanitize.ts";
import { bodyOf } from "./diff-body.ts";

/** The changes of a call, for people and for programs. */
export interface CallDiff {
  readonly text: string;
  readonly json: readonly Preview[];
}

/** Whether an id belongs to a call or to one of its nested calls. */
export const isOf = (id: unknown, call: string): boolean => id === call || String(id).startsWith(`${call}.`);

/** The file changes of a session's calls, by call. */
export async function diffsOf(
  journal: HostJournal,
  session: string,
  call: string | undefined,
  cwd: string,
): Promise<ReadonlyMap<string, CallDiff>> {
  const made = (await journal.changesOf(session, call)).filter(
    ({ entry: { kind } }) => kind === "write" || kind === "command",
  );
  const byCall = Map.groupBy(made, ({ entry }) => entry.call);
  return new Map([...byCall].map(([id, entries]) => [id, diffOf(entries, cwd)]));
}

function diffOf(entries: readonly EntryChanges[], cwd: string): CallDiff {
  const previews = entries.flatMap((one) => one.previews);
  const jobs = [...new Set(entries.flatMap(({ entry }) => entry.jobs ?? []))];
  const isShared = entries.some(({ entry }) => isDirect(entry)) ? "         changed while the command ran\n" : "";
  const during = jobs.length === 0 ? "" : `         during job ${oneLine(jobs.join(", "))}\n`;
  const undone = entries.every(({ entry }) => entry.undoneBy !== undefined) ? "         undone since\n" : "";
  return {
    text: `${isShared}${during}${undone}${previews.map((preview) => linesOf(preview, cwd)).join("")}`,
    json: previews,
  };
}

function linesOf({ path, what, diff }: Preview, cwd: string): string {
  const head = `         ${oneLine(display(cwd, path.toWellFormed()))}: ${oneLine(what)}\n`;
  return diff === undefined ? head : `${head}${bodyOf(visible(diff)).replace(/^/gm, "       ")}\n`;
}
