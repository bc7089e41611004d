import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { fail, type Processes, type RunOutcome, type RunRequest } from "@haft/core/tool";
import { errnoOf } from "../files/fault.ts";
import { locate } from "../files/locate.ts";
import { Capture } from "./capture.ts";
import { drain } from "./drain.ts";
import { type EnvironmentOptions, environmentOf } from "./environment.ts";
import { endGroup, type Group, signalGroup } from "./group.ts";
import { identify } from "./identify.ts";
import { createPipeStore, type Pipe } from "./pipe.ts";
import { findShell, type Shell, shellCommand } from "./shell.ts";
import { createWatchdog } from "./watchdog.ts";

/** A program as it is started. */
export interface Spawn {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Open descriptors that it gets besides the first four, from number 4 on. */
  readonly descriptors?: readonly number[];
}

/** How a program ended. */
export interface HostOutcome extends RunOutcome {
  /** What was written to descriptor 3 instead of a folder: what stands around the program has something to say. */
  readonly said?: string;
}

/** Puts something around a program. Descriptor 3 must stay open in it for the final folder to be learnt. */
export type Wrap = (command: Spawn) => Spawn | Promise<Spawn>;

export interface ProcessesOptions {
  /** Absolute path of the shell. Default: bash, else sh. */
  readonly shell?: string;
  readonly environment?: EnvironmentOptions;
  /** Puts a sandbox around every program. */
  readonly wrap?: Wrap;
  /** Puts something around the program and its sandbox: the view of the workspace that it works in. */
  readonly around?: (command: Spawn) => Spawn;
  /** Characters of output that are kept. Default 16 million. */
  readonly captureChars?: number;
}

/** Programs of this machine, and the end of those that commands left running. */
export interface HostProcesses extends Processes {
  /** `wrap` is for this one run, within that of the options. */
  run(request: RunRequest, wrap?: Wrap): Promise<HostOutcome>;
  identify: NonNullable<Processes["identify"]>;
  /** Ends every process group that a command of this object left behind. */
  close(): Promise<void>;
}

/** Milliseconds between asking and making, when the time is over or a person cancels. */
const GRACE_TIMEOUT_MS = 2000;
const GRACE_CANCEL_MS = 500;

/** Commands of this machine's shell, each as the leader of its own process group. */
export function createProcesses(options: ProcessesOptions = {}): HostProcesses {
  let shell: Promise<Shell> | undefined;
  const store = createPipeStore();
  const groups = createGroups();
  return {
    async run(request, wrap = (plain) => plain) {
      shell ??= findShell(options.shell);
      await checkRequest(request);
      const env = environmentOf(options.environment, request.env);
      const plain = { argv: shellCommand(await shell, request.command), cwd: request.cwd, env };
      const own = await wrap(plain);
      const wrapped = (await options.wrap?.(own)) ?? own;
      // What is put around knows nothing of the descriptors, and hands them on.
      const command = { ...wrapped, ...options.around?.(wrapped) };
      if (request.signal?.aborted) return neverStarted();
      const pipes = await store.take(2);
      try {
        return await runCommand(command, request, groups, pipes, options.captureChars);
      } catch (thrown) {
        for (const pipe of pipes ?? []) pipe.reader.destroy();
        throw thrown;
      }
    },
    identify: (place) => identify(place, environmentOf(options.environment).PATH ?? ""),
    async close() {
      store.close();
      await groups.close();
    },
  };
}

