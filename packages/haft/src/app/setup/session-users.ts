import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, ownMark, processOf } from "@haft/host";
import type { Notice } from "../notice.ts";

/** One of the Hafts that have a session open. */
export interface SessionUser {
  /** A notice if the session was already open. */
  readonly notice?: Notice;
  leave(): void;
}

/**
 * Marks a session as open, in a file of its folder, and finds other processes that have it open. Marks of dead processes
 * are removed. If the disk accepts no mark, the session is only not watched.
 */
export function enterSession(id: string, dir: string | undefined): SessionUser {
  if (dir === undefined) return { leave: () => {} };
  const folder = join(dir, "open");
  const own = `${ownMark()}.${randomUUID().slice(0, 8)}`;
  const others: number[] = [];
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) {
      const [mark = ""] = name.split(".");
      if (isAlive(mark)) others.push(processOf(mark));
      else rmSync(join(folder, name), { force: true });
    }
    writeFileSync(join(folder, own), "", { mode: 0o600 });
  } catch {
    // Ignored: the session is not watched.
  }
  return {
    ...(others.length > 0 ? { notice: shared(id, [...new Set(others)]) } : {}),
    leave() {
      try {
        rmSync(join(folder, own), { force: true });
      } catch {
        // Ignored: a mark of a dead process is removed later.
      }
    },
  };
}

const shared = (id: string, pids: readonly number[]): Notice => ({
  code: "session_shared",
  severity: "warning",
  source: "session",
  message: `Session ${id} is open already, in process ${pids.join(" and ")}. Both write to its record, and each knows only its own grants and reads.`,
  cure: "Close one of them, or give this one its own session.",
});
