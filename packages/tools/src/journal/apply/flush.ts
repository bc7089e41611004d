import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { parent } from "@haft/core/tool";
import { toSystem } from "../image/raw-path.ts";
import type { Change } from "../store/record.ts";

/** Files that are flushed one by one; from more on their file system is flushed at once. */
const FEW = 16;

/**
 * Brings what files were just given to the disk: programs write it there some time in the next half minute, and a power
 * cut before that may leave a file that is neither old nor new, since file systems see to that for a rename over a file and
 * not for an exchange. Nobody waits for it: the disk may be slow, and what was there before is on it already. Never fails:
 * what cannot be flushed is as safe as what any program writes.
 */
export function flush(changes: readonly Change[]): void {
  const files = changes.filter(({ after }) => after.type === "file" && after.linkOf === undefined);
  const [first] = files;
  if (!first) return;
  if (files.length > FEW) flushSystemOf(parent(first.path));
  else for (const { path } of files) void flushFile(path);
}

async function flushFile(path: string): Promise<void> {
  try {
    await using file = await open(toSystem(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    await file.datasync();
  } catch {
    // Gone again, or not readable.
  }
}

/** It goes on when this process ends. */
const flushSystemOf = (folder: string): void => {
  const options = { env: { PATH: "/usr/bin:/bin" }, stdio: "ignore", detached: true } as const;
  spawn("sync", ["-f", "--", folder], options)
    .on("error", () => {})
    .unref();
};
