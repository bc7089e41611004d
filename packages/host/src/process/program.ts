import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as wait } from "node:timers/promises";
import type { RunOutcome, RunRequest } from "@haft/core/tool";
import { Capture } from "./capture.ts";
import { drain } from "./drain.ts";
import { endHeld } from "./end-descendants.ts";
import { endGroup, GRACE_CANCEL_MS, type Group } from "./group.ts";
import type { PipeStore } from "./pipe.ts";
import { type Started, type StartRequest, startChild } from "./start/started.ts";
import type { Starter } from "./start/starter.ts";

/** A program to start. */
export interface Spawn {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Further open descriptors that it gets, from number 4 on, for reading. */
  readonly descriptors?: readonly number[];
  /** Its first process only holds programs in a process namespace, and ends after all of them, see `endHeld`. */
  readonly isHolder?: boolean;
  /** Empty files and folders that it creates as mount points and leaves behind. Absolute paths. */
  readonly mountPoints?: readonly string[];
  /** Set if a program like it may be started before the next command is known. */
  readonly ahead?: Standby;
  /** Called in the context of its run, right before its command begins. */
  begin?(): void;
  /** Called instead if it ended without ever getting a command. */
  unused?(): void;
}

/** How to start a program like another one before its command is known. */
export interface Standby {
  /**
   * The fingerprint of the surroundings: if it is the same, they are the same. It need not cover the program's folder and
   * environment.
   */
  readonly likeness: string;
  /**
   * The same surroundings for another program. Plans again if anything may have changed meanwhile. `isFresh`: this plan was
   * only just made.
   */
  again(inner: Spawn, isFresh?: boolean): Promise<Replica>;
}

/** A program to start, and its resources to release afterwards. */
export interface Replica {
  readonly spawn: Spawn;
  release(): Promise<void>;
}

/** How a program ended. */
export interface HostOutcome extends RunOutcome {
  /** A message on descriptor 3 instead of a folder, from the wrapper around the program. */
  readonly said?: string;
  /** It was started before its command was known. */
  readonly stood?: boolean;
}

/** A started program. Nothing reads its output yet. */
export interface Program extends Omit<Started, "hold"> {
  readonly isHolder: boolean;
  /** Its input, if it was started with one. */
  readonly input: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Its output on descriptor 3. */
  readonly talk: Readable | null;
  /** The data received from `talk` so far. */
  said(): string;
  /** Sets whether it and its streams keep this process running. They do at first. */
  hold(isHeld: boolean): void;
}

/** Milliseconds between SIGTERM and SIGKILL after a timeout. */
const GRACE_TIMEOUT_MS = 2000;

interface Launching {
  readonly pipes: PipeStore;
  readonly starter: Starter;
  /** It gets an input; without, it reads nothing. */
  readonly hasInput: boolean;
}

/** Starts a program as the leader of its own process group. Resolves once it has its ends of the pipes. */
export async function launch(command: Spawn, { pipes, starter, hasInput }: Launching): Promise<Program> {
  const made = await pipes.take(hasInput ? ["in", "out", "out", "out"] : ["out", "out", "out"]);
  const ends = made ?? Array.from({ length: hasInput ? 4 : 3 }, () => undefined);
  const fds = [...(hasInput ? [] : ["ignore" as const]), ...ends.map((end) => end?.fd ?? ("pipe" as const))];
  const stdio = [...fds, ...(command.descriptors ?? [])];
  try {
    const { streams, ...started } = await startIn({ ...command, stdio }, starter);
    const all = streams ?? [...(hasInput ? [] : [null]), ...ends.map((end) => end?.stream ?? null)];
    return programOf(started, all, command.isHolder === true);
  } catch (thrown) {
    for (const end of made ?? []) end.stream.destroy();
    throw thrown;
  } finally {
    for (const end of made ?? []) end.closeFd();
  }
}

/** `streams`: those that the system's child has, if there are no pipes for it. */
async function startIn(request: StartRequest, starter: Starter): Promise<Started & { readonly streams?: Streams }> {
  const started = await starter.start(request);
  if (started !== undefined) return started;
  const { stdio, ...child } = await startChild(request);
  return request.stdio.includes("pipe") ? { ...child, streams: stdio as unknown as Streams } : child;
}

