import { Worker } from "node:worker_threads";
import { HaftError, type ScriptAnswer, type ScriptError } from "@haft/core/tool";
import { WORKER_SCRIPT } from "./worker-script.ts";

/** The limits of a script. */
export interface ScriptLimits {
  /** Time in milliseconds that it may compute; waiting for tools does not count. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
  /** Most characters that it may print, and that its value may have. */
  readonly outputChars: number;
  /** Most calls at the same time. */
  readonly openCalls: number;
}

export const SCRIPT_LIMITS: ScriptLimits = {
  cpuMs: 10_000,
  memoryBytes: 64 * 1024 * 1024,
  outputChars: 200_000,
  openCalls: 100,
};

/** Time for the thread to notice by itself that a script computes for too long. */
const GRACE_MS = 2_000;

export interface ScriptRun {
  readonly code: string;
  /** The time that the script sees, in milliseconds since the epoch, and the seed of its random numbers. */
  readonly now: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Makes the script's `number`-th call. */
  call(number: number, tool: string, input: unknown): Promise<ScriptAnswer>;
}

export interface RunEnd {
  readonly output: string;
  readonly value?: string;
  readonly error?: ScriptError & { readonly stack?: string };
}

/** An interpreter in a thread of its own. One script at a time; its variables stay until it is closed. */
export interface Interpreter {
  run(script: ScriptRun): Promise<RunEnd>;
  close(): Promise<void>;
}

type Message =
  | { readonly call: number; readonly tool: string; readonly input: unknown }
  | ({ readonly end: number } & RunEnd)
  | { readonly ready: true }
  | { readonly broken: string };

export const createInterpreter = (limits?: ScriptLimits): Interpreter => new ThreadInterpreter(limits);

class ThreadInterpreter implements Interpreter {
  readonly #limits: ScriptLimits;
  readonly #worker: Worker;
  #over: Error | undefined;
  #current: { take(said: Message): void; end(reason: Error): void } | undefined;

  constructor(limits: ScriptLimits = SCRIPT_LIMITS) {
    this.#limits = limits;
    this.#worker = new Worker(WORKER_SCRIPT, {
      eval: true,
      workerData: { modules: modules(), limits },
      // The interpreter's memory is WebAssembly's; this bounds the thread around it.
      resourceLimits: { maxOldGenerationSizeMb: 128 },
      stdout: true,
      stderr: true,
      env: {},
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on("message", (said: Message) => {
      if ("broken" in said) this.#end(new Error(`The interpreter could not start: ${said.broken}`));
      else this.#current?.take(said);
    });
    this.#worker.once("error", () => this.#end(tooBig(limits.memoryBytes)));
    this.#worker.once("exit", () => this.#end(tooBig(limits.memoryBytes)));
  }

  async run({ code, now, seed, signal, call }: ScriptRun): Promise<RunEnd> {
    if (this.#over) throw this.#over;
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<RunEnd>();
    const made = new Set<Promise<void>>();
    let waiting = 0;
    let clock: NodeJS.Timeout | undefined;
    // While no call is open, the script computes. A thread that does not come back is ended from here.
    const watch = (): void => {
      clearTimeout(clock);
      if (waiting === 0)
        clock = setTimeout(() => this.#end(tooLong(this.#limits.cpuMs)), this.#limits.cpuMs + GRACE_MS);
    };
    const make = async (number: number, tool: string, input: unknown): Promise<void> => {
      waiting += 1;
      watch();
      const answer = await call(number, tool, input);
      waiting -= 1;
      watch();
      this.#worker.postMessage({ answer: number, ...answer });
    };
    this.#current = {
      take: (said) => {
        if ("call" in said) made.add(make(said.call, said.tool, said.input).catch((thrown) => this.#end(thrown)));
        else if ("end" in said) resolve(said);
        else watch();
      },
      end: reject,
    };
    const abort = (): void => this.#end(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    this.#worker.ref();
    watch();
    this.#worker.postMessage({ run: 1, code, now, seed });
    try {
      const { output, value, error } = await promise;
      // Calls that the script did not wait for have started too: nothing goes on behind its result.
      await Promise.all(made);
      return { output, ...(value === undefined ? {} : { value }), ...(error ? { error } : {}) };
    } finally {
      clearTimeout(clock);
      signal.removeEventListener("abort", abort);
      this.#current = undefined;
      this.#worker.unref();
    }
  }

  async close(): Promise<void> {
    this.#over ??= new Error("The interpreter is closed.");
    await this.#worker.terminate();
  }

  #end(reason: Error): void {
    this.#over ??= reason;
    void this.#worker.terminate();
    this.#current?.end(this.#over);
  }
}

const modules = (): readonly string[] =>
  ["quickjs-emscripten-core", "@jitl/quickjs-singlefile-mjs-release-sync"].map((name) => import.meta.resolve(name));

const tooLong = (ms: number): HaftError =>
  new HaftError({
    code: "timeout",
    message: `The script computed for more than ${ms / 1000} seconds without a tool call.`,
    hint: "Its variables are gone. Let a tool do the heavy part, or process less at once.",
  });

const tooBig = (bytes: number): HaftError =>
  new HaftError({
    code: "limit_reached",
    message: `The script took more than ${Math.round(bytes / 1024 / 1024)} MB of memory.`,
    hint: "Its variables are gone. Process less at once.",
  });
