import { join } from "node:path";
import type { JournalSettings } from "@haft/core/policy";
import {
  type Capture,
  type HostJournal,
  type JournalHints,
  type JournalOptions,
  openJournal,
  type Recovered,
} from "@haft/journal";
import type { StateFolder } from "@haft/service";
import type { HaftOptions } from "../haft.ts";
import type { NoticeListener } from "../notice.ts";
import { projectRoot } from "../workspace.ts";
import { recoveredNotice } from "./recovered.ts";

/** The journal of a workspace, and the capture of its commands. */
export interface Journaling {
  readonly journal: HostJournal;
  /** Absent: no program starts. */
  readonly capture?: Capture;
}

/** The place of the journal of a copy. */
export type JournalPlace = Pick<JournalOptions, "folder" | "root" | "beforeDirect" | "isLinked">;

export interface JournalingOptions extends Pick<HaftOptions, "env"> {
  readonly journal?: false | JournalHints;
  readonly settings?: JournalSettings;
  readonly state: StateFolder | undefined;
  /** Absolute, real. */
  readonly cwd: string;
  readonly capture?: Capture | undefined;
  /** The journal of a copy of the workspace. Default: that of the workspace. */
  readonly placed?: JournalPlace | undefined;
  /** Receives a notice for each call that was cut off. */
  readonly onNotice: NoticeListener;
}

/** `undefined` when no journal is kept: by option, by the settings, by `HAFT_JOURNAL=off`, or because nothing is written to disk. */
export function openJournaling(options: JournalingOptions): Journaling | undefined {
  const { journal, settings = {}, env = process.env, state, cwd, capture, placed, onNotice } = options;
  if (!state || journal === false || settings.enabled === false || env.HAFT_JOURNAL === "off") return undefined;
  return {
    journal: placed
      ? openJournal({
          ...placed,
          ...(capture ? { capture } : {}),
          ...(settings.bytes === undefined ? {} : { limit: settings.bytes }),
        })
      : journalOf(state, cwd, {
          ...{ limit: settings.bytes, ways: journal, ...(capture ? { capture } : {}) },
          onRecovered: (recovered) => onNotice(recoveredNotice(recovered)),
        }),
    ...(capture ? { capture } : {}),
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
