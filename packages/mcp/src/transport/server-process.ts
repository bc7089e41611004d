import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { HaftError } from "@haft/core/tool";
import type { Spawn } from "@haft/host";
import type { Watchdog } from "@haft/host/process";
import { endFamily, endGroup, membersOf, signalGroup } from "@haft/host/process";
import type { Fenced } from "@haft/sandbox";

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Puts it in a sandbox. Absent: it runs unconfined. */
  confine?(plain: Spawn, env: Readonly<Record<string, string>>): Promise<Fenced>;
}

/** A running server, leader of its own process group. */
export interface ServerProcess {
  readonly child: ChildProcess;
  /** Resolves with a description of its end. */
  readonly ended: Promise<string>;
  /** Ends it and everything it started: closes its input, then sends SIGTERM, then SIGKILL. Resolves when no process is left. */
  end(): Promise<void>;
}

/** The variable that marks all descendants of a server, whatever their session. */
export const SERVER_MARK = "HAFT_MCP_SERVER";

/** Milliseconds for each step of the end: after closing the input, and after SIGTERM. */
const EOF_GRACE_MS = 1_500;
const TERM_GRACE_MS = 1_000;

/** Milliseconds that the streams of an ended process may stay open: a grandchild that holds them must not block us. */
const DRAIN_MS = 200;

/**
 * Starts a server.
 *
 * @throws HaftError `mcp_error` when the program cannot be started, with the reason and the fix.
 */
export async function startServer(program: Program, watchdog: Watchdog): Promise<ServerProcess> {
  const { command, args, cwd } = program;
  const mark = `${watchdog.mark}${randomUUID()}`;
  const env = { ...program.env, [SERVER_MARK]: mark.slice(SERVER_MARK.length + 1) };
  const plain: Spawn = { argv: [command, ...args], cwd, env };
  const fenced = await program.confine?.(plain, env);
  watchdog.arm();
  const child = spawnIn(fenced?.command ?? plain);
  const group = child.pid;
  if (group !== undefined) watchdog.guard(group);
  const ended = endOf(child);
  await started(child, program).catch(async (thrown) => {
    await fenced?.release();
    throw thrown;
  });
  // If the host forgets to close a server it can still exit; the watchdog then ends the server.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as Socket | null)?.unref();
  // Kill processes that a dead leader leaves behind in its group.
  void ended.then(() => void signalGroup({ id: group! }, "SIGTERM"));
  return {
    child,
    ended,
    async end() {
      child.ref();
      const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
      const all = await membersOf({ leader: group!, mark, isLed: !isOver() });
      child.stdin?.end();
      const enough = new AbortController();
      await Promise.race([ended, wait(EOF_GRACE_MS, undefined, enough).catch(() => {})]);
      enough.abort();
      // The wrapper around a confined server receives signals, but the server itself does not.
      if (!isOver()) await fenced?.endGently(TERM_GRACE_MS);
      await endGroup({ id: group! }, TERM_GRACE_MS);
      // A process that left the group has the mark. One that removed the mark was in the process tree while it was still connected.
      await endFamily(() => ({ leader: group!, mark, isLed: false }), TERM_GRACE_MS, all);
      watchdog.release(group!);
      await fenced?.over({ exitCode: child.exitCode, output: "" });
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    },
  };
}

function spawnIn({ argv: [program = "", ...args], cwd, env, descriptors }: Spawn): ChildProcess {
  const more = descriptors === undefined ? [] : ["pipe" as const, ...descriptors];
  const stdio = ["pipe" as const, "pipe" as const, "pipe" as const, ...more];
  const child: ChildProcess = spawn(program, args, { cwd, env, detached: true, stdio, windowsHide: true });
  // The wrapper around a confined program reports signals there; the end of the process is enough for us.
  const words = child.stdio[3] as Socket | null | undefined;
  words?.on("error", () => {}).resume();
  words?.unref();
  return child;
}

function started(child: ChildProcess, { command, cwd, env }: Program): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (thrown: NodeJS.ErrnoException) => {
      const missing = thrown.code === "ENOENT";
      reject(
        new HaftError({
          code: "mcp_error",
          message: missing
            ? `"${command}" cannot be started: it was not found.`
            : `"${command}" cannot be started: ${thrown.message}.`,
          hint: missing
            ? `Install it, or give its full path. Looked in PATH=${env.PATH ?? ""}; the folder is ${cwd}.`
            : "Correct the command in the settings.",
        }),
      );
    });
  });
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      const words = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
      const timer = setTimeout(() => resolve(words), DRAIN_MS);
      child.once("close", () => {
        clearTimeout(timer);
        resolve(words);
      });
    });
  });
}
