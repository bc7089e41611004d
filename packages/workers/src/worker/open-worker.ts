import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { DispatchContext, DispatchedResult } from "@haft/core/executor";
import { HaftError, type ToolError, toToolError } from "@haft/core/tool";
import { type Job as QueuedJob, Worker } from "bullmq";
import { MARK_MS, WITHDRAWN } from "../host/pending.ts";
import { usesHeldState } from "../host/placement.ts";
import { CONTRACT, type Job } from "../job/job.ts";
import type { Ended, Order, Reply } from "../job/message.ts";
import { readKey, seal, unseal } from "../job/seal.ts";
import { commandProblem, connect, disconnect } from "../redis/connect.ts";
import { logEvent } from "../redis/events.ts";
import { renew } from "../redis/locks.ts";
import { namesOf } from "../redis/names.ts";
import { briefly } from "../redis/patience.ts";
import { announce, leave, queueOf, type WorkerInfo } from "../redis/roster.ts";
import { sharedClock } from "../redis/time.ts";
import { openStore, type StoreNeeds } from "../store/open-store.ts";
import { checkJob } from "./check-job.ts";
import { createDelivery } from "./deliver.ts";
import { heldSessions } from "./held-sessions.ts";

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

interface Running {
  readonly controller: AbortController;
  readonly asks: Map<string, PromiseWithResolvers<Extract<Order, { t: "answer" }>>>;
  readonly tickets: readonly string[];
}

const CLOSE_MS = 3_000;
const MAX_JOB_BYTES = 1_000_000;
const STORE_ABOVE = 256 * 1_024;