type Streams = readonly (unknown | null)[];

function programOf(started: Started, streams: Streams, isHolder: boolean): Program {
  const [input, stdout, stderr, talk] = streams as [Program["input"], ...Readable[]];
  const parts = [input, stdout, stderr, talk] as readonly Holdable[];
  return {
    ...started,
    ...{ isHolder, input, stdout: stdout ?? null, stderr: stderr ?? null, talk: talk ?? null, said: readAll(talk) },
    hold(isHeld) {
      started.hold(isHeld);
      for (const part of parts)
        if (isHeld) part?.ref?.();
        else part?.unref?.();
    },
  };
}

type Holdable = { ref?(): void; unref?(): void } | null;

/** Further options of `follow`. */
interface Following {
  readonly request: RunRequest;
  readonly captureChars: number | undefined;
  /** The start of its duration and timeout. */
  readonly startedMs: number;
  /** Its output on descriptor 3 before its command began. */
  readonly before?: string;
}

/** Collects the output of a program until it ends, times out, or the caller cancels. */
export async function follow(program: Program, following: Following): Promise<HostOutcome> {
  const { stdout, stderr, ended } = program;
  const { request, captureChars, startedMs, before = "" } = following;
  const capture = new Capture(captureChars);
  listen(stdout, (text) => capture.add("stdout", text), request.onOutput);
  listen(stderr, (text) => capture.add("stderr", text), request.onOutput);
  const stopped = stopOn(program, request);
  const { code, signal } = await ended.finally(stopped.settle);
  const why = await stopped.settle();
  const left = !(await drain([stdout, stderr]));
  const { cwd, ended: endedWith } = partsOf(program.said().slice(before.length));
  program.talk?.destroy();
  return {
    exitCode: code,
    ...(signal ? { signal } : {}),
    timedOut: why === "timeout",
    cancelled: why === "cancel",
    output: capture.text(),
    stdout: capture.text("stdout"),
    stderr: capture.text("stderr"),
    durationMs: Math.round(performance.now() - startedMs),
    ...(cwd.startsWith("/") ? { cwd } : cwd === "" ? {} : { said: cwd }),
    left,
    ...(endedWith.length > 0 ? { endedWith } : {}),
    ...(before === "" ? {} : { stood: true }),
  };
}

/** Parses the output on descriptor 3: the folder or a message, and the names of processes that ended with the program. */
function partsOf(said: string): { readonly cwd: string; readonly ended: readonly string[] } {
  const [words = "", ...names] = said.split("\n\u0001");
  return {
    cwd: words.trimEnd(),
    ended: names.map((name) =>
      name
        .trim()
        .replace(/[^!-~]/g, "?")
        .slice(0, 40),
    ),
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

/** How long a holder may take to end after its last program. One that hangs in the kernel never ends. */
const HOLDER_MS = 2000;

/** Ends the programs that it holds, if any, and then the group. */
async function endProgram({ pid, isHolder, ended }: Program, graceMs: number): Promise<void> {
  const group: Group = { id: pid };
  if (!isHolder) return endGroup(group, graceMs);
  await endHeld(group.id, graceMs);
  const isOver = ended.then(
    () => true,
    () => true,
  );
  const isStuck = wait(HOLDER_MS, false, { ref: false });
  if (!(await Promise.race([isOver, isStuck]))) await endGroup(group, GRACE_CANCEL_MS);
}

/** Ends the program at its timeout or when the caller cancels. `settle` waits for an end in progress and returns the cause. */
function stopOn(program: Program, request: RunRequest) {
  let why: "timeout" | "cancel" | undefined;
  let ending: Promise<void> | undefined;
  const stop = (reason: "timeout" | "cancel", graceMs: number) => {
    if (why) return;
    why = reason;
    ending = endProgram(program, graceMs);
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

/** Collects a stream; the returned function gives the text so far. */
function readAll(stream: Readable | null | undefined): () => string {
  let text = "";
  stream?.on("data", (chunk: Buffer) => {
    if (text.length < 8192) text += chunk.toString("utf8");
  });
  stream?.on("error", () => undefined);
  return () => text;
}
