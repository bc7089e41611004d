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
  /** `new`: never used here. `changed`: it is not what it was. `lost`: the record cannot be read, so nobody knows. */
  check(server: string, definition: Definition): "new" | "same" | "changed" | "lost";
  pinned(server: string, tool: string): Pinned | undefined;
  /** A person, or a rule, has let this definition run. */
  confirm(server: string, definition: Definition): void;
}

/** Keeps pins in a file, or without one in memory. */
export function openPins(path: string | undefined, options?: StateFileOptions): Pins {
  const file = openStateFile<Pinned>(path, options);
  const seen = new Set<string>();
  const keyOf = (server: string, tool: string): string => JSON.stringify([server, tool]);
  return {
    check(server, { name, hash }) {
      const key = keyOf(server, name);
      const pin = file.get(key);
      if (pin) return pin.hash === hash ? "same" : "changed";
      return file.isBroken && !seen.has(key) ? "lost" : "new";
    },
    pinned: (server, tool) => file.get(keyOf(server, tool)),
    confirm(server, definition) {
      const { name, hash, title, description, inputSchema } = definition;
      const key = keyOf(server, name);
      seen.add(key);
      if (file.get(key)?.hash === hash) return;
      file.set(key, { hash, ...(title === undefined ? {} : { title }), description, inputSchema });
    },
  };
}
