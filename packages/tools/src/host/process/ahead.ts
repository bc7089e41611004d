import { setImmediate } from "node:timers/promises";
import type { Program } from "./program.ts";
import { WAITING } from "./shell.ts";

/**
 * Programs that are started before their command is known, so that nobody waits for what has to be put around them.
 * They wait for a script on descriptor 3, and end with this process at the latest.
 */
export interface Ahead {
  /** The one that was made for this key, with its script. `undefined`: there is none, or the script is not for it. */
  take(key: string, script: string): Promise<Taken | undefined>;
  /** Whether one should be made for the next time: from the second time on that somebody wants this key. */
  wants(key: string): boolean;
  /** Makes it as soon as there is nothing else to do. */
  prepare(key: string, make: () => Promise<Program>): void;
  close(): Promise<void>;
}

/** A program on its way. `before`: what it had said when it got its script. */
export type Taken = Program & { readonly before: string };

/** Most that wait at a time, and most keys that are remembered for having been wanted. */
const MOST = 2;
const MOST_KEYS = 8;
/** Longest script that is handed over: a shell reads it character by character. */
const MAX_SCRIPT = 2000;

export function createAhead(): Ahead {
  const slots = new Map<string, Promise<Program | undefined>>();
  const wanted = new Set<string>();
  let isClosed = false;

  async function drop(key: string): Promise<void> {
    const slot = slots.get(key);
    slots.delete(key);
    const program = await slot;
    if (program) end(program);
  }

  return {
    async take(key, script) {
      if (script.length > MAX_SCRIPT) return undefined;
      const slot = slots.get(key);
      slots.delete(key);
      const program = await slot;
      if (program === undefined || program.child.exitCode !== null || program.child.signalCode !== null)
        return undefined;
      for (const handle of handlesOf(program)) handle?.ref?.();
      program.talk?.write(`${script}\0`);
      return { ...program, before: WAITING };
    },
    wants(key) {
      const isKnown = wanted.delete(key);
      wanted.add(key);
      for (const old of [...wanted].slice(0, -MOST_KEYS)) wanted.delete(old);
      return isKnown && !isClosed && !slots.has(key);
    },
    prepare(key, make) {
      const slot = setImmediate(undefined)
        .then(make)
        .then(
          async (program) => {
            program.talk?.on("error", () => undefined);
            const isGood = await isWaiting(program);
            // Not before: somebody may be waiting for it already.
            for (const handle of handlesOf(program)) handle?.unref?.();
            if (isGood) return program;
            end(program);
            return undefined;
          },
          () => undefined,
        );
      slots.set(key, slot);
      for (const old of [...slots.keys()].slice(0, -MOST)) void drop(old);
    },
    async close() {
      isClosed = true;
      await Promise.all([...slots.keys()].map(drop));
    },
  };
}

/** Whether it came so far that it waits. What says anything else, or ends before, is of no use. */
function isWaiting({ talk, said, ended }: Program): Promise<boolean> {
  return new Promise((resolve) => {
    const look = () => said() !== "" && resolve(said() === WAITING);
    talk?.on("data", look);
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

function end({ child, stdout, stderr, talk }: Program): void {
  child.kill("SIGKILL");
  for (const stream of [stdout, stderr, talk]) stream?.destroy();
}
