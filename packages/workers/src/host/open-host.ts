import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Claim, DispatchContext, DispatchedResult, Locks, SentCall } from "@haft/core/executor";
import { fail } from "@haft/core/tool";
import { Queue } from "bullmq";
import { argumentsDigest, CONTRACT, digestOf, type Job } from "../job/job.ts";
import { readKey, seal } from "../job/seal.ts";
import { commandProblem, connect } from "../redis/connect.ts";
import { type SharedLocks, shareLocks } from "../redis/locks.ts";
import { namesOf } from "../redis/names.ts";
import { patient } from "../redis/patience.ts";
import { listWorkers, queueOf, type WorkerInfo } from "../redis/roster.ts";
import { sharedSlots } from "../redis/slots.ts";
import { folderStore, load } from "../redis/store.ts";
import { sharedClock } from "../redis/time.ts";
import type { QueueOptions } from "./options.ts";
import { type AttemptEnd, openPending } from "./pending.ts";
import { chooseWorkers, missingWorker, type Needs, needsOf } from "./placement.ts";

/** A decided call on its way to a worker. */
export type OutgoingCall = Pick<
  Job,
  | "call"
  | "agent"
  | "tool"
  | "input"
  | "cwd"
  | "effects"
  | "retry"
  | "seen"
  | "approvedBy"
  | "contents"
  | "messageId"
  | "tickets"
> & {
  /** The caller's rules as text, and their digest. */
  readonly policy: { readonly digest: string; readonly text: string };
};

