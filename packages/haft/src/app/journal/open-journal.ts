import { join } from "node:path";
import type { JournalSettings, Workspace } from "@haft/core/policy";
import type { ProcessesOptions } from "@haft/host";
import {
  type Capture,
  createCapture,
  type HostJournal,
  type JournalHints,
  type JournalOptions,
  openJournal,
  type Recovered,
  variantsOf,
} from "@haft/journal";
import type { StateFolder } from "@haft/service";
import type { HaftOptions } from "../haft.ts";
import type { NoticeListener } from "../notice.ts";
import { projectRoot } from "../workspace.ts";
import { recoveredNotice } from "./recovered.ts";

/** The journal of a workspace, and the parts that the host needs to capture commands. */
export interface Journaling {
  readonly journal: HostJournal;
  readonly around: NonNullable<ProcessesOptions["around"]>;
  /** Whether programs started now run in a view. Processes that they leave running then end with the view. */
  isViewing(): boolean;
}

/** The place of the journal of a copy. */
export type JournalPlace = Pick<JournalOptions, "folder" | "root" | "beforeDirect" | "isLinked">;

export interface JournalingOptions extends Pick<HaftOptions, "env"> {
  readonly journal?: false | JournalHints;
  readonly settings?: JournalSettings;
  readonly state: StateFolder | undefined;
  /** Absolute, real. */
  readonly cwd: string;
  readonly workspace: () => Workspace;
  /** Every command runs in a sandbox, not only those on hold. */
  readonly isConfined: boolean;
  /** The journal of a copy of the workspace. Default: that of the workspace. */
  readonly placed?: JournalPlace | undefined;
  /** Receives a notice for each call that was cut off. */
  readonly onNotice: NoticeListener;
}

/** `undefined` when no journal is kept: by option, by the settings, by `HAFT_JOURNAL=off`, or because nothing is written to disk. */
export function openJournaling(options: JournalingOptions): Journaling | undefined {
  const { journal, settings = {}, env = process.env, state, cwd, workspace, isConfined, placed, onNotice } = options;
  if (!state || journal === false || settings.enabled === false || env.HAFT_JOURNAL === "off") return undefined;
  const capture = createCapture({
    isConfined: (bound) => isConfined || bound?.hold === true,
    additional: () => workspace().additional,
    ...(settings.tier === undefined ? {} : { variants: variantsOf(settings.tier) }),
  });
  return {
    journal: placed
      ? openJournal({ ...placed, capture, ...(settings.bytes === undefined ? {} : { limit: settings.bytes }) })
      : journalOf(state, cwd, {
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
  readonly ways?: JournalHints | undefined;
  readonly onRecovered?: (recovered: Recovered) => void;
}

/** The journal of the workspace `cwd` (absolute, real). It is stored next to the workspace's sessions. */
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
