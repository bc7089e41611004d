import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fail } from "@haft/core/tool";
import { isAlive } from "./writer.ts";

const TRY_MS = 40;
const PATIENCE_MS = 60_000;

/**
 * Runs `work` while nobody else has the turn in this journal: what is planned from its lines must still be so when it is carried
 * out. A turn whose process is dead is over.
 *
 * @throws HaftError `conflict` when another one takes longer than a minute; nothing is done then.
 */
export async function inTurn<T>(folder: string, owner: string, work: () => Promise<T>): Promise<T> {
  // Where no journal is there is nothing to wait for, and none is made.
  if (!existsSync(folder)) return work();
  const path = join(folder, "turn");
  for (const until = performance.now() + PATIENCE_MS; !take(path, owner); await wait(TRY_MS)) {
    endDead(path, owner);
    if (performance.now() > until)
      fail("conflict", "Another undo or redo is at work in this folder. Nothing was changed.", "Wait for its end.");
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** A turn has its owner's name from the first moment. */
function take(path: string, owner: string): boolean {
  const own = `${path}.${owner}`;
  writeFileSync(own, owner, { mode: 0o600 });
  try {
    linkSync(own, path);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw thrown;
  } finally {
    rmSync(own, { force: true });
  }
}

function endDead(path: string, owner: string): void {
  const holder = read(path);
  if (holder === undefined || isAlive(holder)) return;
  const aside = `${path}.${owner}.dead`;
  try {
    renameSync(path, aside);
    // Somebody may have been faster and have the turn by now: theirs goes back.
    if (read(aside) !== holder) linkSync(aside, path);
  } catch {
    // Whoever was faster ended it; the next try will tell.
  } finally {
    rmSync(aside, { force: true });
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
