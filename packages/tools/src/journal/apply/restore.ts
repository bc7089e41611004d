import { writeFileSync } from "node:fs";
import { copyFile } from "../image/copy-file.ts";
import { toSystem } from "../image/raw-path.ts";
import type { Ledger } from "../ledger.ts";
import type { Supply } from "./supply.ts";

/** Old content, from where the journal keeps it. */
export function fromBlobs(ledger: Ledger, tag: string): Supply {
  return {
    tag,
    fill({ after }, path, over) {
      if (after.type !== "file") return;
      const target = toSystem(path);
      if (after.kept === undefined) writeFileSync(target, ledger.blobs.read(after.hash), { flag: over ? "w" : "wx" });
      // Never hard-links the kept file: a later write in place would change the kept content.
      else copyFile(after.kept, path, over);
    },
  };
}
