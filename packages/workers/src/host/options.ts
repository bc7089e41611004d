import type { PlacementRule } from "./placement.ts";

/** How a host uses a queue. Every key but `url` has a default. */
export interface QueueOptions {
  /** The address of Redis: `redis://HOST:PORT`. */
  readonly url: string;
  /** The file with the key that signs jobs. Default: the key in `HAFT_QUEUE_KEY`. */
  readonly keyFile?: string;
  /** The name of the queue, so that several can share one Redis. Default `default`. */
  readonly name?: string;
  /** The owner of these calls, for limits. Default `default`. */
  readonly tenant?: string;
  /** The places where calls run. The first rule that fits counts; by default everything that workers can do. */
  readonly placement?: readonly PlacementRule[];
  /** The treatment of a call when no worker is suitable. Default `wait`: until `startWithinMs`, then it fails. */
  readonly withoutWorker?: "wait" | "host";
  /** Milliseconds within which a call has to start on a worker. Default 60,000. */
  readonly startWithinMs?: number;
  /** The place of large results, shared with the workers: a folder or `s3://BUCKET/FOLDER`. */
  readonly store?: string;
  /** Largest job in bytes. Default 1 MB. */
  readonly maxJobBytes?: number;
  /** Limits over all hosts of this queue. */
  readonly limits?: readonly CallLimit[];
}

/** A limit on calls of a tool, of a tenant, or of both. */
export interface CallLimit {
  readonly tool?: string;
  readonly tenant?: string;
  /** Most calls at the same time. */
  readonly concurrent?: number;
  /** Most calls that start within a second. */
  readonly perSecond?: number;
}
