import type { KeyObject } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { shapeOf, truncate } from "@haft/core/budget";
import type { DispatchedResult } from "@haft/core/executor";
import { ownText } from "@haft/core/tool";
import type { Job } from "../job/job.ts";
import type { Ended } from "../job/message.ts";
import { sign } from "../job/signature.ts";
import type { Connection } from "../redis/connect.ts";
import { MOST_EVENTS, type QueueEvent } from "../redis/events.ts";
import type { Names } from "../redis/names.ts";
import { script } from "../redis/script.ts";
import { folderStore } from "../store/folder.ts";
import { type ResultStore, store } from "../store/store.ts";

/** Parts of a worker that bring results back. */
export interface DeliveryOptions {
  readonly redis: Connection;
  readonly names: Names;
  readonly key: KeyObject;
  /** The place of large results. */
  readonly into: ResultStore | undefined;
  /** Results above this many characters go there. */
  readonly above: number;
  /** A folder on this machine for large results that nobody takes. */
  readonly keepIn: string | undefined;
  readonly worker: string;
  tell(message: string): void;
}

/** Brings results to their hosts. */
export interface Delivery {
  /** Resolves when Redis has the result, however long that takes. */
  send(job: Job, ended: Ended, ms: number): Promise<void>;
}

const RESULT_MS = 24 * 3_600_000;
const MOST_PAUSE_MS = 5_000;
/** With the note below the limit of a command's result. */
const CUT_CHARS = 20_000;

/** Stores a result, announces it, and adds it to the log. Redis stores nothing when it is full, but still announces. */
const announce = script<unknown>(`
local stored = redis.pcall('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('PUBLISH', KEYS[2], ARGV[1])
redis.pcall('XADD', KEYS[3], 'MAXLEN', '~', ARGV[3], '*', 'e', ARGV[4])
return stored
`);

/** Results are stored before they are announced: a host that was away finds them. */
export function createDelivery({ redis, names, key, into, above, keepIn, worker, tell }: DeliveryOptions): Delivery {
  async function fitting(ended: Ended): Promise<Ended> {
    const json = ended.result && JSON.stringify(ended.result);
    if (json === undefined || json.length <= above) return ended;
    const { t, job } = ended;
    const name = `${job}.json`;
    try {
      if (into) return { t, job, stored: await store(into, name, json) };
    } catch (thrown) {
      tell(`a result could not be stored: ${(thrown as Error).message}`);
    }
    return { t, job, result: cut(ended.result!, await keep(name, json)) };
  }

  /** Writes a result to this machine, and says where it is. */
  async function keep(name: string, json: string): Promise<string> {
    const why = into ? "the result store is down" : "the worker has no result store (--store)";
    if (keepIn === undefined) return `${why}. The rest was not saved.`;
    try {
      const here = folderStore(keepIn);
      await here.put(name, Buffer.from(json));
      return `${why}. All of it is in ${here.address(name)} on the worker ${worker}.`;
    } catch (thrown) {
      return `${why}, and the worker could not write it to its disk: ${(thrown as Error).message}.`;
    }
  }

  function eventOf({ tool, session }: Job, { result, refused }: Ended, ms: number): QueueEvent {
    const code = (refused ?? result?.result.error)?.code;
    const is = refused ? "refused" : code ? "failed" : "ended";
    return { is, worker, tool, session, ms: Math.round(ms), ...(code ? { code } : {}) };
  }

  return {
    async send(job, ended, ms) {
      const signed = sign(key, "reply", await fitting(ended));
      const event = JSON.stringify(eventOf(job, ended, ms));
      const keys = [names.result(job.id), job.reply, names.events];
      for (let pause = 250; ; pause = Math.min(pause * 2, MOST_PAUSE_MS)) {
        try {
          await announce(redis, keys, signed, RESULT_MS, MOST_EVENTS, event);
          return;
        } catch (thrown) {
          if (redis.status === "end") throw thrown;
          tell(`Redis does not take the result of ${job.tool}: ${(thrown as Error).message}. It is sent again.`);
          await sleep(pause, undefined, { ref: false });
        }
      }
    },
  };
}

/** A part of a result that is too large for Redis. The note is first: a smaller limit of the host cuts the end. */
function cut({ result, shown }: DispatchedResult, why: string): DispatchedResult {
  const whole = result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  const part = truncate(whole, CUT_CHARS, shapeOf(result));
  const note = `[Only ${part.shown} came from the worker: ${why} The call itself has run.]\n`;
  const { content: _, output: __, display: ___, ...rest } = result;
  return { result: { ...rest, content: [ownText(note), { type: "text", text: part.text }] }, shown };
}
