import { setTimeout as wait } from "node:timers/promises";
import { signalGroup } from "./group.ts";
import type { Program, Replica, Spawn, Standby } from "./program.ts";
import { WAITING } from "./shell.ts";

/**
 * Programs that are started before their command is known, so that no command waits for its sandbox or other wrapper.
 * They wait for a script on their input. One serves one command. Unused ones end after a while, and all end with
 * this process at the latest.
 */
interface Ahead {
  /** Hands the script to a waiting program like this. `undefined`: none waits, or the script is not suited. */
  take(wanted: Spawn, place: Place, script: string): Promise<Taken | undefined>;
  /**
   * Starts one for the next time, from the second request for its kind on; at once if `isSure`. `isRunning`: the command
   * has only begun, so start one only if commands follow each other closely.
   */
  prepare(
    wanted: Spawn,
    place: Place,
    shell: readonly string[],
    when?: { isSure?: boolean; isRunning?: boolean },
  ): void;
  close(): Promise<void>;
}

/** The working directory and environment of a program. */
type Place = Pick<Spawn, "cwd" | "env">;

/** A program that got its script. `before`: its output on descriptor 3 until then. */
type Taken = Program & { readonly before: string };

interface AheadOptions {
  launch(spawn: Spawn): Promise<Program>;
  /** Milliseconds that a program waits for a command. */
  readonly idleMs?: number;
  /** Commands of one kind follow each other closely if no more milliseconds lie between them. Default 100. */
  readonly closeMs?: number;
}

/** Limits on waiting programs, and on remembered kinds. */
const MOST = 3;
/** The same for one kind, while its commands follow each other closely: a sandbox takes longer to start than a command to run. */
const MOST_CLOSE = 2;
const MOST_KINDS = 12;
/** Longest script to hand over: a shell reads it character by character. */
const MAX_SCRIPT = 2000;
/** Longer than a model thinks, shorter than a person is away. */
const IDLE_MS = 3 * 60_000;
/** A pause: checking the last command's leftovers and returning its result come before preparing the next command. */
const PAUSE_MS = 5;
/** A command that follows the last of its kind this closely comes from a program, and so may the next. */
const CLOSE_MS = 100;

export const createAhead = (options: AheadOptions): Ahead => new ProcessesAhead(options);

