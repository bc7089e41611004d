import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HaftError } from "@haft/core/tool";
import { withFileLock } from "@haft/host";
import type { StateFolder } from "./state-folder.ts";

/** The folders that a person has trusted, stored in the user's own state. */
interface TrustStore {
  isTrusted(folder: string): boolean;
  /**
   * Trusts the folder's git root, or the folder itself outside git. Returns the trusted folder.
   *
   * @throws HaftError `validation_failed` when the list exists but cannot be read; it is left unchanged.
   */
  trust(folder: string): Promise<string>;
  list(): readonly string[];
}

/** The folders that the user has trusted, in a file of the state folder. Reads the file at each question. */
export function trustStore(state: StateFolder): TrustStore {
  const file = join(state.root, "trusted.json");
  return {
    isTrusted: (folder) => (read(file) ?? []).includes(trustRoot(folder)),
    async trust(folder) {
      const root = trustRoot(folder);
      // Another process may add a folder at the same time: neither may be lost.
      await withFileLock(`${file}.lock`, async () => add(file, root));
      return root;
    },
    list: () => read(file) ?? [],
  };
}

/** The git root above a folder. A nested repository is its own root: trust is not inherited. */
function trustRoot(folder: string): string {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(join(current, ".git"))) return current;
    if (dirname(current) === current) return folder;
  }
}

function add(file: string, root: string): void {
  const known = existsSync(file) ? read(file) : [];
  if (known === undefined)
    throw new HaftError({
      code: "validation_failed",
      message: `The list of trusted folders cannot be read: ${file}.`,
      hint: "Correct it (a JSON list of paths), or remove it and trust the folders again.",
    });
  const all = [...new Set([...known, root])].sort();
  writeFileSync(`${file}.new`, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** `undefined`: the list cannot be read. Then nothing is trusted. */
function read(file: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
  } catch {
    return undefined;
  }
}
