import { copyFile, writeSparsely } from "../image/copy-file.ts";
import { toSystem } from "../image/raw-path.ts";
import type { Ledger } from "../ledger.ts";
import type { Supply } from "./supply.ts";

/** The folder for new entries and displaced files: undo can then give back the very file. */
export const fromJournal = ({ originals, staging }: Ledger): Pick<Supply, "staging" | "retire" | "preserve"> => ({
  ...(staging === undefined ? {} : { staging }),
  ...(originals && {
    retire: ({ path, before }, at) => originals.take(at, path, before),
    preserve: ({ path, before }, at) => void originals.link(at, path, before),
  }),
});

/** Old content, from where the journal keeps it. */
export function fromBlobs(ledger: Ledger, tag: string): Supply {
  return {
    tag,
    ...fromJournal(ledger),
    source: ({ path, after, shared }) => (shared ? undefined : ledger.originals?.find(path, after)),
    fill({ after }, path, over) {
      if (after.type !== "file") return;
      const target = toSystem(path);
      if (after.kept === undefined) writeSparsely(target, ledger.blobs.read(after.hash), after.holes === true, over);
      // Never hard-links the kept file: a later write in place would change the kept content.
      else copyFile(after.kept, path, over);
    },
  };
}
