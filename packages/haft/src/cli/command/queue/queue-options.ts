import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { QueueOptions } from "@haft/workers";
import { checkQueue } from "../../../app/check-options.ts";
import { UsageError } from "../../exit-code.ts";
import type { CommonOptions } from "../../options.ts";

/** The queue that the command line names: the address of Redis, or a JSON file with the options of a queue. */
export function queueOf({ queue, keyFile }: Pick<CommonOptions, "queue" | "keyFile">): QueueOptions | undefined {
  if (queue === undefined || queue === "") return undefined;
  const named = queue.includes("://") ? { url: queue } : readQueueFile(queue);
  return { ...named, ...(keyFile === undefined ? {} : { keyFile }) };
}

/** The queue of `--queue`, else of `HAFT_QUEUE`. */
export function namedQueue(common: CommonOptions, env: NodeJS.ProcessEnv): QueueOptions {
  const queue = queueOf({ ...common, queue: common.queue ?? env.HAFT_QUEUE });
  if (!queue) throw new UsageError("Which queue?", "Name it with --queue redis://HOST:PORT, or set HAFT_QUEUE.");
  return queue;
}

/** Reads the options of a queue. Paths in the file count from its folder. */
function readQueueFile(file: string): QueueOptions {
  let read: QueueOptions;
  try {
    read = JSON.parse(readFileSync(file, "utf8")) as QueueOptions;
  } catch (thrown) {
    throw new UsageError(
      `The queue cannot be read from ${file}: ${(thrown as Error).message}.`,
      "Name an address, redis://HOST:PORT, or a JSON file with the options of the queue.",
    );
  }
  checkQueue(file, read);
  const { keyFile, store } = read;
  const from = (path: string): string => (path.includes("://") ? path : resolve(dirname(file), path));
  return {
    ...read,
    ...(keyFile === undefined ? {} : { keyFile: from(keyFile) }),
    ...(store === undefined ? {} : { store: from(store) }),
  };
}

/** The values of an option that takes several, separated by commas. */
export const listOf = (text: string | undefined): readonly string[] =>
  (text ?? "").split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));
