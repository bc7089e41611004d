import { execFile } from "node:child_process";
import { open } from "node:fs/promises";
import { parent } from "@haft/core/tool";
import { toSystem } from "./image/raw-path.ts";
import type { Change } from "./store/record.ts";

/** Files that are flushed one by one, which nobody waits for; from more on their file system is flushed at once. */
const FEW = 16;
/** A disk that is slower than this goes on by itself. */
const WAIT_MS = 20;

/**
 * Brings what files were just given to the disk: programs write it there some time in the next half minute, and a power
 * cut before that may leave a file that is neither old nor new, since file systems see to that for a rename over a file and
 * not for an exchange. Never fails: what cannot be flushed is as safe as what any program writes.
 */
export async function flush(changes: readonly Change[]): Promise<void> {
  const files = changes.filter(({ after }) => after.type === "file" && after.linkOf === undefined);
  const [first] = files;
  if (!first) return;
  if (files.length <= FEW) return void files.map(({ path }) => flushFile(path));
  await flushSystemOf(parent(first.path));
}

async function flushFile(path: string): Promise<void> {
  try {
    await using file = await open(toSystem(path), "r");
    await file.datasync();
  } catch {
    // Gone again, or not readable.
  }
}

/** Resolves when it is done, or goes on without anybody waiting for it. */
const flushSystemOf = (folder: string): Promise<void> =>
  new Promise((resolve) => {
    const child = execFile("sync", ["-f", "--", folder], { env: { PATH: "/usr/bin:/bin" } }, () => over());
    const timer = setTimeout(() => over(), WAIT_MS);
    const over = () => {
      clearTimeout(timer);
      child.unref();
      for (const stream of [child.stdout, child.stderr] as unknown as { unref?(): void }[]) stream?.unref?.();
      resolve();
    };
  });
