import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ledger } from "../ledger.ts";
import { isClone, tryView, type Variant } from "./mount.ts";

/** The kind of view that works here, found by trying. */
export interface ViewTier {
  of(ledger: Ledger): Variant | undefined;
  /** It turned out not to work. */
  forget(ledger: Ledger): void;
}

/** Real root needs no namespace for mounts, and keeps its rights over other users' files. */
const everyVariant = (): readonly Variant[] =>
  process.geteuid?.() === 0 ? ["root", "user", "root-clone", "user-clone"] : ["user", "user-clone"];

/** How commands are captured: in an overlay, in a copy, or in the workspace itself. */
export type CaptureTier = "view" | "clone" | "direct";

/** The kinds of views of a tier. */
export const variantsOf = (tier: CaptureTier): readonly Variant[] =>
  tier === "direct" ? [] : everyVariant().filter((variant) => isClone(variant) === (tier === "clone"));

export function viewTier(variants?: readonly Variant[]): ViewTier {
  const known = new Map<string, Variant | undefined>();
  return {
    of(ledger) {
      if (!known.has(ledger.folder)) known.set(ledger.folder, find(ledger, variants));
      return known.get(ledger.folder);
    },
    forget(ledger) {
      known.set(ledger.folder, undefined);
      rmSync(noteOf(ledger), { force: true });
    },
  };
}

function find(ledger: Ledger, variants = everyVariant()): Variant | undefined {
  const { annex } = ledger;
  if (process.platform !== "linux" || annex === undefined || variants.length === 0) return undefined;
  const noted = readNote(ledger);
  if (noted !== undefined && variants.includes(noted)) return noted;
  const found = variants.find((variant) => tryView(annex, variant));
  // A working variant is trusted until the machine restarts. A failure is tried again by the next process.
  if (found) note(ledger, found);
  return found;
}

/** The journal may still be empty and its folder missing, because the layers of views can be elsewhere. */
function note(ledger: Ledger, variant: Variant): void {
  mkdirSync(ledger.folder, { recursive: true, mode: 0o700 });
  writeFileSync(noteOf(ledger), `${bootId()} ${variant}`, { mode: 0o600 });
}

const noteOf = (ledger: Ledger): string => join(ledger.folder, "view");

function readNote(ledger: Ledger): Variant | undefined {
  if (!existsSync(noteOf(ledger))) return undefined;
  const [boot, variant] = readFileSync(noteOf(ledger), "utf8").split(" ");
  return boot === bootId() ? (variant as Variant) : undefined;
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
