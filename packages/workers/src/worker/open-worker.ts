import { type KeyObject, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { DispatchContext, DispatchedResult } from "@haft/core/executor";
import { type ToolError, toToolError } from "@haft/core/tool";
import { type Job as QueuedJob, Worker } from "bullmq";
import { usesHeldState } from "../host/placement.ts";
import { CONTRACT, type Job } from "../job/job.ts";
import type { Ended, Order } from "../job/message.ts";
import { markOf, readKey, sign, verify } from "../job/signature.ts";
import { type Connection, commandProblem, connect, disconnect, type Listener, listenTo } from "../redis/connect.ts";
import { logEvent } from "../redis/events.ts";
import { renew } from "../redis/locks.ts";
import { type Names, namesOf } from "../redis/names.ts";
import { briefly } from "../redis/patience.ts";
import { announce, leave, queueOf, type WorkerInfo } from "../redis/roster.ts";
import {
  earlierMark,
  markStart,
  markWhenHandedOut,
  openIn,
  queueMark,
  WITHDRAWN,
  withdrawMark,
  workerName,
} from "../redis/start-mark.ts";
import { type SharedClock, sharedClock } from "../redis/time.ts";
import { openStore, type StoreNeeds } from "../store/open-store.ts";
import type { ResultStore } from "../store/store.ts";
import { type CheckedJob, checkJob } from "./check-job.ts";
import { createDelivery, type Delivery } from "./deliver.ts";
import { heldSessions } from "./held-sessions.ts";
import { RunningJob } from "./running-job.ts";

/** Options of a worker. */
export interface WorkerOptions extends StoreNeeds {
  readonly url: string;
  readonly keyFile?: string;
  readonly name?: string;
  readonly labels?: readonly string[];
  /** Absolute real paths of the folders that it works in. */
  readonly workspaces: readonly string[];
  readonly tools: readonly string[];
  readonly journal: string;
  readonly version: string;
  /** Calls at the same time. Default 4. */
  readonly concurrency?: number;
  /** The place of large results, shared with the hosts: a folder or `s3://BUCKET/FOLDER`. */
  readonly store?: string;
  /** A folder of this machine for results that the store does not take. */
  readonly keepIn?: string;
  /** Results above this many bytes go to the store. Default 256 KB. */
  readonly storeAbove?: number;
  readonly maxJobBytes?: number;
  /** Milliseconds between heartbeats. A worker counts as lost after five. Default 2,000. */
  readonly heartbeatMs?: number;
  /** Milliseconds that a question waits while no host has its session open. Default 15 minutes. */
  readonly unansweredMs?: number;
  /** Runs a job that passed all checks. `policy` is the text of the caller's rules. */
  run(job: Job, policy: string, context: DispatchContext): Promise<DispatchedResult>;
  /** No host has a session open any more whose state `run` holds. */
  onSessionEnd?(tenant: string, session: string): void;
  onMessage?(message: string): void;
}

/** A running worker. */
export interface QueueWorker {
  readonly id: string;
  info(): WorkerInfo;
  /** Takes no new calls, and resolves when those that run have ended. */
  drain(): Promise<void>;
  close(): Promise<void>;
  /** Resolves when it was drained by an order. */
  readonly ended: Promise<void>;
}

const CLOSE_MS = 3_000;
/** Milliseconds in which calls that end are announced together. */
const ANNOUNCE_MS = 200;
const MAX_JOB_BYTES = 1_000_000;
const STORE_ABOVE = 256 * 1_024;
const UNANSWERED_MS = 15 * 60_000;

/** Starts a worker. @throws HaftError if Redis cannot be reached or there is no key. */
export async function openQueueWorker(options: WorkerOptions): Promise<QueueWorker> {
  const key = readKey(options.keyFile, options.env);
  const names = namesOf(options.name ?? "default");
  const into = openStore(options.store, options);
  const redis = await connect(options.url);
  const worker = new RunningWorker(options, { key, names, into, redis, clock: await sharedClock(redis) });
  await worker.start();
  return worker;
}

interface WorkerParts {
  readonly key: KeyObject;
  readonly names: Names;
  readonly into: ResultStore | undefined;
  readonly redis: Connection;
  readonly clock: SharedClock;
}

/** Its public members are fields: hosts spread a worker to add to it. */
class RunningWorker implements QueueWorker {
  readonly id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  readonly #options: WorkerOptions;
  readonly #parts: WorkerParts;
  /** Its mark on the jobs that the queue hands out to it. */
  readonly #mark: string;
  readonly #beatMs: number;
  readonly #concurrency: number;
  readonly #startedAt: number;
  readonly #running = new Map<string, RunningJob>();
  /** Ids of the jobs that the queue handed out, as long as it holds them. */
  readonly #received = new Set<string>();
  readonly #undelivered = new Set<Promise<void>>();
  /** Calls that came to this worker alone, not through the queue. */
  readonly #direct = new Set<Promise<void>>();
  readonly #held: ReturnType<typeof heldSessions>;
  /** Sessions whose host has to answer a question. */
  readonly #asked: ReturnType<typeof heldSessions>;
  readonly #over = Promise.withResolvers<void>();
  readonly ended = this.#over.promise;
  readonly #delivery: Delivery;
  #queue: Worker | undefined;
  #orders: Listener | undefined;
  #timer: NodeJS.Timeout | undefined;
  #announcing: NodeJS.Timeout | undefined;
  #done = 0;
  #draining = false;
  /** The last problem of the queue, until Redis answers again. */
  #problem: string | undefined;

  constructor(options: WorkerOptions, parts: WorkerParts) {
    const { redis, names, key, into, clock } = parts;
    this.#options = options;
    this.#parts = parts;
    this.#mark = queueMark(this.id, options.journal);
    this.#beatMs = options.heartbeatMs ?? 2_000;
    this.#concurrency = options.concurrency ?? 4;
    this.#startedAt = clock.now();
    this.#delivery = createDelivery({
      ...{ redis, names, key, into, worker: this.id, tell: (message) => this.#tell(message) },
      ...{ above: options.storeAbove ?? STORE_ABOVE, keepIn: options.keepIn },
    });
    this.#held = heldSessions(redis, names, this.#beatMs * 5, (tenant, session) =>
      options.onSessionEnd?.(tenant, session),
    );
    this.#asked = heldSessions(redis, names, options.unansweredMs ?? UNANSWERED_MS, (tenant, session) => {
      for (const running of this.#running.values())
        if (running.isAsking && running.job.tenant === tenant && running.job.session === session) running.cancel();
    });
  }

  async start(): Promise<void> {
    const { redis, names } = this.#parts;
    await this.#beat().catch((thrown: unknown) => {
      disconnect(redis);
      throw commandProblem(thrown, "the worker did not start");
    });
    this.#queue = this.#openQueue();
    await this.#queue.waitUntilReady();
    this.#orders = listenTo(redis, names.orders(this.id), (text) => this.#hear(text));
    await this.#orders.subscribed;
    logEvent(redis, names, { is: "joined", worker: this.id });
    this.#timer = setInterval(() => void this.#beat().catch(() => {}), this.#beatMs);
  }

  readonly info = (): WorkerInfo => {
    const { version, labels = [], workspaces, tools, journal } = this.#options;
    return {
      ...{ id: this.id, host: hostname(), pid: process.pid, contract: CONTRACT, version },
      ...{ labels, workspaces, tools, journal, key: markOf(this.#parts.key), concurrency: this.#concurrency },
      ...{ active: this.#running.size, done: this.#done, draining: this.#draining },
      ...{ startedAt: this.#startedAt, lostAfterMs: this.#beatMs * 5 },
    };
  };

  readonly drain = async (): Promise<void> => {
    const { redis, names } = this.#parts;
    if (!this.#draining) {
      this.#draining = true;
      logEvent(redis, names, { is: "draining", worker: this.id });
      await briefly(this.#beat());
    }
    // BullMQ waits for Redis before it closes.
    await Promise.race([this.#queue?.close(), this.#idleWithoutRedis()]);
    await Promise.all(this.#direct);
    await Promise.all(this.#undelivered);
  };

  readonly close = async (): Promise<void> => {
    const { redis, names } = this.#parts;
    for (const job of this.#running.values()) job.cancel();
    // A call that does not end is left: its host finds the worker gone.
    await Promise.race([this.drain(), sleep(CLOSE_MS, undefined, { ref: false })]);
    clearInterval(this.#timer);
    clearTimeout(this.#announcing);
    if (redis.status === "ready") logEvent(redis, names, { is: "left", worker: this.id });
    await briefly(leave(redis, names, this.id));
    this.#orders?.close();
    disconnect(redis);
  };

  async #idleWithoutRedis(): Promise<void> {
    while (this.#parts.redis.status === "ready" || this.#running.size > 0) await sleep(this.#beatMs / 10);
  }

  #openQueue(): Worker {
    const { redis, names } = this.#parts;
    markWhenHandedOut(redis);
    const queue = new Worker(queueOf(this.info()), (queued) => this.#take(queued), {
      connection: redis,
      prefix: names.prefix,
      name: workerName(this.id, this.#options.journal),
      concurrency: this.#concurrency,
      // A job whose worker was lost is never handed to another one: the host decides by the call's effects.
      maxStalledCount: 0,
      removeOnComplete: { count: 0 },
      removeOnFail: { age: 3_600, count: 1_000 },
      skipVersionCheck: true,
    });
    queue.on("error", ({ message }: Error) => this.#tellProblem(message));
    redis.on("ready", () => this.#tellEnd());
    queue.on("active", ({ id = "" }) => this.#received.add(id));
    return queue;
  }

  /** BullMQ repeats a problem with each attempt to connect. */
  #tellProblem(message: string): void {
    if (message === this.#problem) return;
    this.#problem = message;
    const { status } = this.#parts.redis;
    this.#tell(status === "ready" ? message : `Redis does not answer: ${message}. The worker waits for it.`);
  }

  #tellEnd(): void {
    if (this.#problem !== undefined) this.#tell("Redis answers again.");
    this.#problem = undefined;
  }

  #tell(message: string): void {
    this.#options.onMessage?.(message);
  }

  #announce(): Promise<void> {
    const { redis, names } = this.#parts;
    return announce(redis, names, this.info(), this.#beatMs * 5);
  }

  /** Shows a call that ended before the next heartbeat is due. */
  #announceSoon(): void {
    this.#announcing ??= setTimeout(() => {
      this.#announcing = undefined;
      this.#announce().catch(() => {});
    }, ANNOUNCE_MS).unref();
  }

  async #beat(): Promise<void> {
    await this.#announce();
    await renew(
      this.#parts.redis,
      [...this.#running.values()].flatMap(({ job }) => job.tickets),
    );
    await this.#held.check();
    for (const running of this.#running.values()) {
      if (running.isAsking) this.#asked.add(running.job);
      running.askAgain();
    }
    await this.#asked.check();
    await this.#withdrawUnreceived();
  }

  /** A connection may break after Redis handed a job out and before the job arrives. Nobody runs it, so its mark is withdrawn. */
  async #withdrawUnreceived(): Promise<void> {
    if (!this.#queue) return;
    const { redis, names } = this.#parts;
    const earlier = [...this.#received];
    const keys = [this.#queue.toKey("active"), names.started(""), names.result("")];
    const open = new Set(await openIn(redis, keys, this.#mark));
    // Answers come in the order of commands. Jobs that were handed out before this look are received after this turn.
    await new Promise((resolve) => setImmediate(resolve));
    for (const id of open)
      if (!this.#received.has(id) && !this.#running.has(id)) await withdrawMark(redis, [names.started(id)], this.#mark);
    for (const id of earlier) if (!open.has(id)) this.#received.delete(id);
  }

  #hear(text: string): void {
    const order = verify<Order>(this.#parts.key, "order", text);
    // A line that is closed meanwhile ends it as well.
    if (order?.t === "drain")
      void this.drain()
        .finally(this.#over.resolve)
        .catch(() => {});
    if (order?.t === "cancel") this.#running.get(order.job)?.cancel();
    if (order?.t === "answer") this.#running.get(order.job)?.answer(order);
    const job = order ? undefined : verify<Job>(this.#parts.key, "job", text);
    if (!job) return;
    const taken = this.#take({ id: job.id, data: text }).catch((thrown: Error) => this.#tell(thrown.message));
    this.#direct.add(taken);
    void taken.then(() => this.#direct.delete(taken));
  }

  async #take({ id = "", data, processedBy }: Pick<QueuedJob, "id" | "data" | "processedBy">): Promise<void> {
    const { redis, names } = this.#parts;
    let [mark, earlier] = [this.#mark, earlierMark(processedBy)];
    // The first to mark an attempt decides whether it runs: one worker once, or the host that gave it up.
    if (earlier === undefined) {
      // It has a number of its own: a connection that broke sends the command again, and then finds this very mark.
      mark = `${this.#mark} ${randomUUID()}`;
      const found = await markStart(redis, names, id, mark);
      earlier = found === mark ? null : found;
    }
    if (earlier !== null) {
      if (earlier !== WITHDRAWN) this.#tell(`refused a job: ${id} was already started by ${earlier.split(" ")[0]}`);
      return;
    }
    const checked = await this.#check(id, data, mark);
    if ("forged" in checked) return this.#tell(`refused a job: ${checked.forged}`);
    const { job } = checked;
    if ("refused" in checked) {
      this.#tell(`refused ${job.tool} of session ${job.session}: ${checked.refused.message}`);
      return this.#deliver(job, { t: "ended", job: job.id, refused: checked.refused }, 0);
    }
    if (job.effects.some(usesHeldState)) this.#held.add(job);
    const from = performance.now();
    const ended = await this.#work(job, checked.policy);
    await this.#deliver(job, ended, performance.now() - from);
  }

  /** Checks a job. If it is not to start, its mark is withdrawn. */
  async #check(id: string, data: unknown, mark: string): Promise<CheckedJob> {
    const { redis, names, key, clock } = this.#parts;
    const { workspaces, maxJobBytes: maxBytes = MAX_JOB_BYTES } = this.#options;
    let starts = false;
    try {
      const checked = await checkJob(data, { redis, names, key, id, now: clock.now(), maxBytes, workspaces });
      starts = "policy" in checked;
      return checked;
    } finally {
      if (!starts) await withdrawMark(redis, [names.started(id)], mark);
    }
  }

  async #work(job: Job, policy: string): Promise<Ended> {
    const { redis, key } = this.#parts;
    const running = new RunningJob(job, this.id, (reply) => {
      redis.publish(job.reply, sign(key, "reply", reply)).catch(() => {});
    });
    this.#running.set(job.id, running);
    try {
      return { t: "ended", job: job.id, result: await this.#options.run(job, policy, running) };
    } catch (thrown) {
      return { t: "ended", job: job.id, result: failedResult(toToolError(thrown)) };
    } finally {
      this.#done++;
    }
  }

  /** Sends a result off, and takes the next job meanwhile; but not ever more while Redis takes none. */
  async #deliver(job: Job, ended: Ended, ms: number): Promise<void> {
    const sent = this.#delivery.send(job, ended, ms).catch(() => {});
    this.#undelivered.add(sent);
    void sent.then(() => {
      this.#undelivered.delete(sent);
      this.#running.delete(job.id);
      this.#announceSoon();
    });
    if (this.#undelivered.size > this.#concurrency) await sent;
  }
}

const failedResult = (error: ToolError): DispatchedResult => ({
  result: { content: [{ type: "text", text: error.message }], error },
  shown: [],
});
