import { join } from "node:path";
import { createCapture, type HostJournal, openJournal, type ProcessesOptions, type StateFolder } from "@haft/tools";
import type { HaftOptions } from "../haft.ts";
import { projectRoot } from "../workspace.ts";

/** The journal of a workspace, and what the host needs so that commands can be captured. */
export interface Journaling {
  readonly journal: HostJournal;
  readonly around: NonNullable<ProcessesOptions["around"]>;
}

/** `undefined` when nothing is to be kept: by option, by `HAFT_JOURNAL=off`, or because nothing is written to disk. */
export function openJournaling(
  { journal, env = process.env }: Pick<HaftOptions, "journal" | "env">,
  state: StateFolder | undefined,
  cwd: string,
  isConfined = false,
): Journaling | undefined {
  if (!state || journal === false || env.HAFT_JOURNAL === "off") return undefined;
  // A sandbox watches over protected files in the real tree, which a view would hide from it until the commit.
  const capture = createCapture(isConfined ? { isConfined, variants: [] } : {});
  return { journal: journalOf(state, cwd, capture), around: capture.around };
}

/** The journal of the workspace `cwd` (absolute, real): beside its sessions. */
export const journalOf = (state: StateFolder, cwd: string, capture?: ReturnType<typeof createCapture>): HostJournal =>
  openJournal({
    folder: join(state.workspace(cwd), "journal"),
    root: projectRoot(cwd),
    ...(capture ? { capture } : {}),
  });