/** The groups that commands lead, until nobody is left in them; a watchdog ends them should this process die. */
function createGroups() {
  const watchdog = createWatchdog();
  const all = new Set<number>();
  return {
    arm: () => watchdog.arm(),
    add(group: Group) {
      all.add(group.id);
      watchdog.guard(group.id);
    },
    /** Forgets a group that is empty: its number may be given to a stranger. */
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

async function runCommand(
  command: Spawn,
  request: RunRequest,
  groups: ReturnType<typeof createGroups>,
  pipes: readonly Pipe[] | undefined,
  captureChars: number | undefined,
): Promise<HostOutcome> {
  const started = performance.now();
  groups.arm();
  const child = start(command, pipes);
  const ended = exitOf(child, command);
  // It is awaited below, after the pipes are handed over; a failure until then is not lost.
  ended.catch(() => undefined);
  const [stdout, stderr] = [pipes?.[0]?.reader ?? child.stdout, pipes?.[1]?.reader ?? child.stderr];
  const capture = new Capture(captureChars);
  listen(stdout, (text) => capture.add("stdout", text), request.onOutput);
  listen(stderr, (text) => capture.add("stderr", text), request.onOutput);
  const folder = readAll(child.stdio[3] as Readable | null | undefined);
  await Promise.all((pipes ?? []).map((pipe) => pipe.closeWriter()));
  if (child.pid === undefined) await ended;
  const group = { id: child.pid! };
  groups.add(group);
  const stopped = stopOn(group, request);
  const { code, signal } = await ended;
  const why = await stopped.settle();
  const left = !(await drain([stdout, stderr]));
  const cwd = folder().trimEnd();
  child.stdio[3]?.destroy();
  groups.settle(group);
  return {
    exitCode: code,
    ...(signal ? { signal } : {}),
    timedOut: why === "timeout",
    cancelled: why === "cancel",
    output: capture.text(),
    stdout: capture.text("stdout"),
    stderr: capture.text("stderr"),
    durationMs: Math.round(performance.now() - started),
    ...(cwd.startsWith("/") ? { cwd } : cwd === "" ? {} : { said: cwd }),
    left,
  };
}

/** Decodes a stream as it comes; a character may arrive in two pieces. */
function listen(stream: Readable | null, ...takers: (((text: string) => void) | undefined)[]): void {
  const decoder = new StringDecoder("utf8");
  const take = (text: string) => {
    if (text !== "") for (const taker of takers) taker?.(text);
  };
  stream?.on("data", (chunk: Buffer) => take(decoder.write(chunk)));
  stream?.once("end", () => take(decoder.end()));
}

function start(command: Spawn, pipes: readonly Pipe[] | undefined): ChildProcess {
  const [program = "", ...args] = command.argv;
  try {
    return spawn(program, args, {
      cwd: command.cwd,
      env: command.env,
      detached: true,
      stdio: [
        "ignore",
        pipes?.[0]?.writeFd ?? "pipe",
        pipes?.[1]?.writeFd ?? "pipe",
        "pipe",
        ...(command.descriptors ?? []),
      ],
    });
  } catch (thrown) {
    return refuseSpawn(thrown, program);
  }
}

function exitOf(child: ChildProcess, command: Spawn): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", (thrown) => {
      try {
        refuseSpawn(thrown, command.argv[0] ?? "");
      } catch (error) {
        reject(error);
      }
    });
  });
}

function refuseSpawn(thrown: unknown, program: string): never {
  if (errnoOf(thrown) === "E2BIG")
    fail("invalid_input", "The command is too long for the system.", "Write it to a script file and run that.");
  if (errnoOf(thrown) === "ENOENT")
    fail("tool_unavailable", `${program} cannot be started: it does not exist.`, "Install it, or name another shell.");
  throw thrown;
}

/** Ends the group when the time is over or the caller cancels. `settle` waits for a running end and says why. */
function stopOn(group: { id: number }, request: RunRequest) {
  let why: "timeout" | "cancel" | undefined;
  let ending: Promise<void> | undefined;
  const stop = (reason: "timeout" | "cancel", graceMs: number) => {
    if (why) return;
    why = reason;
    ending = endGroup(group, graceMs);
  };
  const cancel = () => stop("cancel", GRACE_CANCEL_MS);
  const timer =
    request.timeoutMs === undefined
      ? undefined
      : setTimeout(() => stop("timeout", GRACE_TIMEOUT_MS), request.timeoutMs);
  request.signal?.addEventListener("abort", cancel, { once: true });
  if (request.signal?.aborted) cancel();
  return {
    async settle() {
      clearTimeout(timer);
      request.signal?.removeEventListener("abort", cancel);
      await ending;
      return why;
    },
  };
}

/** Collects what comes; the function gives what has come so far. */
function readAll(stream: Readable | null | undefined): () => string {
  let text = "";
  stream?.on("data", (chunk: Buffer) => {
    if (text.length < 8192) text += chunk.toString("utf8");
  });
  stream?.on("error", () => undefined);
  return () => text;
}

async function checkRequest(request: RunRequest): Promise<void> {
  if (request.command.includes("\0"))
    fail("invalid_input", "A command cannot hold a NUL character.", "Remove it from the command.");
  const { kind } = await locate(request.cwd);
  if (kind === "missing")
    fail("file_not_found", `The working folder ${request.cwd} does not exist.`, "Name a folder that exists.");
  if (kind !== "directory")
    fail("not_directory", `The working folder ${request.cwd} is not a folder.`, "Name a folder.");
}

function neverStarted(): RunOutcome {
  const nothing = { output: "", stdout: "", stderr: "", durationMs: 0 };
  return { exitCode: null, timedOut: false, cancelled: true, left: false, ...nothing };
}
