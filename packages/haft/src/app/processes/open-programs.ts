/** @module Everything that starts programs in a session: its processes, their fences and views, background jobs, and language servers. */
import { join } from "node:path";
import type { Hook } from "@haft/core/hook";
import {
  type Mode,
  onlyReads,
  type Policy,
  type Settings,
  type ShellSettings,
  type Workspace,
} from "@haft/core/policy";
import type { Files } from "@haft/core/tool";
import { createProcesses, shellEnvironment } from "@haft/host/process";
import type { Capture } from "@haft/journal";
import { createCapture, variantsOf } from "@haft/journal/capture";
import { createJobs, type JobStore, withLeftovers } from "@haft/service/jobs";
import type { SessionLanguages } from "@haft/service/language";
import { type Hold, openHold, requireHold } from "../journal/hold.ts";
import type { Journaling } from "../journal/open-journal.ts";
import { editDiagnostics } from "../language/edit-diagnostics.ts";
import { openLanguages } from "../language/open-languages.ts";
import type { LanguageSetup } from "../language/start-languages.ts";
import type { NoticeListener } from "../notice.ts";
import { isSandboxed, openSandbox, type Sandbox } from "../sandbox.ts";
import { real } from "../workspace.ts";
import { minimalEnvironment, minimalEnvProcesses } from "./minimal-env-processes.ts";

/** The part of a session's setup that its programs need. */
export interface ProgramsSetup extends LanguageSetup {
  readonly session: { readonly dir?: string | undefined; readonly spill?: string | undefined };
  readonly home: string;
  /** The workspace at the start. */
  readonly workspace: Workspace;
}

export interface ProgramsOptions {
  readonly files: Files;
  readonly policy: () => Policy;
  readonly journaling: Journaling | undefined;
  /** Receives one notice if an expected sandbox is missing. */
  readonly onNotice: NoticeListener;
}

/** The programs of a session. */
export interface Programs {
  readonly processes: Hold["processes"];
  readonly jobs: JobStore;
  readonly languages: SessionLanguages | undefined;
  /** Hooks of their own. */
  readonly hooks: readonly Hook[];
  /** @throws HaftError `validation_failed` if a mode needs more than this machine offers. */
  requireMode(mode: Mode): Promise<void>;
  /** Ends everything that is still running. */
  close(): Promise<void>;
}

/** The capture of what commands change, for the journal. */
export const openCapture = (settings: Settings, policy: () => Policy): Capture =>
  createCapture({
    isConfined: (bound) => isSandboxed(settings) || bound?.hold === true,
    additional: () => policy().workspace.additional,
    ...(settings.journal?.tier === undefined ? {} : { variants: variantsOf(settings.journal.tier) }),
  });

/** @throws HaftError `validation_failed` if the machine cannot provide the sandbox of the settings. */
export async function openPrograms(
  setup: ProgramsSetup,
  { files, policy, journaling, onNotice }: ProgramsOptions,
): Promise<Programs> {
  const { settings, options, session, state } = setup;
  const workspace = () => policy().workspace;
  const capture = journaling?.capture;
  const around = capture ? { around: capture.around } : {};
  const set = variablesOf(setup);
  const raw = createProcesses({ environment: { set }, ...around });
  const lean = minimalEnvProcesses(raw, {
    ...{ set, workspace: setup.workspace, ...around },
    keepsPrivate: () => policy().mode !== "bypassPermissions",
  });
  const plain = withLeftovers(
    lean,
    () => jobs,
    ({ bound }) => !(bound && onlyReads(bound)) && capture?.isViewing() !== true,
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
  const languages = openLanguages(setup, policy);
  return {
    ...{ processes: hold.processes, jobs, languages },
    hooks: languages ? [editDiagnostics(languages, files)] : [],
    requireMode: (mode) => requireHold(mode, holding),
    async close() {
      const own = [jobs, raw, plain, hold, languages, sandbox.processes];
      await Promise.all(own.map((one) => one?.close()));
    },
  };
}

/** The variables that programs of the session get. */
const variablesOf = ({ settings, options, home }: ProgramsSetup) => ({
  ...shellEnvironment({
    ...{ ...settings.shell, ...options.shell },
    env: { ...settings.shell?.env, ...options.shell?.env },
  }),
  ...homeOf(home),
});

/** Sets `~` of commands to the home used in decisions, even if this process has another one. */
const homeOf = (home: string): Readonly<Record<string, string>> =>
  real(process.env.HOME ?? "") === home ? {} : { HOME: home };

const sizeOf = ({ columns, rows }: ShellSettings) => ({
  ...(columns === undefined ? {} : { columns }),
  ...(rows === undefined ? {} : { rows }),
});