/** A host's side of a queue. */
export interface QueueHost {
  readonly names: ReturnType<typeof namesOf>;
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
export interface HostOptions extends QueueOptions {
  readonly session: string;
  /** An earlier process of this session may have sent calls. */
  readonly isResumed: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds between looks at what is underway. Default 1,000. */
  readonly checkMs?: number;
}

const DAY_MS = 24 * 3_600_000;
const MAX_JOB_BYTES = 1_000_000;
const MAX_ATTEMPTS = 5;
const SESSION_MS = 15_000;

/** Connects a host to its queue. @throws HaftError if Redis cannot be reached or there is no key. */
export async function openQueueHost(options: HostOptions): Promise<QueueHost> {
  const key = readKey(options.keyFile, options.env);
  const { session, tenant = "default", checkMs = 1_000, startWithinMs = 60_000 } = options;
  const names = namesOf(options.name ?? "default");
  const redis = await connect(options.url);
  const clock = await sharedClock(redis);
  const store = options.store === undefined ? undefined : folderStore(options.store);
  const queues = new Map<string, Queue>();
  const policies = new Set<string>();
  let locks: SharedLocks | undefined;
  const limits = (options.limits ?? []).map((limit, index) => ({
    ...limit,
    slots: sharedSlots(redis, names.slots(`${limit.tenant ?? tenant}:${limit.tool ?? "*"}:${index}`), limit),
  }));
  let roster = await listWorkers(redis, names);
  const claim = await claimSession();
  const refresh = async () => {
    roster = await listWorkers(redis, names);
  };
  const timer = setInterval(() => void refresh().catch(() => {}), checkMs);
  timer.unref();
  const pending = await openPending({
    ...{ redis, names, key, checkMs, unreachableMs: startWithinMs },
    channel: names.reply(session),
    now: clock.now,
  });

  /** Two hosts in one session would answer each other's calls. */
  async function claimSession(): Promise<{ release(): Promise<void> }> {
    const name = names.session(`${tenant}:${session}`);
    const self = `${hostname()} (process ${process.pid}) ${randomUUID()}`;
    const owner = await redis.set(name, self, "PX", SESSION_MS, "NX", "GET");
    if (owner !== null && !isGone(owner)) {
      redis.disconnect();
      fail(
        "conflict",
        `The session ${session} is open on ${owner.replace(/ [^ ]*$/, "")}.`,
        `Close it there, or start another session. If that host is gone, wait ${SESSION_MS / 1_000} seconds.`,
      );
    }
    await redis.set(name, self, "PX", SESSION_MS);
    const beat = setInterval(() => void redis.set(name, self, "PX", SESSION_MS).catch(() => {}), SESSION_MS / 5);
    beat.unref();
    return {
      async release() {
        clearInterval(beat);
        await redis.del(name).catch(() => {});
      },
    };
  }

  function queue(name: string): Queue {
    const known = queues.get(name);
    if (known) return known;
    const made = new Queue(name, { connection: redis, prefix: names.prefix, skipVersionCheck: true });
    made.on("error", () => {});
    queues.set(name, made);
    return made;
  }

  /** A worker's queue for the call, as soon as there is one. */
  async function place(needs: Needs, until: number, signal: AbortSignal): Promise<string> {
    for (;;) {
      const [best] = chooseWorkers(roster, needs).toSorted((a, b) => b.concurrency - a.concurrency);
      if (best) return queueOf(best);
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, Math.min(200, checkMs)));
      await patient(refresh(), signal);
      if (clock.now() <= until || chooseWorkers(roster, needs).length > 0) continue;
      const { message, hint } = missingWorker(roster, needs);
      fail("tool_unavailable", `${message} The call was not started.`, hint);
    }
  }

  async function publishPolicy({ digest, text }: OutgoingCall["policy"]): Promise<void> {
    if (policies.has(digest)) return;
    await redis.set(names.policy(digest), JSON.stringify(seal(key, "policy", text)), "PX", DAY_MS);
    policies.add(digest);
    setTimeout(() => policies.delete(digest), DAY_MS / 2).unref();
  }

  function jobOf(out: OutgoingCall, id: string, attempt: number): Job {
    const { policy, ...rest } = out;
    const { tool, input, cwd } = out;
    const issuedAt = clock.now();
    return {
      ...rest,
      ...{ contract: CONTRACT, id, attempt, tenant, session, policy: policy.digest },
      reply: names.reply(session),
      digest: argumentsDigest({ tool, input, cwd, policy: policy.digest }),
      ...{ issuedAt, expiresAt: issuedAt + startWithinMs },
    };
  }

  async function attempt(
    out: OutgoingCall,
    { id, number, name }: { id: string; number: number; name: string },
    context: DispatchContext,
  ): Promise<AttemptEnd> {
    const job = jobOf(out, id, number);
    const sealed = seal(key, "job", job);
    const limit = options.maxJobBytes ?? MAX_JOB_BYTES;
    if (sealed.body.length > limit)
      fail(
        "limit_reached",
        `The call has ${sealed.body.length} bytes; a job on the queue may have ${limit}. It was not sent.`,
        "Write large contents in parts, or raise queue.maxJobBytes on hosts and workers.",
      );
    const end = pending.wait({
      ...{ job: id, expiresAt: job.expiresAt, context },
      hasWorker: () => roster.some((worker) => !worker.draining && queueOf(worker) === name),
    });
    const pointer = JSON.stringify({ id, number, name });
    // On one connection these arrive in order, so a pointer is there before its job.
    const sent = [
      redis.set(names.call(keyOf(out)), pointer, "PX", DAY_MS),
      queue(name).add("call", sealed, {
        ...{ jobId: id, attempts: 1, removeOnComplete: true },
        removeOnFail: { age: 3_600, count: 1_000 },
      }),
    ];
    const failed = Promise.all(sent).then(
      () => new Promise<never>(() => {}),
      (thrown: unknown) => {
        pending.forget(id);
        throw commandProblem(thrown);
      },
    );
    return Promise.race([end, failed]);
  }

  const keyOf = ({ call, agent, tool, input, cwd }: SentCall): string =>
    digestOf([tenant, session, agent.id, call.id, tool, input, cwd]).slice(0, 32);

  const resultOf = async (end: AttemptEnd): Promise<DispatchedResult | undefined> => {
    if (end.is !== "ended") return undefined;
    return end.ended.stored ? load<DispatchedResult>(store, end.ended.stored) : end.ended.result;
  };

  async function earlier(call: SentCall, context: DispatchContext): Promise<DispatchedResult | undefined> {
    const key = keyOf(call);
    const pointer = await patient(redis.get(names.call(key)), context.signal);
    const { id } = pointer === null ? { id: "" } : (JSON.parse(pointer) as { id: string });
    // Anybody who writes to Redis could point to the result of another call.
    if (!id.startsWith(`${key}-`)) return undefined;
    // Never started, it is taken back: it is decided anew.
    return resultOf(await pending.wait({ job: id, expiresAt: 0, context, hasWorker: () => false }));
  }

  /** Runs a call on a worker, more than once only if its effects allow that. */
  async function sendNow(out: OutgoingCall, needs: Needs, context: DispatchContext): Promise<DispatchedResult> {
    await patient(publishPolicy(out.policy), context.signal);
    const key = keyOf(out);
    const until = clock.now() + startWithinMs;
    const earlier = options.isResumed ? await patient(redis.get(names.call(key)), context.signal) : null;
    let next = earlier === null ? undefined : (JSON.parse(earlier) as { id: string; number: number; name: string });
    let wanted = needs;
    for (let number = next?.number ?? 1; ; number++) {
      const chosen = next ?? { id: `${key}-${number}`, number, name: await place(wanted, until, context.signal) };
      next = undefined;
      const used = roster.find((worker) => queueOf(worker) === chosen.name);
      const end = await attempt(out, chosen, context);
      const result = await resultOf(end);
      if (result) return result;
      if (end.is === "ended") {
        const { code, message, hint } = end.ended.refused!;
        return fail(code, message, hint);
      }
      if (end.is === "unstarted") {
        if (end.why === "cancelled") throw context.signal.reason;
        if (clock.now() > until) return fail(...notStarted(out.tool, startWithinMs));
        continue;
      }
      if (end.is === "unreachable")
        return fail(...(out.retry === "read" ? redisGone(out) : unknownOutcome(out, undefined)));
      if (out.retry === "once" || number >= MAX_ATTEMPTS) return fail(...unknownOutcome(out, end.worker));
      if (out.retry === "view") wanted = used ? { ...needs, journal: used.journal } : needs;
    }
  }

  return {
    names,
    needs: ({ tool, effects, cwd }) => needsOf({ tool, effects, cwd }, options.placement ?? []),
    hasWorker: (needs) => chooseWorkers(roster, needs).length > 0,
    earlier: (call, context) => (options.isResumed ? earlier(call, context) : undefined),
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
        return await sendNow(out, needs, context);
      } finally {
        for (const release of releases) release();
      }
    },
    async close() {
      clearInterval(timer);
      pending.close();
      locks?.close();
      await claim.release();
      await Promise.all([...queues.values()].map((one) => one.close().catch(() => {})));
      redis.disconnect();
    },
  };
}

