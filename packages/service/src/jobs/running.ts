import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fail } from "@haft/core/tool";
import type { Spawn } from "@haft/host";
import type { Pipe } from "@haft/host/process";

/** A job's first process after its start. */
export interface Running {
  /** Leader of a group and session of its own. */
  readonly pid: number;
  readonly sources: readonly Readable[];
  /** `null`: it takes no input. */
  readonly stdin: Writable | null;
  readonly exit: Promise<Ending>;
  /** Text on descriptor 3. The wrapper of a fenced program writes it when a signal ended the program: see `withinShim`. */
  said(): string;
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Starts a program with its output in a pipe.
 *
 * @throws HaftError `tool_unavailable`, `invalid_input`, `limit_reached` when the system cannot start it.
 */
export async function startPiped(command: Spawn, pipe: Pipe | undefined, takesInput: boolean): Promise<Running> {
  const child = spawnChild(command, pipe, takesInput);
  const said = wordsOf(child);
  const sources = pipe ? [pipe.stream] : [child.stdout, child.stderr].filter((stream) => stream !== null);
  const exit = exitOf(child);
  const spawned = whenSpawned(child, command);
  // Awaited below, after the pipe is handed over. A failure until then is not lost.
  spawned.catch(() => undefined);
  pipe?.closeFd();
  await spawned;
  // Jobs do not keep a finished host process alive.
  for (const handle of [child, child.stdin, ...sources]) unref(handle);
  return { pid: child.pid!, sources, stdin: child.stdin, exit, said };
}

function wordsOf(child: ChildProcess): () => string {
  let text = "";
  const stream = child.stdio[3] as Readable | null | undefined;
  stream?.on("data", (chunk: Buffer) => {
    if (text.length < 1024) text += chunk.toString("utf8");
  });
  unref(stream);
  return () => text;
}

function spawnChild({ argv, cwd, env, descriptors }: Spawn, pipe: Pipe | undefined, takesInput: boolean): ChildProcess {
  const [program = "", ...args] = argv;
  const output = pipe?.fd ?? "pipe";
  const more = descriptors === undefined ? [] : ["pipe" as const, ...descriptors];
  const stdio: StdioOptions = [takesInput ? "pipe" : "ignore", output, output, ...more];
  try {
    return spawn(program, args, { cwd, env, detached: true, stdio });
  } catch (thrown) {
    return refuse(thrown as NodeJS.ErrnoException, program);
  }
}

const exitOf = (child: ChildProcess) =>
  new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });

const whenSpawned = (child: ChildProcess, { argv }: Spawn): Promise<void> =>
  new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  }).catch((thrown) => refuse(thrown, argv[0] ?? ""));

export function refuse(thrown: NodeJS.ErrnoException, program: string): never {
  if (thrown.code === "E2BIG")
    fail("invalid_input", "The command is too long for the system.", "Write it to a script file and run that.");
  if (thrown.code === "ENOENT")
    fail(
      "tool_unavailable",
      `${program} cannot be started: it, or the folder to run in, does not exist.`,
      "Install it, or name another folder.",
    );
  if (thrown.code === "EAGAIN")
    fail(
      "limit_reached",
      "The system cannot start another process.",
      "Stop background jobs that are no longer needed.",
    );
  throw thrown;
}

function unref(handle: unknown): void {
  (handle as { unref?(): void } | null)?.unref?.();
}
