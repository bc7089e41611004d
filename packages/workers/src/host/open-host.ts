import type { Claim, DispatchContext, DispatchedResult, Locks, SentCall } from "@haft/core/executor";
import { fail } from "@haft/core/tool";
import { Queue } from "bullmq";
import { digestOf } from "../job/job.ts";
import { markOf, readKey } from "../job/signature.ts";
import { type Connection, commandProblem, connect, disconnect } from "../redis/connect.ts";
import { type SharedLocks, shareLocks } from "../redis/locks.ts";
import { type Names, namesOf } from "../redis/names.ts";
import { briefly, patient } from "../redis/patience.ts";
import { listWorkers, queueOf, type WorkerInfo } from "../redis/roster.ts";
import { sharedSlots } from "../redis/slots.ts";
import { sharedClock } from "../redis/time.ts";
import { openStore, type StoreNeeds } from "../store/open-store.ts";
import { claimSession } from "./claim-session.ts";
import type { QueueOptions } from "./options.ts";
import { openPending } from "./pending.ts";
import { chooseWorkers, missingWorker, type Needs, needsOf, suits, type Target } from "./placement.ts";
import { createSender, type OutgoingCall } from "./sender.ts";

/** A host's side of a queue. */
export interface QueueHost {
  readonly names: Names;
  /** The needs of the call; `undefined`: it runs on the host. */
  needs(call: Pick<OutgoingCall, "tool" | "effects" | "cwd">): Needs | undefined;
  /** Whether a worker is suitable now, as far as the host knows. */
  hasWorker(needs: Needs): boolean;
  /** Runs the call on a worker. @throws HaftError */
  send(call: OutgoingCall, needs: Needs, context: DispatchContext): Promise<DispatchedResult>;
  /** The result of a call that an earlier host of the session has sent; waits for it while its worker lives. */
  earlier(call: SentCall, context: DispatchContext): Promise<DispatchedResult | undefined> | undefined;
  workers(): Promise<readonly WorkerInfo[]>;
  /** Orders conflicting calls of all hosts that work in the same folder. */
  shareLocks(own: Locks<Claim>, folder: string): SharedLocks;
  close(): Promise<void>;
}

/** A queue, and the host that sends calls to it. */
export interface HostOptions extends QueueOptions, StoreNeeds {
  readonly session: string;
  /** An earlier process of this session may have sent calls. */
  readonly isResumed: boolean;
  /** Milliseconds between looks at what is underway. Default 1,000. */
  readonly checkMs?: number;
}

const MAX_JOB_BYTES = 1_000_000;

