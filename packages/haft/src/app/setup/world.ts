import { join } from "node:path";
import type { UndoJournal } from "@haft/core/host";
import type { Mode, Policy, ShellSettings } from "@haft/core/policy";
import { onlyReads } from "@haft/core/policy";
import type { Ports } from "@haft/core/tool";
import { createHost, shellEnvironment } from "@haft/host";
import { createJobs, type JobStore, withLeftovers } from "@haft/service/jobs";
import type { SessionLanguages } from "@haft/service/language";
import type { HaftOptions } from "../haft.ts";
import { openHold, requireHold } from "../journal/hold.ts";
import { type Journaling, type JournalPlace, openJournaling } from "../journal/open-journal.ts";
import { openLanguages } from "../language/open-languages.ts";
import type { NoticeListener } from "../notice.ts";
import { minimalEnvironment, minimalEnvProcesses } from "../processes/minimal-env-processes.ts";
import { isSandboxed, openSandbox, type Sandbox } from "../sandbox.ts";
import { real } from "../workspace.ts";
import type { Setup } from "./setup.ts";
import { privateHostsOf } from "./web-hosts.ts";

/** The ports of a session and the parts around its programs: capture, fence, and background work after a call. */
export interface World {
  readonly ports: Ports;
  readonly jobs: JobStore;
  readonly journaling: Journaling | undefined;
  readonly languages?: SessionLanguages;
  /** The host's own journal. */
  readonly journal?: UndoJournal;
  /** @throws HaftError `validation_failed` if a mode needs more than this machine offers. */
  requireMode(mode: Mode): Promise<void>;
  /** Ends everything that is still running. */
  close(): Promise<void>;
}

/** @throws HaftError `validation_failed` if the machine cannot provide the sandbox of the settings or the view of the mode. */
export async function openWorld(
  setup: Setup,
  policy: () => Policy,
  onNotice: NoticeListener,
  placed?: JournalPlace,
): Promise<World> {
  const { options, home, cwd, state, settings, session, mode } = setup;
  const workspace = () => policy().workspace;
  const own = ownJournal(options);
  const journaling = openJournaling({
    ...{ state, cwd, workspace, isConfined: isSandboxed(settings), placed, onNotice },
    ...(settings.journal ? { settings: settings.journal } : {}),
    ...(options.journal === undefined ? {} : { journal: isOwn(options.journal) ? false : options.journal }),
    ...(options.env ? { env: options.env } : {}),
  });
  const around = journaling ? { around: journaling.around } : {};
  const set = variablesOf(setup);
  const host = createHost({
    ...{ cwd, home, processes: { environment: { set }, ...around } },
    net: { privateHosts: privateHostsOf(setup) },
  });
  const languages = openLanguages(setup, policy);
  const lean = minimalEnvProcesses(host.ports.processes, {
    ...{ set, workspace: setup.workspace, ...around },
    keepsPrivate: () => policy().mode !== "bypassPermissions",
  });
  const plain = withLeftovers(
    lean,
    () => jobs,
    ({ bound }) => !(bound && onlyReads(bound)) && journaling?.isViewing() !== true,
  );
  // With `lookOnly` nothing runs, so the settings need no sandbox.
  const sandbox: Sandbox = options.lookOnly
    ? {}
    : await openSandbox({
        ...{ settings, workspace, state, plain },
        ...{ tmp: session.dir && join(session.dir, "tmp"), environment: set, ...around, onNotice },
      });
  const holding = { settings, workspace, state, journaling, environment: set };
  const hold = openHold({ ...holding, others: { processes: sandbox.processes ?? plain, fence: sandbox.fence } });
  const jobs: JobStore = createJobs({
    environment: { set },
    readerEnvironment: minimalEnvironment(set, setup.workspace),
    terminal: sizeOf({ ...settings.shell, ...options.shell }),
    ...(session.spill ? { folder: join(session.spill, "jobs") } : {}),
    fence: async (command, request) => (await hold.fence(command, request)) ?? lean.refuse(request.bound),
    servesHeld: true,
    mount: async (command, copy) => (await import("@haft/journal/copies")).mountCopy(copy, command),
    ...(journaling ? { onEnded: (id) => journaling.journal.jobs.ended(id) } : {}),
  });
  const held = journaling?.journal.heldOf(session.id, () => workspace().additional);
  if (state) await requireHold(mode, holding);
  return {
    ports: {
      ...{ ...host.ports, processes: hold.processes, jobs },
      ...(held ? { held } : {}),
      ...(languages ? { language: languages } : {}),
    },
    jobs,
    journaling,
    ...(languages ? { languages } : {}),
    ...(own ? { journal: own } : {}),
    requireMode: (wanted) => requireHold(wanted, holding),
    async close() {
      await Promise.all([
        jobs.close(),
        host.close(),
        languages?.close(),
        plain.close(),
        sandbox.processes?.close(),
        hold.close(),
      ]);
    },
  };
}

/** The variables that programs of the session get. */
const variablesOf = ({ settings, options, home }: Setup) => ({
  ...shellEnvironment({
    ...{ ...settings.shell, ...options.shell },
    env: { ...settings.shell?.env, ...options.shell?.env },
  }),
  ...homeOf(home),
});

/** The journal in the options, if it is one of the host's own. */
export const ownJournal = ({ journal }: Pick<HaftOptions, "journal">): UndoJournal | undefined =>
  isOwn(journal) ? journal : undefined;

const isOwn = (journal: HaftOptions["journal"]): journal is UndoJournal =>
  typeof journal === "object" && "change" in journal;

/** Sets `~` of commands to the home used in decisions, even if this process has another one. */
const homeOf = (home: string): Readonly<Record<string, string>> =>
  real(process.env.HOME ?? "") === home ? {} : { HOME: home };

const sizeOf = ({ columns, rows }: ShellSettings) => ({
  ...(columns === undefined ? {} : { columns }),
  ...(rows === undefined ? {} : { rows }),
});
