import { readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, grouped } from "@haft/core/tool";
import type { Download } from "playwright-core";

/** Milliseconds that a file may take. */
export const DOWNLOAD_MS = 120_000;
/** Most bytes, and most files, that the pages of a session may have on the disk before the agent takes them. */
const MOST_BYTES = 100 * 1024 * 1024;
const MOST_FILES = 100;
/** Milliseconds between two looks at their sizes while a file arrives. */
const LOOK_MS = 50;

interface Discarded {
  readonly why: "slow" | "large";
  /** Its bytes count until then. */
  readonly gone: Promise<void>;
}

/** The files that pages offer, until the agent takes them. */
export interface Downloads {
  /** Follows a file from its first byte. */
  add(download: Download): void;
  /** Its content, when it is complete. @throws HaftError if it was too slow or too large, or did not arrive. */
  take(download: Download): Promise<Uint8Array>;
}

/** Limits what pages put in the folder: a page chooses when a file begins and how long it is. */
export function openDownloads(folder: string): Downloads {
  const offered = new Set<Download>();
  const arriving = new Set<Download>();
  const discarded = new WeakMap<Download, Discarded>();
  let watch: NodeJS.Timeout | undefined;

  const discard = (download: Download, why: Discarded["why"]): void => {
    offered.delete(download);
    const gone = download
      .cancel()
      .then(() => download.delete())
      .catch(() => {});
    discarded.set(download, { why, gone });
  };
  const look = (): void => {
    if (offered.size > MOST_FILES || sizeOf(folder) > MOST_BYTES) for (const one of offered) discard(one, "large");
  };

  return {
    add(download) {
      offered.add(download);
      arriving.add(download);
      watch ??= setInterval(look, LOOK_MS);
      const timer = setTimeout(() => discard(download, "slow"), DOWNLOAD_MS);
      void download
        .failure()
        .catch(() => {})
        .finally(() => {
          clearTimeout(timer);
          look();
          arriving.delete(download);
          if (arriving.size > 0) return;
          clearInterval(watch);
          watch = undefined;
        });
    },
    async take(download) {
      const failure = await download.failure().catch(String);
      const { why, gone } = discarded.get(download) ?? {};
      await gone;
      if (why === "large")
        fail(
          "file_too_large",
          `The file was discarded: the files that pages offer may have ${grouped(MOST_BYTES)} bytes together until they are saved.`,
          "Save each file before the next, or download this one with Bash: curl -L -o FILE ADDRESS",
        );
      if (failure !== null)
        fail(
          "fetch_failed",
          `The file did not arrive: ${why === "slow" ? `it took longer than ${DOWNLOAD_MS / 1000} seconds` : failure}.`,
          "Download it with Bash: curl -L -o FILE ADDRESS",
        );
      const data = await readFile(await download.path());
      offered.delete(download);
      await download.delete().catch(() => {});
      return data;
    },
  };
}

function sizeOf(folder: string): number {
  let bytes = 0;
  for (const name of namesIn(folder)) bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing was offered yet.
    return [];
  }
}