/** Connects a host to its queue. @throws HaftError if Redis cannot be reached or there is no key. */
export async function openQueueHost(options: HostOptions): Promise<QueueHost> {
  const key = readKey(options.keyFile, options.env);
  const { session, isResumed, tenant = "default", checkMs = 1_000, startWithinMs = 60_000 } = options;
  const names = namesOf(options.name ?? "default");
  const store = openStore(options.store, options);
  const redis = await connect(options.url);
  const { now } = await sharedClock(redis);
  const claim = await claimSession(redis, names.session(`${tenant}:${session}`), session).catch((thrown: unknown) => {
    disconnect(redis);
    throw commandProblem(thrown, "the host did not start");
  });
  const workers = await watchWorkers(redis, names, checkMs);
  const queues = openQueues(redis, names);
  let locks: SharedLocks | undefined;
  const limits = (options.limits ?? []).map((limit, index) => ({
    ...limit,
    slots: sharedSlots(redis, names.slots(`${limit.tenant ?? tenant}:${limit.tool ?? "*"}:${index}`), limit),
  }));
  const pending = await openPending({
    ...{ redis, names, key, checkMs, now, unreachableMs: startWithinMs },
    channel: names.reply(session),
  });
  const sender = createSender({
    ...{ redis, names, key, tenant, session, isResumed, startWithinMs, store, pending, now, queue: queues.open },
    maxJobBytes: options.maxJobBytes ?? MAX_JOB_BYTES,
    place: (needs, until, signal) => workers.place(needs, () => now() > until, signal),
    hasTaker: (target) =>
      workers
        .all()
        .some((one) => !one.draining && ("queue" in target ? queueOf(one) === target.queue : one.id === target.worker)),
  });

  const keyMark = markOf(key);
  return {
    names,
    needs({ tool, effects, cwd }) {
      const needs = needsOf({ tool, effects, cwd }, options.placement ?? []);
      return needs && { ...needs, key: keyMark };
    },
    hasWorker: (needs) => chooseWorkers(workers.all(), needs).length > 0,
    earlier: (call, context) => (isResumed ? sender.earlier(call, context) : undefined),
    workers: () => listWorkers(redis, names),
    shareLocks(own, folder) {
      locks = shareLocks(own, redis, names.locks(digestOf(folder).slice(0, 16)));
      return locks;
    },
    async send(out, needs, context) {
      const releases: (() => void)[] = [];
      try {
        for (const { tool = out.tool, tenant: whose = tenant, slots } of limits)
          if (tool === out.tool && whose === tenant) releases.push(await slots.take(context.signal));
        return await sender.send(out, needs, context);
      } finally {
        for (const release of releases) release();
      }
    },
    async close() {
      workers.close();
      pending.close();
      locks?.close();
      await briefly(claim.release());
      await briefly(queues.close());
      disconnect(redis);
    },
  };
}

/** The queues of the workers, each opened when a call goes there. */
function openQueues(connection: Connection, { prefix }: Names) {
  const queues = new Map<string, Queue>();
  return {
    open(name: string): Queue {
      const known = queues.get(name);
      if (known) return known;
      // Nobody reads the events of the queue.
      const streams = { events: { maxLen: 100 } };
      const made = new Queue(name, { connection, prefix, skipVersionCheck: true, streams });
      made.on("error", () => {});
      queues.set(name, made);
      return made;
    },
    close: () => Promise.all([...queues.values()].map((one) => one.close().catch(() => {}))),
  };
}

/** The workers, looked up again and again. */
async function watchWorkers(redis: Connection, names: Names, checkMs: number) {
  let roster = await listWorkers(redis, names);
  /** Most calls need the same as the call before them. */
  const places = new Map<string, Target>();
  /** The worker that holds state of the session. */
  let holder: string | undefined;
  const refresh = async () => {
    roster = await listWorkers(redis, names);
    places.clear();
  };
  const timer = setInterval(() => void refresh().catch(() => {}), checkMs);
  timer.unref();
  function choose(needs: Needs): Target | undefined {
    const suitable = chooseWorkers(roster, needs);
    const [widest] = suitable.toSorted((a, b) => b.concurrency - a.concurrency);
    if (!needs.isHeld) return widest && { queue: queueOf(widest) };
    const known = roster.find((worker) => worker.id === holder && suits(worker, needs));
    const [idlest] = suitable.toSorted((a, b) => a.active - b.active);
    holder = (known ?? idlest)?.id;
    return holder === undefined ? undefined : { worker: holder };
  }
  return {
    all: (): readonly WorkerInfo[] => roster,
    /** The place for a call, as soon as a worker is suitable. */
    async place(needs: Needs, isLate: () => boolean, signal: AbortSignal): Promise<Target> {
      const kind = JSON.stringify(needs);
      for (;;) {
        const known = places.get(kind);
        if (known !== undefined) return known;
        const best = choose(needs);
        if (best) {
          places.set(kind, best);
          continue;
        }
        signal.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, Math.min(200, checkMs)));
        await patient(refresh(), signal);
        if (!isLate() || chooseWorkers(roster, needs).length > 0) continue;
        const { message, hint } = missingWorker(roster, needs);
        fail("tool_unavailable", `${message} The call was not started.`, hint);
      }
    },
    close: () => clearInterval(timer),
  };
}
