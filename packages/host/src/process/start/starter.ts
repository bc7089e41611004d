import { type ChildProcessByStdio, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { getSystemErrorMap } from "node:util";
import { PERL_ENV, processRights } from "../../files/attributes/run-perl.ts";
import { signalGroup } from "../group.ts";
import { type Ending, type Started, type StartRequest, startError } from "./started.ts";
import { STARTER } from "./starter-program.ts";

/**
 * Starts programs by a small process that stays. To start a program, the system copies the tables of its parent's memory, which
 * takes a large process many milliseconds in which it does nothing else.
 */
export interface Starter {
  /** `undefined`: nothing was started, and the caller starts the program by itself. */
  start(request: StartRequest): Promise<Started | undefined>;
  /** Starts the process, if this system can have one, and resolves once it takes requests. `false`: it cannot. */
  ready(): Promise<boolean>;
  /** Ends the process once its programs have ended. */
  close(): void;
}

/** `from`: the request that also starts the process. Default: the third, since a single command makes two, one for its pipes. */
export function createStarter({ from = 3 }: { readonly from?: number } = {}): Starter {
  let requests = 0;
  let running: Running | undefined;
  let isClosed = false;
  let isUseless = process.platform !== "linux";

  /** One with the rights that this process has now. */
  function current(): Running | undefined {
    if (isClosed || isUseless) return undefined;
    const rights = processRights();
    if (running?.isOver || running?.rights !== rights) {
      running?.retire();
      running = new Running(rights, () => {
        isUseless = true;
      });
    }
    return running;
  }

  return {
    async start(request) {
      requests++;
      if (requests < from || !isTransferable(request)) return undefined;
      const starter = current();
      // It starts while the caller's program does.
      return starter?.isReady ? starter.start(request) : undefined;
    },
    async ready() {
      const starter = current();
      starter?.hold(WHOLE, true);
      const isReady = (await starter?.ready) ?? false;
      starter?.hold(WHOLE, false);
      return isReady;
    },
    close() {
      isClosed = true;
      running?.retire();
    },
  };
}

let shared: Starter | undefined;
let users = 0;

/** The one that all users in this process share; it ends after the last of them has closed its own. */
export function sharedStarter(): Starter {
  shared ??= createStarter();
  users++;
  const { start, ready, close } = shared;
  let isOpen = true;
  return {
    ...{ start, ready },
    close() {
      if (!isOpen) return;
      isOpen = false;
      users--;
      if (users > 0) return;
      close();
      shared = undefined;
    },
  };
}

const NUL = "\0";

/** A field ends with NUL. A stream that Node makes stays with Node. */
const isTransferable = ({ argv, cwd, env, stdio }: StartRequest): boolean =>
  !stdio.includes("pipe") && ![cwd, ...argv, ...Object.entries(env).flat()].some((text) => text.includes(NUL));

/** In the place of the id of one program. */
const WHOLE = "";

/** One process that starts programs. It keeps this process running while one of its programs does. */
class Running {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #asked = new Map<string, Asked>();
  readonly #living = new Map<string, Living>();
  readonly #held = new Set<string>();
  readonly rights: string;
  readonly ready: Promise<boolean>;
  isReady = false;
  isOver = false;
  readonly #onUseless: () => void;
  #count = 0;

  /** `onUseless` is called if it cannot serve this process at all. */
  constructor(rights: string, onUseless: () => void) {
    this.rights = rights;
    this.#onUseless = onUseless;
    this.#child = spawn("perl", ["-e", STARTER], {
      ...{ cwd: "/", env: PERL_ENV, detached: true, stdio: ["pipe", "pipe", "ignore"] },
    });
    this.ready = new Promise((resolve) => {
      this.#child.once("error", () => this.#end());
      this.#child.stdin.on("error", () => undefined);
      onLines(this.#child.stdout, (line) => {
        this.#hear(line.split(" "));
        if (this.isReady) resolve(true);
      });
      // Every request to it is known now: a program that is about to start holds this stream open, too.
      this.#child.stdout.once("close", () => {
        resolve(false);
        this.#end();
      });
    });
    this.#settle();
  }

  start(request: StartRequest): Promise<Started | undefined> {
    const id = String(++this.#count);
    return new Promise((resolve) => {
      this.#asked.set(id, { request, resolve });
      this.hold(id, true);
      this.#child.stdin.write(bytesOf(id, request));
    });
  }

  retire(): void {
    this.#child.stdin.end();
  }

  #hear([event, id = "", first, second]: readonly string[]): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (event === "s" && asked) {
      asked.resolve(this.#started(id, Number(first), asked.request));
      return;
    }
    if (event === "r") this.isReady = true;
    if (event === "f") this.#living.get(id)?.fail(errorName(Number(first)));
    if (event === "e") this.#living.get(id)?.end(endingOf(Number(first), Number(second)));
    this.#living.delete(id);
    if (event === "n") this.#onUseless();
    asked?.resolve(undefined);
    this.hold(id, false);
  }

  #started(id: string, pid: number, { argv }: StartRequest): Started {
    const ended = new Promise<Ending>((end, reject) => {
      const fail = (code?: string) => reject(startError(code, argv[0] ?? "", new Error(`exec failed: ${code}`)));
      this.#living.set(id, { pid, end, fail });
    });
    // Awaited later; a failure until then is not lost.
    ended.catch(() => undefined);
    return { pid, ended, isOver: () => !this.#living.has(id), hold: (isHeld) => this.hold(id, isHeld) };
  }

  /** Nobody learns any more how a program ends that still runs: it is killed. */
  #end(): void {
    if (this.isOver) return;
    this.isOver = true;
    if (!this.isReady) this.#onUseless();
    for (const { resolve } of this.#asked.values()) resolve(undefined);
    for (const { pid, end } of this.#living.values()) {
      signalGroup({ id: pid }, "SIGKILL");
      end({ code: null, signal: "SIGKILL" });
    }
    this.#living.clear();
  }

  hold(id: string, isHeld: boolean): void {
    if (isHeld && (id === WHOLE || this.#asked.has(id) || this.#living.has(id))) this.#held.add(id);
    else this.#held.delete(id);
    this.#settle();
  }

  #settle(): void {
    const { stdin, stdout } = this.#child;
    this.#child.unref();
    (stdin as Holdable).unref?.();
    if (this.#held.size > 0) (stdout as Holdable).ref?.();
    else (stdout as Holdable).unref?.();
  }
}

interface Asked {
  readonly request: StartRequest;
  resolve(started: Started | undefined): void;
}

interface Living {
  readonly pid: number;
  end(ending: Ending): void;
  fail(code: string | undefined): void;
}

type Holdable = { ref?(): void; unref?(): void };

function bytesOf(id: string, { argv, cwd, env, stdio }: StartRequest): Buffer {
  const files = stdio.map((fd) => (typeof fd === "number" ? `/proc/${process.pid}/fd/${fd}` : "/dev/null"));
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const fields = [id, cwd, files.length, argv.length, ...files, ...argv, ...variables];
  const payload = Buffer.from(fields.map((field) => `${field}${NUL}`).join(""));
  return Buffer.concat([Buffer.from(`${payload.length}\n`), payload]);
}

function onLines(stream: Readable, take: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("latin1").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

function endingOf(code: number, signal: number): Ending {
  if (signal === 0) return { code, signal: null };
  return { code: null, signal: (signalNames.get(signal) ?? `SIG${signal}`) as NodeJS.Signals };
}

const errorName = (number: number): string | undefined => getSystemErrorMap().get(-number)?.[0];
