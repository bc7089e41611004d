import { stat } from "node:fs/promises";
import { fail, type Processes, type RunOutcome, type RunRequest } from "@haft/core/tool";
import { type EnvironmentOptions, environmentOf } from "./environment.ts";
import { createWatchdog } from "./family/watchdog.ts";
import { endGroup, GRACE_CANCEL_MS, type Group, signalGroup } from "./group.ts";
import { contentsFor } from "./identity/contents.ts";
import { checkGranted, identify, scriptDigest } from "./identity/identify.ts";
import { createChoiceFinder } from "./identity/version-choice.ts";
import { createPipeStore } from "./pipe.ts";
import { createAhead } from "./prespawn.ts";
import type { HostOutcome, Program, Spawn } from "./program.ts";
import { findShell, type Shell, shellCommand, waitingShell } from "./shell.ts";
import { sharedStarter } from "./start/starter.ts";

export type { HostOutcome, Replica, Spawn, Standby } from "./program.ts";

/** Wraps a program. Descriptor 3 must stay open inside, since the final folder is written to it. */
export type Wrap = (command: Spawn) => Spawn | Promise<Spawn>;

/** Options for starting programs and capturing their output. */
export interface ProcessesOptions {
  /** Absolute path of the shell. Default: bash, else sh. */
  readonly shell?: string;
  readonly environment?: EnvironmentOptions;
  /** Wraps the program and its sandbox in the view of the workspace. */
  readonly around?: (command: Spawn) => Spawn;
  /** `false`: starts nothing before its command is known. `idleMs`: how long a prestarted program waits (default 3 minutes). `closeMs`: the longest pause between commands that count as close (default 100). */
  readonly ahead?: false | { readonly idleMs: number; readonly closeMs?: number };
  /** Characters of output to keep. Default 16 million. */
  readonly captureChars?: number;
}

/** Runs programs on this machine, and ends those that commands left running. */
export interface HostProcesses extends Processes {
  /** `wrap` is for this one run. */
  run(request: RunRequest, wrap?: Wrap): Promise<HostOutcome>;
  identify: NonNullable<Processes["identify"]>;
  /** `wrap` is as for `run`; `wrap` itself starts nothing. */
  prepare(like: Parameters<NonNullable<Processes["prepare"]>>[0], wrap?: Wrap): Promise<void>;
  digest: NonNullable<Processes["digest"]>;
  contents: NonNullable<Processes["contents"]>;
  replaced: NonNullable<Processes["replaced"]>;
  runsBash: NonNullable<Processes["runsBash"]>;
  /** Ends every orphaned process group of this object's commands. */
  close(): Promise<void>;
}

/** Runs commands in this machine's shell, each as the leader of its own process group. */
export function createProcesses(options: ProcessesOptions = {}): HostProcesses {
  let shell: Promise<Shell> | undefined;
  const groups = createGroups();
  const starter = sharedStarter();
  const pipes = createPipeStore(starter);
  const ahead = createAhead({ launch: (spawn) => launch(spawn, true), ...options.ahead });

  async function launch(spawn: Spawn, hasInput = false): Promise<Program> {
    groups.arm();
    const { launch } = await import("./program.ts");
    const program = await launch(spawn, { pipes, starter, hasInput });
    const group = { id: program.pid };
    groups.add(group);
    const settle = () => groups.settle(group);
    program.ended.then(settle, settle);
    return program;
  }

  return {
    async run(request, wrap = (plain) => plain) {
      shell ??= findShell(options.shell);
      await checkRequest(request);
      const startedMs = performance.now();
      const { command, cwd } = request;
      const env = environmentOf(options.environment, request.env);
      const own = await wrap({ argv: shellCommand(await shell, command), cwd, env });
      const spawn = options.around?.(own) ?? own;
      if (request.signal?.aborted) return neverStarted();
      const waiting = await ahead.take(spawn, { cwd, env }, command);
      if (!waiting) spawn.begin?.();
      const program = waiting ?? (await launch(spawn));
      const before = waiting?.before ?? "";
      const awaiting = options.ahead === false ? undefined : waitingShell(await shell);
      if (awaiting) ahead.prepare(spawn, { cwd, env }, awaiting, { isRunning: true });
      const { follow } = await import("./program.ts");
      const outcome = await follow(program, { request, captureChars: options.captureChars, startedMs, before });
      groups.settle({ id: program.pid });
      if (awaiting) ahead.prepare(spawn, { cwd, env }, awaiting);
      return outcome;
    },
    async prepare({ cwd }, wrap = (plain) => plain) {
      shell ??= findShell(options.shell);
      const awaiting = waitingShell(await shell);
      if (awaiting === undefined || options.ahead === false) return;
      const env = environmentOf(options.environment);
      const own = await wrap({ argv: awaiting, cwd, env });
      ahead.prepare(options.around?.(own) ?? own, { cwd, env }, awaiting, { isSure: true });
    },
    identify: (place) => identify(place, environmentOf(options.environment).PATH ?? ""),
    digest: scriptDigest,
    contents: contentsFor,
    replaced: createChoiceFinder(options.environment),
    async runsBash() {
      shell ??= findShell(options.shell);
      return (await shell).isBash;
    },
    async close() {
      await ahead.close();
      pipes.close();
      starter.close();
      await groups.close();
    },
  };
}

/** The process groups of commands, until they are empty. A watchdog ends them if this process dies. */
function createGroups() {
  const watchdog = createWatchdog();
  const all = new Set<number>();
  return {
    arm: () => watchdog.arm(),
    add(group: Group) {
      all.add(group.id);
      watchdog.guard(group.id);
    },
    /** Forgets an empty group: the system may reuse its number. */
    settle(group: Group) {
      if (signalGroup(group, 0)) return;
      all.delete(group.id);
      watchdog.release(group.id);
    },
    async close() {
      const left = [...all].filter((id) => signalGroup({ id }, 0));
      all.clear();
      await Promise.all(left.map((id) => endGroup({ id }, GRACE_CANCEL_MS)));
      watchdog.close();
    },
  };
}

async function checkRequest(request: RunRequest): Promise<void> {
  if (request.command.includes("\0"))
    fail("invalid_input", "A command cannot hold a NUL character.", "Remove it from the command.");
  checkGranted(request, request.bound);
  const found = await stat(request.cwd).catch(() => undefined);
  if (!found) fail("file_not_found", `The working folder ${request.cwd} does not exist.`, "Name a folder that exists.");
  if (!found.isDirectory())
    fail("not_directory", `The working folder ${request.cwd} is not a folder.`, "Name a folder.");
}

function neverStarted(): RunOutcome {
  const nothing = { output: "", stdout: "", stderr: "", durationMs: 0 };
  return { exitCode: null, timedOut: false, cancelled: true, left: false, ...nothing };
}
