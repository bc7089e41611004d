import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, ownMark } from "@haft/host";

/** Markers of processes that have written and have not finished. */
export interface Writers {
  /** The name in this writer's intents. */
  readonly own: string;
  /** Creates this process's marker. */
  enter(): void;
  /** Removes it again. */
  leave(): void;
  /** Claims the leftover markers of dead processes and returns their names. No other process gets them. */
  claimDead(): string[];
  release(claimed: readonly string[]): void;
  /** Whether any other process is writing. */
  hasOthers(): boolean;
}

export function openWriters(folder: string): Writers {
  const own = `${ownMark()}-${randomBytes(4).toString("hex")}`;
  const names = (): string[] => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  };
  let count = 0;
  return {
    own,
    enter() {
      count += 1;
      if (count > 1) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, own), "", { mode: 0o600 });
    },
    leave() {
      count -= 1;
      if (count === 0) removeQuietly(join(folder, own));
    },
    claimDead() {
      // "writer" or "writer~claimer": a claimer may die as well.
      const dead = names().filter((name) => !isAlive(name.split("~").at(-1) ?? ""));
      return dead.flatMap((name) => {
        const claimed = `${name.split("~")[0]}~${own}`;
        try {
          renameSync(join(folder, name), join(folder, claimed));
          return [claimed];
        } catch {
          return [];
        }
      });
    },
    release(claimed) {
      for (const name of claimed) removeQuietly(join(folder, name));
    },
    hasOthers: () => names().some((name) => name.split("~").at(-1) !== own),
  };
}

/** Its work is done. A marker that cannot be removed is claimed by the next process once this one has ended. */
function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {}
}