/** Starts a worker. @throws HaftError if Redis cannot be reached or there is no key. */
export async function openQueueWorker(options: WorkerOptions): Promise<QueueWorker> {
  const key = readKey(options.keyFile, options.env);
  const names = namesOf(options.name ?? "default");
  const into = openStore(options.store, options);
  const redis = await connect(options.url);
  const clock = await sharedClock(redis);
  const beatMs = options.heartbeatMs ?? 2_000;
  const lostAfterMs = beatMs * 5;
  const concurrency = options.concurrency ?? 4;
  const tell = options.onMessage ?? (() => {});
  const running = new Map<string, Running>();
  const over = Promise.withResolvers<void>();
  const startedAt = clock.now();
  const id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  let [done, draining] = [0, false];
  const delivery = createDelivery({
    ...{ redis, names, key, into, worker: id, tell },
    ...{ above: options.storeAbove ?? STORE_ABOVE, keepIn: options.keepIn },
  });
  const undelivered = new Set<Promise<void>>();
  /** Calls that came to this worker alone, not through the queue. */
  const direct = new Set<Promise<void>>();
  const held = heldSessions(redis, names, lostAfterMs, (tenant, session) => options.onSessionEnd?.(tenant, session));

  const info = (): WorkerInfo => ({
    ...{ id, host: hostname(), pid: process.pid, contract: CONTRACT, version: options.version },
    ...{ labels: options.labels ?? [], workspaces: options.workspaces, tools: options.tools },
    ...{ journal: options.journal, concurrency },
    ...{ active: running.size, done, draining, startedAt, lostAfterMs },
  });
  const beat = async () => {
    await announce(redis, names, info(), lostAfterMs);
    await renew(
      redis,
      [...running.values()].flatMap(({ tickets }) => tickets),
    );
    await held.check();
  };
  const say = (to: Job, reply: Reply): void => {
    redis.publish(to.reply, seal(key, "reply", reply)).catch(() => {});
  };

  function hear(text: string): void {
    const order = unseal<Order>(key, "order", text);
    if (order?.t === "drain") void drain().then(() => over.resolve());
    if (order?.t === "cancel") running.get(order.job)?.controller.abort();
    if (order?.t === "answer") running.get(order.job)?.asks.get(order.ask)?.resolve(order);
    const job = order ? undefined : unseal<Job>(key, "job", text);
    if (!job) return;
    const taken = take({ id: job.id, data: text }).catch((thrown: Error) => tell(thrown.message));
    direct.add(taken);
    void taken.then(() => direct.delete(taken));
  }

  async function take(queued: Pick<QueuedJob, "id" | "data">): Promise<void> {
    const checked = await checkJob(queued.data, {
      ...{ redis, names, key, id: queued.id ?? "", now: clock.now() },
      maxBytes: options.maxJobBytes ?? MAX_JOB_BYTES,
      workspaces: options.workspaces,
    });
    if ("forged" in checked) return tell(`refused a job: ${checked.forged}`);
    const { job } = checked;
    if ("refused" in checked) {
      tell(`refused ${job.tool} of session ${job.session}: ${checked.refused.message}`);
      return answer(job, { t: "ended", job: job.id, refused: checked.refused }, 0);
    }
    // The first to set this decides whether the attempt runs: this worker once, or the host that gave it up.
    // It has a number of its own: a connection that broke sends the command again, and then finds this very mark.
    const own = `${id} ${options.journal} ${randomUUID()}`;
    const mark = await redis.set(names.started(job.id), own, "PX", MARK_MS, "NX", "GET");
    if (mark !== null && mark !== own) {
      if (mark !== WITHDRAWN) tell(`refused a job: ${job.id} was already started by ${mark.split(" ")[0]}`);
      return;
    }
    if (job.effects.some(usesHeldState)) held.add(job);
    const from = performance.now();
    const ended = await work(job, checked.policy);
    await answer(job, ended, performance.now() - from);
  }

  /** Sends a result off, and takes the next job meanwhile; but not ever more while Redis takes none. */
  async function answer(job: Job, ended: Ended, ms: number): Promise<void> {
    const sent = delivery.send(job, ended, ms).catch(() => {});
    undelivered.add(sent);
    void sent.then(() => {
      undelivered.delete(sent);
      running.delete(job.id);
    });
    if (undelivered.size > concurrency) await sent;
  }

  async function work(job: Job, policy: string): Promise<Ended> {
    const controller = new AbortController();
    const asks: Running["asks"] = new Map();
    running.set(job.id, { controller, asks, tickets: job.tickets });
    const context: DispatchContext = {
      signal: controller.signal,
      progress: (progress) => say(job, { t: "progress", job: job.id, progress }),
      starting: async () => {},
      async ask(question) {
        const ask = randomUUID();
        const answered = Promise.withResolvers<Extract<Order, { t: "answer" }>>();
        asks.set(ask, answered);
        const stop = () => answered.reject(controller.signal.reason);
        controller.signal.addEventListener("abort", stop, { once: true });
        say(job, { t: "ask", job: job.id, worker: id, ask, question });
        try {
          const order = await answered.promise;
          if (order.error) throw new HaftError(order.error);
          return order.answered ?? {};
        } finally {
          controller.signal.removeEventListener("abort", stop);
          asks.delete(ask);
        }
      },
    };
    try {
      return { t: "ended", job: job.id, result: await options.run(job, policy, context) };
    } catch (thrown) {
      return { t: "ended", job: job.id, result: failedResult(toToolError(thrown)) };
    } finally {
      done++;
    }
  }

  async function drain(): Promise<void> {
    if (!draining) {
      draining = true;
      logEvent(redis, names, { is: "draining", worker: id });
      await beat().catch(() => {});
    }
    await worker.close();
    await Promise.all(direct);
    await Promise.all(undelivered);
  }

  await beat().catch((thrown: unknown) => {
    disconnect(redis);
    throw commandProblem(thrown, "the worker did not start");
  });
  const worker = new Worker(queueOf(info()), take, {
    connection: redis,
    prefix: names.prefix,
    concurrency,
    // A job whose worker was lost is never handed to another one: the host decides by the call's effects.
    maxStalledCount: 0,
    removeOnComplete: { count: 0 },
    removeOnFail: { age: 3_600, count: 1_000 },
    skipVersionCheck: true,
  });
  worker.on("error", (error: Error) => tell(error.message));
  await worker.waitUntilReady();
  const orders = redis.duplicate({ lazyConnect: false });
  orders.on("error", () => {});
  orders.on("message", (_channel: string, text: string) => hear(text));
  await orders.subscribe(names.orders(id));
  logEvent(redis, names, { is: "joined", worker: id });
  const timer = setInterval(() => void beat().catch(() => {}), beatMs);

  return {
    id,
    info,
    drain,
    ended: over.promise,
    async close() {
      for (const { controller } of running.values()) controller.abort();
      // A call that does not end is left: its host finds the worker gone.
      await Promise.race([drain(), sleep(CLOSE_MS, undefined, { ref: false })]);
      clearInterval(timer);
      if (redis.status === "ready") logEvent(redis, names, { is: "left", worker: id });
      await briefly(leave(redis, names, id));
      disconnect(orders, redis);
    },
  };
}

const failedResult = (error: ToolError): DispatchedResult => ({
  result: { content: [{ type: "text", text: error.message }], error },
  shown: [],
});
