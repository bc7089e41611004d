import { setTimeout as wait } from "node:timers/promises";
import type { Program, Replica, Spawn, Standby } from "./program.ts";
import { WAITING } from "./shell.ts";

/**
 * Programs that are started before their command is known, so that nobody waits for what has to be put around them.
 * They wait for a script on descriptor 3. One serves one command; those that nobody wants end after a while, and all with
 * this process at the latest.
 */
export interface Ahead {
  /** One that is like this, with its script. `undefined`: there is none, or the script is not for it. */
  take(wanted: Spawn, place: Place, script: string): Promise<Taken | undefined>;
  /**
   * Makes one for the next time, from the second time on that somebody wants its like; at once where `isSure`. With
   * `isRunning` the command has only begun: then one is made if commands come on each other's heels.
   */
  prepare(
    wanted: Spawn,
    place: Place,
    shell: readonly string[],
    when?: { isSure?: boolean; isRunning?: boolean },
  ): void;
  close(): Promise<void>;
}

/** Where a program stands, and in which environment. */
export type Place = Pick<Spawn, "cwd" | "env">;

/** A program on its way. `before`: what it had said when it got its script. */
export type Taken = Program & { readonly before: string };

export interface AheadOptions {
  launch(spawn: Spawn): Promise<Program>;
  /** Milliseconds that one waits for a command. */
  readonly idleMs?: number;
}

/** Most that wait at a time, and most kinds that are remembered for having been wanted. */
const MOST = 3;
const MOST_KINDS = 12;
/** Longest script that is handed over: a shell reads it character by character. */
const MAX_SCRIPT = 2000;
/** Longer than a model thinks, shorter than a person is away. */
const IDLE_MS = 3 * 60_000;
/** What the last command has left is looked at first, and whoever waits for its result comes before what may come next. */
const PAUSE_MS = 5;
/** A command that begins so soon after the last of its kind comes from a program, and so may the next. */
const HEELS_MS = 100;

export function createAhead({ launch, idleMs = IDLE_MS }: AheadOptions): Ahead {
  const slots = new Map<string, Slot>();
  /** When a command of a kind last ended. */
  const wanted = new Map<string, number>();
  const making = new Set<Promise<unknown>>();
  let isClosed = false;

  async function drop(kind: string, only?: Slot): Promise<void> {
    const slot = slots.get(kind);
    if (only && slot !== only) return;
    slots.delete(kind);
    await (await slot?.made)?.standing.end();
  }

  function remember(kind: string, endedAt: number): void {
    wanted.delete(kind);
    wanted.set(kind, endedAt);
    for (const old of [...wanted.keys()].slice(0, -MOST_KINDS)) wanted.delete(old);
  }

  /** Nobody waits for what is not hurried: it begins after a pause. */
  function begin(kind: string, standby: Standby, inner: Spawn, isFresh: boolean): void {
    const { promise: hurried, resolve: hurry } = Promise.withResolvers<void>();
    // It is for later: what is wrong is said to who really runs something.
    const replica = Promise.race([wait(PAUSE_MS), hurried]).then(() =>
      isClosed ? undefined : standby.again(inner, isFresh),
    );
    const made = make(kind, replica, inner).catch(() => undefined);
    const slot: Slot = { made, hurry };
    slots.set(kind, slot);
    for (const old of [...slots.keys()].slice(0, -MOST)) void drop(old);
    making.add(made);
    void made.then((found) => {
      making.delete(made);
      if (found === undefined && slots.get(kind) === slot) slots.delete(kind);
      // The last command may have made another kind of it, which is as much wanted.
      if (found && found.kind !== kind && slots.get(kind) === slot) keep(found, kind);
      else setTimeout(() => void drop(kind, slot), idleMs).unref();
    });
  }

  /** Keeps what was made under the kind that it is, which nobody has asked for. */
  function keep(found: Made, before?: string): void {
    if (before !== undefined) slots.delete(before);
    if (isClosed || slots.has(found.kind)) return void found.standing.end();
    const slot: Slot = { made: Promise.resolve(found), hurry: () => {} };
    slots.set(found.kind, slot);
    remember(found.kind, performance.now());
    setTimeout(() => void drop(found.kind, slot), idleMs).unref();
  }

  async function make(kind: string, planned: Promise<Replica | undefined>, inner: Spawn): Promise<Made | undefined> {
    const replica = await planned;
    if (replica === undefined) return undefined;
    const is = kindOf(replica.spawn, inner);
    if (isClosed || is === undefined || (is !== kind && slots.has(is))) return void (await discard(replica));
    const standing = await stand(replica, launch);
    return standing && { kind: is, standing };
  }

  return {
    async take(spawn, place, script) {
      const kind = kindOf(spawn, place);
      if (kind === undefined || script.length > MAX_SCRIPT) return undefined;
      const slot = slots.get(kind);
      if (slot === undefined) return undefined;
      slots.delete(kind);
      // What is on its way is there sooner than another, which would only hold it up.
      slot.hurry();
      const found = await slot.made;
      if (found === undefined || found.kind === kind) return found?.standing.take(script);
      keep(found);
      return undefined;
    },
    prepare(spawn, { cwd, env }, shell, { isSure = false, isRunning = false } = {}) {
      const kind = kindOf(spawn, { cwd, env });
      if (kind === undefined || spawn.ahead === undefined) return;
      const endedAt = wanted.get(kind);
      const now = performance.now();
      if (isRunning && now - (endedAt ?? Number.NEGATIVE_INFINITY) > HEELS_MS) return;
      if (!isRunning) remember(kind, now);
      if ((endedAt === undefined && !isSure) || isClosed || slots.has(kind)) return;
      begin(kind, spawn.ahead, { argv: shell, cwd, env }, isRunning);
    },
    async close() {
      isClosed = true;
      for (const { hurry } of slots.values()) hurry();
      await Promise.all(making);
      await Promise.all([...slots.keys()].map((kind) => drop(kind)));
    },
  };
}

