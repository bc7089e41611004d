import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Spawn } from "@haft/host";
import type { DeclaredTool } from "../discovery/declared-tools.ts";
import { HOST_SCRIPT } from "./host-script.ts";

/** A confined start: the wrapped command, and how it is released. */
export interface Wrapped {
  readonly command: Spawn;
  endGently(graceMs: number): Promise<void>;
  release(): Promise<void>;
}

export interface PluginProcessOptions {
  readonly entry: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Puts the process in a sandbox. Absent: it runs with the user's rights. */
  confine?(plain: Spawn): Promise<Wrapped>;
}

/** A running plugin. */
export interface PluginProcess {
  readonly tools: readonly DeclaredTool[];
  /** Resolves once it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  call(name: string, input: unknown, signal: AbortSignal, onUpdate: (partial: unknown) => void): Promise<unknown>;
  close(): Promise<void>;
}

/** Milliseconds for its start, and for a call to end after it was cancelled. Then the process is killed. */
const START_MS = 20_000;
const GRACE_MS = 2_000;

/** Most characters of one message: a plugin that writes without end must not fill the memory. */
const MOST_CHARS = 20_000_000;

/** The command line of a plugin's process. Also for rehearsals, which start it elsewhere. */
export function pluginCommand(entry: string): readonly string[] {
  const ours = import.meta.url;
  const source = fileURLToPath(ours).endsWith(".ts") ? ["--conditions=haft-source"] : [];
  return [process.execPath, "--no-warnings", ...source, "--input-type=module", "-e", HOST_SCRIPT, "--", entry, ours];
}

/**
 * Starts a plugin's module in a process of its own.
 *
 * @throws Error when it cannot be started, or when its module fails.
 */
export async function startPlugin({ entry, cwd, env, confine }: PluginProcessOptions): Promise<PluginProcess> {
  const plain: Spawn = { argv: pluginCommand(entry), cwd, env };
  const wrapped = await confine?.(plain);
  const plugin = new SpawnedPlugin(spawnIn(wrapped?.command ?? plain), wrapped);
  await plugin.started();
  return plugin;
}

class SpawnedPlugin implements PluginProcess {
  tools: readonly DeclaredTool[] = [];
  readonly #child: ChildProcess;
  readonly #wrapped: Wrapped | undefined;
  readonly #waiting = new Map<string, Waiting>();
  readonly #ready = Promise.withResolvers<readonly DeclaredTool[]>();
  readonly #over = Promise.withResolvers<void>();
  readonly ended = this.#over.promise;
  #errors = "";
  #chars = 0;
  #count = 0;

  constructor(child: ChildProcess, wrapped: Wrapped | undefined) {
    this.#child = child;
    this.#wrapped = wrapped;
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString("utf8")).slice(-2_000);
    });
    child.stdin?.on("error", () => undefined);
    const lines = createInterface({ input: child.stdout! });
    child.stdout?.on("data", (chunk: Buffer) => {
      this.#chars = chunk.includes(10) ? 0 : this.#chars + chunk.length;
      if (this.#chars > MOST_CHARS) this.#kill();
    });
    lines.on("line", (line) => this.#read(line));
    child.on("error", ({ message }) => this.#end(`it cannot be started: ${message}`));
    child.on("exit", (code, signal) => {
      const errors = this.#errors.trim();
      this.#end(`its process ended (${signal ?? `exit code ${code}`})${errors === "" ? "" : `: ${errors}`}`);
      void wrapped?.release();
    });
  }

  #kill(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }

  #end(why: string): void {
    this.#ready.reject(new Error(why));
    for (const { reject } of this.#waiting.values()) reject(new Error(why));
    this.#waiting.clear();
    this.#over.resolve();
  }

  #read(line: string): void {
    const message = messageIn(line);
    if (message?.t === "ready") this.#ready.resolve(message.tools ?? []);
    else if (message?.t === "broken") this.#ready.reject(new Error(message.message));
    const call = this.#waiting.get(message?.id ?? "");
    if (message?.t === "update") call?.onUpdate(message.partial);
    if (message?.t === "result") call?.resolve(message.output);
    if (message?.t === "failed") call?.reject(new Error(message.message));
  }

  /** @throws Error when it did not start. It has ended then. */
  async started(): Promise<void> {
    const timer = setTimeout(() => {
      this.#ready.reject(new Error(`it was not ready after ${START_MS / 1000} seconds`));
      this.#kill();
    }, START_MS);
    try {
      this.tools = await this.#ready.promise;
    } catch (thrown) {
      this.#kill();
      await this.#over.promise;
      throw thrown;
    } finally {
      clearTimeout(timer);
    }
    this.#hold(false);
  }

  /** An idle plugin does not keep the program alive; one that works does. */
  #hold(isWorking: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    const parts = [this.#child, stdin, stdout, stderr] as (Partial<Pick<ChildProcess, "ref" | "unref">> | null)[];
    for (const part of parts) (isWorking ? part?.ref : part?.unref)?.call(part);
  }

  async close(): Promise<void> {
    this.#child.ref();
    this.#child.stdin?.end();
    await Promise.race([this.ended, this.#wrapped?.endGently(500) ?? patience(500)]);
    this.#kill();
    await this.ended;
  }

  call(...[name, input, signal, onUpdate]: Parameters<PluginProcess["call"]>): Promise<unknown> {
    const id = `c${++this.#count}`;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject, onUpdate });
    this.#hold(true);
    const send = (message: object): void => void this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
    let late: NodeJS.Timeout | undefined;
    const abort = () => {
      send({ t: "abort", id });
      // A plugin that blocks its loop does not hear this.
      late = setTimeout(() => this.#kill(), GRACE_MS);
    };
    signal.addEventListener("abort", abort, { once: true });
    if (this.#child.exitCode !== null) reject(new Error("its process has ended"));
    else send({ t: "call", id, name, input });
    return promise.finally(() => {
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#hold(false);
      clearTimeout(late);
      signal.removeEventListener("abort", abort);
    });
  }
}

interface Waiting {
  resolve(output: unknown): void;
  reject(thrown: Error): void;
  onUpdate(partial: unknown): void;
}

interface Message {
  readonly t: string;
  readonly id?: string;
  readonly tools?: readonly DeclaredTool[];
  readonly message?: string;
  readonly output?: unknown;
  readonly partial?: unknown;
}

function messageIn(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

const patience = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());

function spawnIn({ argv: [program = "", ...args], cwd, env, descriptors }: Spawn): ChildProcess {
  const more = descriptors === undefined ? [] : ["pipe" as const, ...descriptors];
  const child: ChildProcess = spawn(program, args, {
    cwd,
    env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe", ...more],
  });
  const words = child.stdio[3] as NodeJS.ReadableStream | null | undefined;
  words?.on("error", () => undefined).resume();
  return child;
}
