import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fail } from "@haft/core/tool";
import { isAlive, ownMark } from "./alive.ts";

/** Milliseconds between tries, until giving up, and until a lock counts as stale. */
const TRY_MS = 40;
const PATIENCE_MS = 45_000;
const FORGOTTEN_MS = 40_000;
const UNNAMED_MS = 1_000;

/** The same for synchronous work: it blocks the process meanwhile, so both are short. */
const SHORT_TRY_MS = 2;
const SHORT_PATIENCE_MS = 3_000;

interface FileLockOptions {
  /** How long a living process may hold the lock, in milliseconds. Default: 40 seconds. */
  readonly forgottenMs?: number;
  /** How long to wait for the lock, in milliseconds. Default: 45 seconds. */
  readonly patienceMs?: number;
}

/**
 * Runs `work` while no other process of this machine runs work under the same path. Takes over a stale lock: its owner is
 * dead, or holds it far longer than any work takes. Without a path it does not lock.
 *
 * @throws HaftError `conflict` if another process holds the lock for longer than the patience; the work has then not begun.
 */
export async function withFileLock<T>(
  path: string | undefined,
  work: () => Promise<T>,
  { forgottenMs = FORGOTTEN_MS, patienceMs = PATIENCE_MS }: FileLockOptions = {},
): Promise<T> {
  if (path === undefined) return work();
  const mine = ownName(path);
  for (const until = performance.now() + patienceMs; !take(path, mine); await wait(TRY_MS))
    lookAgain(path, until, forgottenMs);
  try {
    return await work();
  } finally {
    release(path, mine);
  }
}

/** The same for short synchronous work, such as changing a small file. */
export function withShortFileLock<T>(path: string, work: () => T): T {
  const mine = ownName(path);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const until = performance.now() + SHORT_PATIENCE_MS; !take(path, mine); Atomics.wait(pause, 0, 0, SHORT_TRY_MS))
    lookAgain(path, until, FORGOTTEN_MS);
  try {
    return work();
  } finally {
    release(path, mine);
  }
}

function ownName(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return `${ownMark()}-${randomUUID()}`;
}

/** Never fails, because the work is done. A lock that cannot be removed loses its owner's name, and so is soon stale. */
function release(path: string, mine: string): void {
  if (read(path) !== mine) return;
  try {
    unlinkSync(path);
  } catch {
    try {
      writeFileSync(path, "");
    } catch {}
  }
}

/** Waits between two tries and removes a stale lock. @throws HaftError `conflict` at the timeout. */
function lookAgain(path: string, until: number, forgottenMs: number): void {
  breakForgotten(path, forgottenMs);
  if (performance.now() > until)
    fail("conflict", `Another Haft keeps ${path} locked.`, "End that process, or remove the file if there is none.");
}

function take(path: string, mine: string): boolean {
  try {
    writeFileSync(path, mine, { flag: "wx", mode: 0o600 });
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw thrown;
  }
}

function breakForgotten(path: string, forgottenMs: number): void {
  const held = read(path);
  if (held === undefined || !isForgotten(path, held, forgottenMs)) return;
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    // Another process may have taken it over first: restore its lock.
    if (read(aside) !== held) linkSync(aside, path);
  } catch {
    // Another process was faster and has it; the next try will tell.
  } finally {
    try {
      unlinkSync(aside);
    } catch {
      // It is gone, or the disk reports an error. Nobody looks at it any more.
    }
  }
}

function isForgotten(path: string, owner: string, forgottenMs: number): boolean {
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (since === undefined) return false;
  const age = Date.now() - since;
  // A new lock may not have its owner's name yet.
  return age > forgottenMs || (owner === "" ? age > UNNAMED_MS : !isAlive(owner));
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
