import { openStateFile, type StateFileOptions } from "../state-file.ts";
import type { Definition } from "./definition.ts";

/** A definition as it was when its tool was last allowed to run. */
export interface Pinned {
  readonly hash: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: Definition["inputSchema"];
}

/**
 * What is remembered of the tools that were used in a workspace, so that a server cannot make another tool of one that
 * people know. A tool is pinned when it first runs.
 */
export interface Pins {
  of(server: string, definition: Definition): Pin;
}

/** What is remembered of a tool, beside its definition as it is now. */
export interface Pin {
  /** Whether it is not what it was, or nobody knows because the record cannot be read. A tool that was never used is new. */
  isChanged(): boolean;
  pinned(): Pinned | undefined;
  /** A person, or a rule, has let this definition run. */
  confirm(): void;
}

/** Keeps pins in a file, or without one in memory. */
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
