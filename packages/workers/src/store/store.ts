import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fail, HaftError } from "@haft/core/tool";
import type { StoredRef } from "../job/message.ts";

/** Holds results that are too large for Redis. Hosts and workers use the same one. */
export interface ResultStore {
  /** The place of a result, as a person finds it. */
  address(name: string): string;
  put(name: string, bytes: Buffer): Promise<void>;
  get(name: string): Promise<Buffer>;
}

/** Pauses between tries, in milliseconds: a store that restarts is waited for. */
const PAUSES = [100, 400, 1_500];

/** Stores a value as JSON, and returns how to find and check it. */
export async function store(into: ResultStore, name: string, json: string, pauses = PAUSES): Promise<StoredRef> {
  const bytes = Buffer.from(json);
  await repeated(() => into.put(name, bytes), pauses);
  return { name, bytes: bytes.length, sha256: hash("sha256", bytes) };
}

/** Loads a stored value. @throws HaftError if it is missing or was changed. */
export async function load<T>(from: ResultStore | undefined, ref: StoredRef, pauses = PAUSES): Promise<T> {
  if (!from)
    return fail(
      "execution_failed",
      `The call has run, and its result ${ref.name} is in a store that this host does not know.`,
      "Name the store of the workers in the queue options of the host: store.",
    );
  const bytes = await repeated(() => from.get(ref.name), pauses).catch((thrown: Error) =>
    fail(
      "execution_failed",
      `The call has run, but its result cannot be read from the store: ${thrown.message}`,
      `Its result is at ${from.address(ref.name)}. Repair the store and read it there. Repeat the call only if it is read-only.`,
    ),
  );
  if (bytes.length !== ref.bytes || hash("sha256", bytes) !== ref.sha256)
    fail(
      "execution_failed",
      "Somebody changed the stored result of the call.",
      `Check who writes to ${from.address(ref.name)}.`,
    );
  return JSON.parse(bytes.toString()) as T;
}

async function repeated<T>(work: () => Promise<T>, pauses: readonly number[]): Promise<T> {
  for (const pause of pauses) {
    try {
      return await work();
    } catch (thrown) {
      if (HaftError.is(thrown) && thrown.code !== "fetch_failed" && thrown.code !== "timeout") throw thrown;
      await sleep(pause);
    }
  }
  return work();
}
