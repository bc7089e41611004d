import { join } from "node:path";
import type { Policy, ShellSettings } from "@haft/core/policy";
import type { Ports } from "@haft/core/tool";
import { createHost, createJobs, type JobStore, shellEnvironment } from "@haft/tools";
import { holdProcesses, requireHold } from "../journal/hold.ts";
import { type Journaling, openJournaling } from "../journal/open-journal.ts";
import { leanReaders } from "../lean-readers.ts";
import { isSandboxed, openSandbox, type Sandbox } from "../sandbox.ts";
import type { Setup } from "./setup.ts";

/** The ports of a session, with what stands around its programs: capture, fence, and what runs on after a call. */
export interface World {
  readonly ports: Ports;
  readonly jobs: JobStore;
  readonly journaling: Journaling | undefined;
  readonly problems: Sandbox["problems"];
  /** Ends everything that still runs. */
  close(): Promise<void>;
}

/** @throws HaftError `validation_failed` where the settings want a sandbox, or the mode a view, that cannot be had. */
export async function openWorld(setup: Setup, policy: () => Policy): Promise<World> {
  const { options, home, cwd, state, settings, session, mode } = setup;
  const workspace = () => policy().workspace;
  const journaling = openJournaling({
    ...{ state, cwd, workspace, isConfined: isSandboxed(settings) },
    ...(settings.journal ? { settings: settings.journal } : {}),
    ...(options.journal === undefined ? {} : { journal: options.journal }),
    ...(options.env ? { env: options.env } : {}),
  });
  const around = journaling ? { around: journaling.around } : {};
  const set = shellEnvironment({
    ...{ ...settings.shell, ...options.shell },
    env: { ...settings.shell?.env, ...options.shell?.env },
  });
  const host = createHost({ cwd, home, processes: { environment: { set }, ...around } });
  const plain = leanReaders(host.ports.processes, set, setup.workspace, journaling?.around);
  const sandbox = await openSandbox({
    ...{ settings, workspace, state, plain },
    ...{ tmp: session.dir && join(session.dir, "tmp"), environment: set, ...around },
  });
  const jobs = createJobs({
    environment: { set },
    terminal: sizeOf({ ...settings.shell, ...options.shell }),
    ...(session.spill ? { folder: join(session.spill, "jobs") } : {}),
    ...(sandbox.fence ? { fence: sandbox.fence } : {}),
    ...(journaling ? { onEnded: (id) => journaling.journal.jobs.ended(id) } : {}),
  });
  const holding = { settings, workspace, state, journaling, environment: set };
  if (options.stateDir !== false) await requireHold(mode, holding);
  const processes = holdProcesses(sandbox.processes ?? plain, holding);
  return {
    ports: { ...host.ports, processes, jobs },
    jobs,
    journaling,
    problems: sandbox.problems,
    async close() {
      await Promise.all([jobs.close(), host.close(), plain.close(), sandbox.processes?.close(), processes.close()]);
    },
  };
}

const sizeOf = ({ columns, rows }: ShellSettings) => ({
  ...(columns === undefined ? {} : { columns }),
  ...(rows === undefined ? {} : { rows }),
});
