import { openStateFile, type StateFileOptions } from "@haft/service";
import type { Definition } from "./definition.ts";

/** A tool definition from the last time that the tool was allowed to run. */
export interface Pinned {
  readonly hash: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: Definition["inputSchema"];
}

/**
 * Remembers the tools used in a workspace, so that a server cannot change a known tool into another one. A tool is pinned when it first
 * runs.
 */
export interface Pins {
  of(server: string, definition: Definition): Pin;
}

/** The record of a tool, next to its current definition. */
interface Pin {
  /** Whether the definition has changed, or the record cannot be read. A tool that was never used is new. */
  isChanged(): boolean;
  pinned(): Pinned | undefined;
  /** A person, or a rule, has allowed this definition to run. */
  confirm(): void;
}

/** Stores pins in a file, or without a path in memory. */
export function openPins(path: string | undefined, options?: StateFileOptions): Pins {
  const file = openStateFile<Pinned>(path, options);
  const seen = new Set<string>();
  return {
    of(server, { name, hash, title, description, inputSchema }) {
      const key = JSON.stringify([server, name]);
      return {
        isChanged() {
          const known = file.get(key);
          return known ? known.hash !== hash : file.isBroken && !seen.has(key);
        },
        pinned: () => file.get(key),
        confirm() {
          seen.add(key);
          if (file.get(key)?.hash === hash) return;
          file.set(key, { hash, ...(title === undefined ? {} : { title }), description, inputSchema });
        },
      };
    },
  };
}