/** One that stands, or is on its way. */
interface Slot {
  readonly made: Promise<Made | undefined>;
  /** Somebody waits for it. */
  hurry(): void;
}

interface Made {
  readonly kind: string;
  readonly standing: Standing;
}

/** By what one that stands is found again. */
const kindOf = ({ ahead, env }: Spawn, { cwd }: Place): string | undefined =>
  ahead === undefined ? undefined : JSON.stringify([ahead.likeness, cwd, env]);

interface Standing {
  take(script: string): Taken | undefined;
  end(): Promise<void>;
}

/** Starts it and waits until it waits. `undefined`: it did not come so far. */
async function stand(replica: Replica, launch: AheadOptions["launch"]): Promise<Standing | undefined> {
  const { spawn } = replica;
  const program = await launch(spawn)
    .finally(() => replica.release())
    .catch(() => undefined);
  if (program === undefined) return void spawn.unused?.();
  const end = (): Promise<void> => endUnused(program, spawn);
  program.talk?.on("error", () => undefined);
  const isGood = await isWaiting(program);
  // Not before: somebody may be waiting for it already.
  for (const handle of handlesOf(program)) handle?.unref?.();
  if (!isGood) return void (await end());
  return {
    end,
    take(script) {
      if (program.child.exitCode !== null || program.child.signalCode !== null) return void spawn.unused?.();
      for (const handle of handlesOf(program)) handle?.ref?.();
      spawn.begin?.();
      program.talk?.write(`${script}\0`);
      return { ...program, before: WAITING };
    },
  };
}

async function discard({ spawn, release }: Replica): Promise<void> {
  await release();
  spawn.unused?.();
}

/** One that does not come so far in this time never will. */
const MAX_START_MS = 5000;

/** Whether it came so far that it waits. What says anything else, or ends before, is of no use. */
function isWaiting({ talk, said, ended }: Program): Promise<boolean> {
  return new Promise((resolve) => {
    const look = () => said() !== "" && resolve(said() === WAITING);
    talk?.on("data", look);
    setTimeout(() => resolve(false), MAX_START_MS).unref();
    ended.then(
      () => resolve(false),
      () => resolve(false),
    );
    look();
  });
}

type Handle = { ref?(): void; unref?(): void } | null;

const handlesOf = ({ child, stdout, stderr, talk }: Program): readonly Handle[] =>
  [child, stdout, stderr, talk] as readonly Handle[];

async function endUnused({ child, stdout, stderr, talk, ended }: Program, spawn: Spawn): Promise<void> {
  child.ref();
  child.kill("SIGKILL");
  for (const stream of [stdout, stderr, talk]) stream?.destroy();
  await ended.catch(() => undefined);
  spawn.unused?.();
}