class ProcessesAhead implements Ahead {
  readonly #launch: (spawn: Spawn) => Promise<Program>;
  readonly #idleMs: number;
  readonly #closeMs: number;
  /** Oldest first. */
  readonly #slots = new Set<Slot>();
  /** The last end of a command, by kind. */
  readonly #wanted = new Map<string, number>();
  readonly #making = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor({ launch, idleMs = IDLE_MS, closeMs = CLOSE_MS }: AheadOptions) {
    this.#launch = launch;
    this.#idleMs = idleMs;
    this.#closeMs = closeMs;
  }

  async take(spawn: Spawn, place: Place, script: string): Promise<Taken | undefined> {
    const kind = kindOf(spawn, place);
    if (kind === undefined || script.length > MAX_SCRIPT) return undefined;
    const slot = this.#of(kind)[0];
    if (slot === undefined) return undefined;
    this.#slots.delete(slot);
    clearTimeout(slot.idle);
    // One that is starting is ready sooner than another, which would only delay it.
    slot.hurry();
    const standing = await slot.made;
    if (standing === undefined || slot.kind === kind) return standing?.take(script);
    if (this.#isClosed) await standing.end();
    else this.#keep(slot);
    return undefined;
  }

  prepare(
    spawn: Spawn,
    { cwd, env }: Place,
    shell: readonly string[],
    { isSure = false, isRunning = false }: { isSure?: boolean; isRunning?: boolean } = {},
  ): void {
    const kind = kindOf(spawn, { cwd, env });
    if (kind === undefined || spawn.ahead === undefined) return;
    const endedAt = this.#wanted.get(kind);
    const now = performance.now();
    const isClose = now - (endedAt ?? Number.NEGATIVE_INFINITY) <= this.#closeMs;
    if (isRunning && !isClose) return;
    if (!isRunning) this.#remember(kind, now);
    if ((endedAt === undefined && !isSure) || this.#isClosed) return;
    if (this.#of(kind).length >= (isClose && !isSure ? MOST_CLOSE : 1)) return;
    this.#begin(kind, spawn.ahead, { argv: shell, cwd, env }, isRunning);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { hurry } of this.#slots) hurry();
    await Promise.all(this.#making);
    await Promise.all([...this.#slots].map((slot) => this.#drop(slot)));
  }

  #of(kind: string): readonly Slot[] {
    return [...this.#slots].filter((slot) => slot.kind === kind);
  }

  #add(slot: Slot): void {
    this.#slots.add(slot);
    for (const old of [...this.#slots].slice(0, -MOST)) void this.#drop(old);
  }

  /** Keeps a waiting program until it is taken or idle for too long. */
  #keep(slot: Slot): void {
    slot.idle = setTimeout(() => void this.#drop(slot), this.#idleMs).unref();
    if (!this.#slots.has(slot)) this.#add(slot);
  }

  async #drop(slot: Slot): Promise<void> {
    clearTimeout(slot.idle);
    if (!this.#slots.delete(slot)) return;
    await (await slot.made)?.end();
  }

  #remember(kind: string, endedAt: number): void {
    this.#wanted.delete(kind);
    this.#wanted.set(kind, endedAt);
    for (const old of [...this.#wanted.keys()].slice(0, -MOST_KINDS)) this.#wanted.delete(old);
  }

  /** Starts one after a pause, unless a waiting command hurries it or commands follow each other closely. */
  #begin(kind: string, standby: Standby, inner: Spawn, isRunning: boolean): void {
    const { promise: hurried, resolve: hurry } = Promise.withResolvers<void>();
    const due = isRunning ? Promise.resolve() : Promise.race([wait(PAUSE_MS), hurried]);
    // It is for later: errors are reported to the caller that really runs something.
    const replica = due.then(() => (this.#isClosed ? undefined : standby.again(inner, isRunning)));
    const slot: Slot = {
      kind,
      hurry,
      made: replica.then((one) => this.#make(slot, one, inner)).catch(() => undefined),
    };
    this.#add(slot);
    this.#making.add(slot.made);
    void slot.made.then((standing) => {
      this.#making.delete(slot.made);
      if (standing === undefined) this.#slots.delete(slot);
      else if (this.#slots.has(slot)) this.#keep(slot);
    });
  }

  async #make(slot: Slot, replica: Replica | undefined, inner: Spawn): Promise<Standing | undefined> {
    if (replica === undefined) return undefined;
    const kind = kindOf(replica.spawn, inner);
    if (this.#isClosed || kind === undefined || (kind !== slot.kind && this.#of(kind).length > 0))
      return void (await discard(replica));
    // The last command may have changed its kind, which is wanted just as much.
    if (kind !== slot.kind) this.#remember(kind, performance.now());
    slot.kind = kind;
    return stand(replica, this.#launch);
  }
}

/** A waiting or starting program. */
interface Slot {
  /** The requested kind; the actual one, once that is known. */
  kind: string;
  /** Ends the program when nobody has taken it. */
  idle?: NodeJS.Timeout;
  readonly made: Promise<Standing | undefined>;
  /** Call it when a command waits for the program. */
  hurry(): void;
}

/** The key of a waiting program. */
function kindOf(spawn: Spawn, { cwd }: Place): string | undefined {
  const { ahead, env } = spawn;
  if (ahead === undefined) return undefined;
  const last = kinds.get(spawn);
  if (last?.cwd === cwd) return last.kind;
  const kind = JSON.stringify([ahead.likeness, cwd, env]);
  kinds.set(spawn, { cwd, kind });
  return kind;
}

/** One run asks several times. */
const kinds = new WeakMap<Spawn, { readonly cwd: string; readonly kind: string }>();

interface Standing {
  take(script: string): Taken | undefined;
  end(): Promise<void>;
}

/** Starts a program and resolves once it waits for its script. `undefined`: it failed before that. */
async function stand(replica: Replica, launch: AheadOptions["launch"]): Promise<Standing | undefined> {
  const { spawn } = replica;
  const program = await launch(spawn)
    .finally(() => replica.release())
    .catch(() => undefined);
  if (program === undefined) return void spawn.unused?.();
  const end = (): Promise<void> => endUnused(program, spawn);
  program.input?.on("error", () => undefined);
  const isGood = await isWaiting(program);
  // Not earlier: a command may already be waiting for it.
  program.hold(false);
  if (!isGood) return void (await end());
  return {
    end,
    take(script) {
      if (program.isOver()) return void spawn.unused?.();
      program.hold(true);
      spawn.begin?.();
      program.input?.end(`${script}\0`);
      return { ...program, before: WAITING };
    },
  };
}

async function discard({ spawn, release }: Replica): Promise<void> {
  await release();
  spawn.unused?.();
}

/** A program that is not waiting after this time never will. */
const MAX_START_MS = 5000;

/** Whether the program waits for its script. One with other output, or that ends before, is useless. */
function isWaiting({ talk, said, ended }: Program): Promise<boolean> {
  return new Promise((resolve) => {
    const late = setTimeout(() => tell(false), MAX_START_MS).unref();
    const tell = (isGood: boolean): void => {
      clearTimeout(late);
      talk?.off("data", look);
      resolve(isGood);
    };
    const look = () => said() !== "" && tell(said() === WAITING);
    talk?.on("data", look);
    ended.then(
      () => tell(false),
      () => tell(false),
    );
    look();
  });
}

async function endUnused(program: Program, spawn: Spawn): Promise<void> {
  const { pid, input, stdout, stderr, talk, ended } = program;
  program.hold(true);
  if (!program.isOver()) signalGroup({ id: pid }, "SIGKILL");
  for (const stream of [input, stdout, stderr, talk]) stream?.destroy();
  await ended.catch(() => undefined);
  spawn.unused?.();
}
