import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { createPipes, drain, endGroup, membersOf, type Pipe, sendSignal } from "@haft/host/process";
import { ANSWER_BYTES, collector, type Ended, type Running } from "./ended.ts";

/** Bytes of stderr that are kept: more than anybody is shown. */
const STDERR_BYTES = 64 * 1024;
/** Milliseconds between asking a process group to end and killing it. */
const GRACE_MS = 300;

/**
 * Runs a program with the event on its stdin, in its own process group and without a terminal. Ends the whole group
 * at the timeout or when the call is cancelled. Never rejects.
 */
export async function runCommand(argv: readonly string[], running: Running): Promise<Ended> {
  const input = await inputFile(running.payload);
  const pipes = await createPipes(2);
  try {
    return await run(argv, running, input.fd, pipes);
  } catch (thrown) {
    for (const pipe of pipes ?? []) pipe.stream.destroy();
    return { how: "failed", why: `it cannot be started (${(thrown as Error).message})` };
  } finally {
    await input.close();
  }
}

async function run(
  argv: readonly string[],
  running: Running,
  stdin: number,
  pipes: readonly Pipe[] | undefined,
): Promise<Ended> {
  // Loaded when a hook runs, so that a session without hooks does not pay for it.
  const { spawn } = await import("node:child_process");
  const [program = "", ...args] = argv;
  const { cwd, signal } = running;
  if (signal.aborted) return CANCELLED;
  const run = randomUUID();
  const child = spawn(program, args, {
    cwd,
    env: { ...running.env, [RUN]: run },
    detached: true,
    stdio: [stdin, pipes?.[0]?.fd ?? "pipe", pipes?.[1]?.fd ?? "pipe"],
  });
  const exit = exitOf(child);
  exit.catch(() => undefined);
  const [out, err] = [pipes?.[0]?.stream ?? child.stdout, pipes?.[1]?.stream ?? child.stderr];
  const [stdout, stderr] = [collector(ANSWER_BYTES), collector(STDERR_BYTES)];
  out?.on("data", stdout.add);
  err?.on("data", stderr.add);
  for (const pipe of pipes ?? []) pipe.closeFd();
  const stopped = stopOn(child, `${RUN}=${run}`, running);
  const ended = await exit.finally(() => stopped.forget());
  const why = await stopped.why();
  if (why) {
    // An escaped process must not keep this one waiting for output that nobody reads.
    for (const stream of [out, err]) stream?.destroy();
    return why;
  }
  await drain([out, err]);
  if (ended.code === null) return { how: "failed", why: `it was ended by ${ended.signal}` };
  return { how: "exit", code: ended.code, stdout: stdout.printed(), stderr: stderr.text() };
}

const CANCELLED: Ended = { how: "failed", why: "the call was cancelled" };

function exitOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", reject);
  });
}

/** The environment variable that marks everything a hook starts, in any process group. */
const RUN = "HAFT_HOOK_RUN";

/** Ends a hook and everything that it started, at the timeout or when the call is cancelled. `why` waits until that is done. */
function stopOn({ pid }: ChildProcess, mark: string, { timeoutMs, signal }: Running) {
  let stopping: Promise<Ended> | undefined;
  const stop = (because: Ended) => {
    if (pid !== undefined) stopping ??= endAll(pid, mark).then(() => because);
  };
  const late: Ended = { how: "failed", why: `it did not end within ${timeoutMs / 1000} s and was stopped` };
  const timer = setTimeout(() => stop(late), timeoutMs);
  const cancel = () => stop(CANCELLED);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  return {
    forget() {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    },
    why: async () => stopping,
  };
}

async function endAll(leader: number, mark: string): Promise<void> {
  await endGroup({ id: leader }, GRACE_MS);
  // The leader's pid may belong to somebody else by now: only the mark identifies the hook's processes.
  for (const { id } of await membersOf({ leader, mark, isLed: false })) sendSignal(id, "SIGKILL");
}

/**
 * The event as an unlinked file. Node gives a child a socket as stdin, and `cat /dev/stdin`, with which many hooks
 * begin, cannot open a socket.
 */
async function inputFile(payload: string): Promise<{ readonly fd: number; close(): Promise<void> }> {
  const folder = await mkdtemp(`${tmpdir()}/haft-hook-`);
  try {
    const written = await open(`${folder}/input`, "wx", 0o600);
    await written.writeFile(payload);
    await written.close();
    const handle = await open(`${folder}/input`, "r");
    return { fd: handle.fd, close: () => handle.close() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
