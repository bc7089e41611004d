import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { StateFolder } from "./state-folder.ts";

/** Which folders a person has trusted, kept in the user's own state. */
export interface TrustStore {
  isTrusted(folder: string): boolean;
  /** Trusts the folder's git root, or the folder itself outside git. Returns what was trusted. */
  trust(folder: string): string;
  list(): readonly string[];
}

/** The folders that the user has trusted, in a file of the state folder. Read anew at each question. */
export function trustStore(state: StateFolder): TrustStore {
  const file = join(state.root, "trusted.json");
  return {
    isTrusted: (folder) => read(file).includes(trustRoot(folder)),
    trust(folder) {
      const root = trustRoot(folder);
      const all = [...new Set([...read(file), root])].sort();
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(`${file}.new`, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
      return root;
    },
    list: () => read(file),
  };
}

/** The git root above a folder. A nested repository is its own root: trust is not inherited. */
export function trustRoot(folder: string): string {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, ".git"))) return current;
    if (dirname(current) === current) return folder;
  }
}

/** A list that cannot be read trusts nothing. */
function read(file: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  } catch {
    return [];
  }
}
