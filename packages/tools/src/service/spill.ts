import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Spill } from "@haft/core/budget";

/** Keeps results that are too long for the model, one private file each, below the session's folder. */
export function createSpill(folder: string): Spill {
  let count = 0;
  return {
    async write(callId, text) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // The id is the model's text and may hold anything; the number keeps two that look alike apart.
      const name = `${++count}-${callId.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 80)}.txt`;
      const path = join(folder, name);
      await writeFile(path, text, { mode: 0o600, flag: "wx" });
      return path;
    },
  };
}
