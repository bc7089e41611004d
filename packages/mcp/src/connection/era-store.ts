import { createHash } from "node:crypto";
import { openStateFile, type StateFileOptions } from "@haft/service";

/** Servers known to speak only the older protocol, so that a start need not try the newer one first. */
export interface EraStore {
  isLegacy(server: string): boolean;
  remember(server: string): void;
}

/** An updated server still answers in the old protocol, so the verdict expires after a week. */
const FRESH_MS = 7 * 24 * 60 * 60 * 1000;

/** Stores verdicts in a file, or without a path in memory. */
export function createEraStore(path: string | undefined, options?: StateFileOptions): EraStore {
  const file = openStateFile<number>(path, options);
  const keyOf = (server: string): string => createHash("sha256").update(server).digest("hex").slice(0, 32);
  return {
    isLegacy(server) {
      const at = file.get(keyOf(server));
      return typeof at === "number" && Date.now() - at < FRESH_MS;
    },
    remember(server) {
      if (this.isLegacy(server)) return;
      try {
        file.set(keyOf(server), Date.now());
      } catch {
        // A verdict that cannot be stored only slows the next start a little.
      }
    },
  };
}
