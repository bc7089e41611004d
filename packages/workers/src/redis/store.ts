import { createHash } from "node:crypto";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "@haft/core/tool";
import type { StoredRef } from "../job/message.ts";

/** Holds results that are too large for Redis. Hosts and workers use the same one. */
export interface ResultStore {
  put(name: string, bytes: Buffer): Promise<void>;
  get(name: string): Promise<Buffer>;
}

/** A folder that hosts and workers share. */
export function folderStore(folder: string): ResultStore {
  return {
    async put(name, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const temporary = join(folder, `.${name}.${process.pid}`);
      await writeFile(temporary, bytes, { mode: 0o600 });
      await rename(temporary, join(folder, name));
    },
    async get(name) {
      const path = join(folder, name);
      await stat(path);
      return readFile(path);
    },
  };
}

/** Stores a value as JSON, and returns how to find and check it. */
export async function store(into: ResultStore, name: string, json: string): Promise<StoredRef> {
  const bytes = Buffer.from(json);
  await into.put(name, bytes);
  return { name, bytes: bytes.length, sha256: sha256(bytes) };
}

/** Loads a stored value. @throws HaftError if it is missing or was changed. */
export async function load<T>(from: ResultStore | undefined, ref: StoredRef): Promise<T> {
  if (!from)
    return fail(
      "execution_failed",
      "The call has run, and its result lies in a store that this host does not know.",
      "Give the host the same --store as the workers.",
    );
  const bytes = await from
    .get(ref.name)
    .catch((thrown: Error) =>
      fail(
        "execution_failed",
        `The call has run, but its result cannot be read from the store: ${thrown.message}.`,
        "Mend the store. Do not repeat the call unless it only reads.",
      ),
    );
  if (bytes.length !== ref.bytes || sha256(bytes) !== ref.sha256)
    fail(
      "execution_failed",
      "The stored result of the call was changed by somebody.",
      "Check who writes to the store.",
    );
  return JSON.parse(bytes.toString()) as T;
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
