import { setTimeout as wait } from "node:timers/promises";
import type { Program, Replica, Spawn } from "./program.ts";
import { WAITING } from "./shell.ts";

/**
 * Programs that are started before their command is known, so that nobody waits for what has to be put around them.
 * They wait for a script on descriptor 3. One serves one command; those that nobody wants end after a while, and all with
 * this process at the latest.
 */
export interface Ahead {
  /** One that is like this, with its script. `undefined`: there is none, or the script is not for it. */
  take(wanted: Spawn, place: Place, script: string): Promise<Taken | undefined>;
  /** Makes one for the next time, from the second time on that somebody wants its like; at once where `isSure`. */
  prepare(wanted: Spawn, place: Place, shell: readonly string[], isSure?: boolean): void;
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

export function createAhead({ launch, idleMs = IDLE_MS }: AheadOptions): Ahead {
  const slots = new Map<string, Promise<Standing | undefined>>();
  const wanted = new Set<string>();
  const planning = new Map<string, Promise<void>>();
  let isClosed = false;

  async function drop(kind: string, only?: Promise<Standing | undefined>): Promise<void> {
    const slot = slots.get(kind);
    if (only && slot !== only) return;
    slots.delete(kind);
    await (await slot)?.end();
  }

  function remember(kind: string): void {
    wanted.delete(kind);
    wanted.add(kind);
    for (const old of [...wanted].slice(0, -MOST_KINDS)) wanted.delete(old);
  }

  /** Whether its like was wanted before, and none is there or on its way. */
  function isWanted(kind: string): boolean {
    const isKnown = wanted.has(kind);
    remember(kind);
    return isKnown && !isClosed && !slots.has(kind) && !planning.has(kind);
  }

  async function make(standby: NonNullable<Spawn["ahead"]>, inner: Spawn): Promise<void> {
    await wait(PAUSE_MS);
    if (isClosed) return;
    const replica = await standby.again(inner);
    const kind = kindOf(replica.spawn, inner);
    if (isClosed || kind === undefined || slots.has(kind)) return discard(replica);
    const slot = stand(replica, launch);
    slots.set(kind, slot);
    // The last command may have made another kind of it, which is as much wanted.
    remember(kind);
    for (const old of [...slots.keys()].slice(0, -MOST)) void drop(old);
    await slot;
    setTimeout(() => void drop(kind, slot), idleMs).unref();
  }

  return {
    async take(spawn, place, script) {
      const kind = kindOf(spawn, place);
      if (kind === undefined || script.length > MAX_SCRIPT) return undefined;
      const slot = slots.get(kind);
      slots.delete(kind);
      return (await slot)?.take(script);
    },
    prepare(spawn, { cwd, env }, shell, isSure = false) {
      const kind = kindOf(spawn, { cwd, env });
      if (isSure && kind !== undefined) remember(kind);
      if (kind === undefined || spawn.ahead === undefined || !isWanted(kind)) return;
      // It is for later: what is wrong is said to who really runs something.
      const made = make(spawn.ahead, { argv: shell, cwd, env }).catch(() => undefined);
      planning.set(
        kind,
        made.finally(() => planning.delete(kind)),
      );
    },
    async close() {
      isClosed = true;
      await Promise.all(planning.values());
      await Promise.all([...slots.keys()].map((kind) => drop(kind)));
    },
  };
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
