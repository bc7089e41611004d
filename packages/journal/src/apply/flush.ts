import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { parent } from "@haft/core/tool";
import { toSystem } from "../image/raw-path.ts";
import type { Change } from "../store/record.ts";

/** Up to this many files are flushed one by one; for more, their whole file system is flushed. */
const FEW = 16;

/**
 * Flushes new file contents to the disk. The system would do it some time in the next half minute. A power cut before
 * that may leave a file that is neither old nor new, because file systems protect a rename over a file but not an
 * exchange. Nobody waits for it: the disk may be slow, and the old content is on it already. Never fails: content
 * that cannot be flushed is as safe as that of any other program.
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
    // Already gone, or not readable.
  }
}

/** It continues when this process ends. */
const flushSystemOf = (folder: string): void => {
  const options = { env: { PATH: "/usr/bin:/bin" }, stdio: "ignore", detached: true } as const;
  spawn("sync", ["-f", "--", folder], options)
    .on("error", () => {})
    .unref();
};