/** Whether the process that had the session ran on this machine and is dead. */
function isGone(owner: string): boolean {
  const [, host, pid] = /^(.*) \(process (\d+)\)/.exec(owner) ?? [];
  if (host !== hostname() || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ESRCH";
  }
}

const notStarted = (tool: string, ms: number): Parameters<typeof fail> => [
  "tool_unavailable",
  `No worker started this call of ${tool} within ${ms / 1_000} seconds. It did not run, and will not.`,
  "`haft workers` shows how busy they are. Call again, or start more workers.",
];

const redisGone = ({ tool }: OutgoingCall): Parameters<typeof fail> => [
  "tool_unavailable",
  `Redis is gone, so nobody knows how this call of ${tool} ended. It only reads.`,
  "Start Redis again, then call again.",
];

function unknownOutcome({ tool, effects }: OutgoingCall, worker: string | undefined): Parameters<typeof fail> {
  const lost = worker === undefined ? "Redis was lost after it took" : `The worker ${worker} was lost while it ran`;
  return [
    "outcome_unknown",
    `${lost} this call of ${tool}. Unknown outcome: verify with ${checkFor(effects)}.`,
    "Do not repeat it before you know what it has done.",
  ];
}

/** How to find out whether a call has happened, by its effects. */
function checkFor(effects: OutgoingCall["effects"]): string {
  const paths = effects.flatMap((effect) => (effect.do === "write" ? [effect.path] : []));
  const hosts = effects.flatMap((effect) => (effect.do === "connect" && effect.sends ? [effect.host] : []));
  if (paths.length > 0) return `a read of ${[...new Set(paths)].slice(0, 3).join(", ")}`;
  if (hosts.length > 0) return `a request to ${[...new Set(hosts)].slice(0, 3).join(", ")} that only reads`;
  return "a command that only reads, such as `git status` or `ls`";
}
