import type { KeyObject } from "node:crypto";
import type { DispatchContext, DispatchedResult, SentCall } from "@haft/core/executor";
import { fail } from "@haft/core/tool";
import type { Queue } from "bullmq";
import { argumentsDigest, CONTRACT, digestOf, type Job } from "../job/job.ts";
import { sign } from "../job/signature.ts";
import { type Connection, commandProblem } from "../redis/connect.ts";
import { logEvent } from "../redis/events.ts";
import type { Names } from "../redis/names.ts";
import { patient } from "../redis/patience.ts";
import { load, type ResultStore } from "../store/store.ts";
import { type EarlierAttempts, earlierAttempts } from "./earlier-attempts.ts";
import { lostError, notStarted } from "./lost.ts";
import type { AttemptEnd, Pending } from "./pending.ts";
import type { Needs, Target } from "./placement.ts";

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

/** Parts of a host that sending uses. */
export interface SenderParts {
  readonly redis: Connection;
  readonly names: Names;
  readonly key: KeyObject;
  readonly tenant: string;
  readonly session: string;
  readonly isResumed: boolean;
  readonly startWithinMs: number;
  readonly maxJobBytes: number;
  readonly store: ResultStore | undefined;
  readonly pending: Pending;
  now(): number;
  queue(name: string): Queue;
  /** The place of the call, as soon as there is a worker. */
  place(needs: Needs, until: number, signal: AbortSignal): Promise<Target>;
  /** Whether a worker takes calls there. */
  hasTaker(target: Target): boolean;
}

/** Sends calls to workers, more than once only if their effects allow that. */
export interface Sender {
  send(out: OutgoingCall, needs: Needs, context: DispatchContext): Promise<DispatchedResult>;
  /** The result of a call that an earlier host of the session has sent; waits for it while its worker lives. */
  earlier(call: SentCall, context: DispatchContext): Promise<DispatchedResult | undefined>;
}

const DAY_MS = 24 * 3_600_000;
const MAX_LOSSES = 5;

/** Makes the sender of a session. */
export const createSender = (parts: SenderParts): Sender => new QueueSender(parts);

class QueueSender implements Sender {
  readonly #parts: SenderParts;
  /** Digests of the policies that Redis has. */
  readonly #policies = new Set<string>();
  /** The attempts of calls that are decided again. */
  readonly #found = new Map<string, EarlierAttempts>();

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async send(out: OutgoingCall, needs: Needs, context: DispatchContext): Promise<DispatchedResult> {
    const { redis, names, session, startWithinMs, now } = this.#parts;
    const { signal } = context;
    await this.#publishPolicy(out.policy, signal);
    const callKey = this.#keyOf(out);
    const until = now() + startWithinMs;
    const earlier = await this.#attemptsOf(callKey, signal);
    let [wanted, losses, lost] = [needs, 0, undefined as string | undefined];
    let last = earlier.last;
    for (let number = earlier.next; ; ) {
      const attempt = { id: `${callKey}-${number}`, number, needs: wanted, until, lost };
      const end = last === undefined ? await this.#attempt(out, attempt, context) : await this.#waitFor(last, context);
      if (last === undefined) number++;
      last = undefined;
      if (end.is === "lost") {
        losses++;
        logEvent(redis, names, { is: "lost", worker: end.worker, tool: out.tool, session });
      }
      if (end.is === "unstarted" && signal.aborted) throw signal.reason;
      const next = await this.#afterwards(end, out, losses, until);
      if (next.result) return next.result;
      if (next.journal !== undefined) wanted = { ...needs, journal: next.journal };
      lost = next.lost ?? lost;
    }
  }

  async earlier(call: SentCall, context: DispatchContext): Promise<DispatchedResult | undefined> {
    const { redis, names } = this.#parts;
    const callKey = this.#keyOf(call);
    const attempts = await patient(earlierAttempts(redis, names, callKey), context.signal);
    const result =
      attempts.last === undefined ? undefined : await this.#resultOf(await this.#waitFor(attempts.last, context));
    // Without a result it is decided again, and sending it shows how the attempt ended.
    if (!result) this.#found.set(callKey, attempts);
    return result;
  }

