import type { Hook } from "@haft/core/hook";
import type { UndoJournal } from "@haft/core/host";
import type { Mode, Policy } from "@haft/core/policy";
import { createClock, fail, type Ports } from "@haft/core/tool";
import { createFiles, createNet, createRipgrep, createState } from "@haft/host";
import type { JobStore } from "@haft/service/jobs";
import type { HaftOptions } from "../haft.ts";
import { type Journaling, type JournalPlace, openJournaling } from "../journal/open-journal.ts";
import type { NoticeListener } from "../notice.ts";
import type { Setup } from "./setup.ts";
import { privateHostsOf } from "./web-hosts.ts";

/** The ports of a session and the parts around its programs: capture, fence, and background work after a call. */
export interface World {
  readonly ports: Ports;
  readonly jobs: Pick<JobStore, "list" | "finished">;
  readonly journaling: Journaling | undefined;
  /** Hooks of its own. */
  readonly hooks?: readonly Hook[];
  /** The host's own journal. */
  readonly journal?: UndoJournal;
  /** @throws HaftError `validation_failed` if a mode needs more than this machine offers. */
  requireMode(mode: Mode): Promise<void>;
  /** Ends everything that is still running. */
  close(): Promise<void>;
}

/**
 * The world on this machine. `runs`: whether calls may start programs; if not, nothing for that is opened.
 *
 * @throws HaftError `validation_failed` if the machine cannot provide the sandbox of the settings or the view of the mode.
 */
export async function openWorld(
  setup: Setup,
  policy: () => Policy,
  onNotice: NoticeListener,
  { runs = true, placed }: { readonly runs?: boolean; readonly placed?: JournalPlace | undefined } = {},
): Promise<World> {
  const { options, cwd, state, settings, session, mode } = setup;
  const own = ownJournal(options);
  const running = runs || mode === "undoable" ? await import("../processes/open-programs.ts") : undefined;
  const journaling = openJournaling({
    ...{ state, cwd, placed, onNotice, capture: running?.openCapture(settings, policy) },
    ...(settings.journal ? { settings: settings.journal } : {}),
    ...(options.journal === undefined ? {} : { journal: isOwn(options.journal) ? false : options.journal }),
    ...(options.env ? { env: options.env } : {}),
  });
  const files = createFiles({ ripgrep: createRipgrep({ workspace: cwd }) });
  const programs = await running?.openPrograms(setup, { files, policy, journaling, onNotice });
  const net = createNet({ privateHosts: privateHostsOf(setup) });
  const languages = programs?.languages;
  const held = journaling?.journal.heldOf(session.id, () => policy().workspace.additional);
  if (state) await programs?.requireMode(mode);
  return {
    ports: {
      ...(programs ? { processes: programs.processes, jobs: programs.jobs } : { processes: { run: startsNothing } }),
      ...{ files, net, clock: createClock(), state: createState() },
      ...(held ? { held } : {}),
      ...(languages ? { language: languages } : {}),
    },
    jobs: programs?.jobs ?? NO_JOBS,
    journaling,
    ...(programs ? { hooks: programs.hooks } : {}),
    ...(own ? { journal: own } : {}),
    requireMode: programs?.requireMode ?? startsNothing,
    async close() {
      await Promise.all([programs?.close(), net.close()]);
    },
  };
}

const startsNothing = async () =>
  fail("tool_unavailable", "This Haft was opened for a tool that starts no programs.", "Open one with createHaft.");

/** The background jobs of a world that has none. */
export const NO_JOBS: World["jobs"] = { list: () => [], finished: () => [] };

/** The journal in the options, if it is one of the host's own. */
export const ownJournal = ({ journal }: Pick<HaftOptions, "journal">): UndoJournal | undefined =>
  isOwn(journal) ? journal : undefined;

const isOwn = (journal: HaftOptions["journal"]): journal is UndoJournal =>
  typeof journal === "object" && "change" in journal;
