import { join } from "node:path";
import type { JournalSettings, Workspace } from "@haft/core/policy";
import {
  type Capture,
  createCapture,
  type HostJournal,
  type JournalWays,
  openJournal,
  type ProcessesOptions,
  type Recovered,
  type StateFolder,
} from "@haft/tools";
import type { HaftOptions } from "../haft.ts";
import type { NoticeListener } from "../notice.ts";
import { projectRoot } from "../workspace.ts";
import { recoveredNotice } from "./recovered.ts";

/** The journal of a workspace, and what the host needs so that commands can be captured. */
export interface Journaling {
  readonly journal: HostJournal;
  readonly around: NonNullable<ProcessesOptions["around"]>;
  /** Whether what is started now is put into a view: what it leaves running ends with it. */
  isViewing(): boolean;
}

export interface JournalingOptions extends Pick<HaftOptions, "journal" | "env"> {
  readonly settings?: JournalSettings;
  readonly state: StateFolder | undefined;
  /** Absolute, real. */
  readonly cwd: string;
  readonly workspace: () => Workspace;
  /** Every command runs in a sandbox, not only those on hold. */
  readonly isConfined: boolean;
  /** Told what became of calls that were cut off. */
  readonly onNotice: NoticeListener;
}

/** `undefined` when nothing is to be kept: by option, by the settings, by `HAFT_JOURNAL=off`, or because nothing is written to disk. */
export function openJournaling(options: JournalingOptions): Journaling | undefined {
  const { journal, settings = {}, env = process.env, state, cwd, workspace, isConfined, onNotice } = options;
  if (!state || journal === false || settings.enabled === false || env.HAFT_JOURNAL === "off") return undefined;
  const capture = createCapture({
    isConfined: (bound) => isConfined || bound?.hold === true,
    additional: () => workspace().additional,
  });
  return {
    journal: journalOf(state, cwd, {
      ...{ capture, limit: settings.bytes, ways: journal },
      onRecovered: (recovered) => onNotice(recoveredNotice(recovered)),
    }),
    around: capture.around,
    isViewing: capture.isViewing,
  };
}

interface JournalParts {
  readonly capture?: Capture;
  readonly limit?: number | undefined;
  readonly ways?: JournalWays | undefined;
  readonly onRecovered?: (recovered: Recovered) => void;
}

/** The journal of the workspace `cwd` (absolute, real): beside its sessions. */
export const journalOf = (
  state: StateFolder,
  cwd: string,
  { capture, limit, ways, onRecovered }: JournalParts = {},
): HostJournal =>
  openJournal({
    folder: join(state.workspace(cwd), "journal"),
    root: projectRoot(cwd),
    state: state.root,
    ...(capture ? { capture } : {}),
    ...(limit === undefined ? {} : { limit }),
    ...(ways === undefined ? {} : { ways }),
    ...(onRecovered ? { onRecovered } : {}),
  });