  async #publishPolicy({ digest, text }: OutgoingCall["policy"], signal: AbortSignal): Promise<void> {
    const { redis, names, key } = this.#parts;
    if (this.#policies.has(digest)) return;
    const set = redis.set(names.policy(digest), sign(key, "policy", text), "PX", DAY_MS);
    await patient(set, signal);
    this.#policies.add(digest);
    setTimeout(() => this.#policies.delete(digest), DAY_MS / 2).unref();
  }

  /** Sends a call to a worker as soon as there is one, and waits for its end. */
  async #attempt(
    out: OutgoingCall,
    { id, number, needs, until, lost }: Attempt,
    context: DispatchContext,
  ): Promise<AttemptEnd> {
    const { pending, now, startWithinMs } = this.#parts;
    const target = await this.#parts.place(needs, until, context.signal).catch((thrown: unknown) => {
      // An earlier attempt has begun to write, and nobody can take that back.
      throw lost === undefined || context.signal.aborted ? thrown : lostError(out, false, lost);
    });
    const signed = this.#signedJob(out, id, number);
    await context.starting();
    let isHeard = true;
    const hasWorker = () => isHeard && this.#parts.hasTaker(target);
    const end = pending.wait({ job: id, expiresAt: now() + startWithinMs, context, hasWorker });
    const sent = this.#put(target, id, signed).then((isTaken) => {
      isHeard = isTaken;
    });
    const failed = sent.then(
      () => end,
      (thrown: unknown) => {
        pending.forget(id);
        throw commandProblem(thrown);
      },
    );
    return Promise.race([end, failed]);
  }

  /** Puts a job into a queue, or hands it to one worker. Returns whether somebody takes it. */
  async #put(target: Target, id: string, signed: string): Promise<boolean> {
    const { redis, names } = this.#parts;
    if ("worker" in target) return (await redis.publish(names.orders(target.worker), signed)) > 0;
    const options = { jobId: id, attempts: 1, removeOnComplete: true, removeOnFail: { age: 3_600, count: 1_000 } };
    await this.#parts.queue(target.queue).add("call", signed, options);
    return true;
  }

  #signedJob({ policy, ...out }: OutgoingCall, id: string, attempt: number): string {
    const { names, key, tenant, session, startWithinMs, maxJobBytes, now } = this.#parts;
    const { tool, input, cwd } = out;
    const issuedAt = now();
    const job: Job = {
      ...out,
      ...{ contract: CONTRACT, id, attempt, tenant, session, policy: policy.digest },
      reply: names.reply(session),
      digest: argumentsDigest({ tool, input, cwd, policy: policy.digest }),
      ...{ issuedAt, expiresAt: issuedAt + startWithinMs },
    };
    const signed = sign(key, "job", job);
    if (signed.length > maxJobBytes)
      fail(
        "limit_reached",
        `The call has ${signed.length} bytes; a job on the queue may have ${maxJobBytes}. It was not sent.`,
        "Write large contents in parts, or raise queue.maxJobBytes on hosts and workers.",
      );
    return signed;
  }

  #keyOf({ call, agent, tool, input, cwd }: SentCall): string {
    const { tenant, session } = this.#parts;
    return digestOf([tenant, session, agent.id, call.id, tool, input, cwd]).slice(0, 32);
  }

  async #resultOf(end: AttemptEnd): Promise<DispatchedResult | undefined> {
    if (end.is !== "ended") return undefined;
    return end.ended.stored ? load<DispatchedResult>(this.#parts.store, end.ended.stored) : end.ended.result;
  }

  async #attemptsOf(callKey: string, signal: AbortSignal): Promise<EarlierAttempts> {
    const { redis, names, isResumed } = this.#parts;
    if (!isResumed) return { last: undefined, next: 1 };
    const known = this.#found.get(callKey);
    this.#found.delete(callKey);
    return known ?? patient(earlierAttempts(redis, names, callKey), signal);
  }

  /** Waits for an attempt that was sent before. It is withdrawn if it has not started. */
  #waitFor(job: string, context: DispatchContext): Promise<AttemptEnd> {
    return this.#parts.pending.wait({ job, expiresAt: 0, context, hasWorker: () => false });
  }

  /** The result of an attempt, or the needs of the next one. */
  async #afterwards(end: AttemptEnd, out: OutgoingCall, losses: number, until: number) {
    const { now, startWithinMs } = this.#parts;
    const result = await this.#resultOf(end);
    if (result) return { result };
    if (end.is === "ended") {
      const { code, message, hint } = end.ended.refused!;
      return fail(code, message, hint);
    }
    if (end.is === "unreachable") throw lostError(out, out.retry === "read");
    if (end.is === "unstarted" && now() > until) throw notStarted(out.tool, startWithinMs);
    if (end.is === "unstarted") return {};
    if (out.retry === "once" || losses >= MAX_LOSSES) throw lostError(out, false, end.worker);
    return out.retry === "view" ? { journal: end.journal, lost: end.worker } : {};
  }
}

interface Attempt {
  readonly id: string;
  readonly number: number;
  readonly needs: Needs;
  readonly until: number;
  /** The worker of the attempt before, if it was lost while it wrote. */
  readonly lost: string | undefined;
}
