import type { KeyObject } from "node:crypto";
import type { DispatchContext, DispatchedResult, SentCall } from "@haft/core/executor";
import { fail } from "@haft/core/tool";
import type { Queue } from "bullmq";
import { argumentsDigest, CONTRACT, digestOf, type Job } from "../job/job.ts";
import { seal } from "../job/seal.ts";
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

export function createSender(parts: SenderParts): Sender {
  const { redis, names, key, tenant, session, startWithinMs, pending, now } = parts;
  const policies = new Set<string>();
  const found = new Map<string, EarlierAttempts>();

  async function publishPolicy({ digest, text }: OutgoingCall["policy"], signal: AbortSignal): Promise<void> {
    if (policies.has(digest)) return;
    const set = redis.set(names.policy(digest), seal(key, "policy", text), "PX", DAY_MS);
    await patient(set, signal).catch((thrown: unknown) => {
      throw commandProblem(thrown);
    });
    policies.add(digest);
    setTimeout(() => policies.delete(digest), DAY_MS / 2).unref();
  }

  function sealedJob({ policy, ...out }: OutgoingCall, id: string, attempt: number): string {
    const { tool, input, cwd } = out;
    const issuedAt = now();
    const job: Job = {
      ...out,
      ...{ contract: CONTRACT, id, attempt, tenant, session, policy: policy.digest },
      reply: names.reply(session),
      digest: argumentsDigest({ tool, input, cwd, policy: policy.digest }),
      ...{ issuedAt, expiresAt: issuedAt + startWithinMs },
    };
    const sealed = seal(key, "job", job);
    if (sealed.length > parts.maxJobBytes)
      fail(
        "limit_reached",
        `The call has ${sealed.length} bytes; a job on the queue may have ${parts.maxJobBytes}. It was not sent.`,
        "Write large contents in parts, or raise queue.maxJobBytes on hosts and workers.",
      );
    return sealed;
  }

  async function attempt(sealed: string, id: string, target: Target, context: DispatchContext): Promise<AttemptEnd> {
    let isHeard = true;
    const hasWorker = () => isHeard && parts.hasTaker(target);
    const end = pending.wait({ job: id, expiresAt: now() + startWithinMs, context, hasWorker });
    const options = { jobId: id, attempts: 1, removeOnComplete: true, removeOnFail: { age: 3_600, count: 1_000 } };
    const sent =
      "queue" in target
        ? parts.queue(target.queue).add("call", sealed, options)
        : redis.publish(names.orders(target.worker), sealed).then((listeners) => {
            isHeard = listeners > 0;
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

  const keyOf = ({ call, agent, tool, input, cwd }: SentCall): string =>
    digestOf([tenant, session, agent.id, call.id, tool, input, cwd]).slice(0, 32);

  const resultOf = async (end: AttemptEnd): Promise<DispatchedResult | undefined> => {
    if (end.is !== "ended") return undefined;
    return end.ended.stored ? load<DispatchedResult>(parts.store, end.ended.stored) : end.ended.result;
  };

  async function attemptsOf(callKey: string, signal: AbortSignal): Promise<EarlierAttempts> {
    if (!parts.isResumed) return { last: undefined, next: 1 };
    const known = found.get(callKey);
    found.delete(callKey);
    return known ?? patient(earlierAttempts(redis, names, callKey), signal);
  }

  /** Waits for an attempt that was sent before. It is withdrawn if it has not started. */
  const waitFor = (job: string, context: DispatchContext): Promise<AttemptEnd> =>
    pending.wait({ job, expiresAt: 0, context, hasWorker: () => false });

  /** The result of an attempt, or the needs of the next one. */
  async function afterwards(end: AttemptEnd, out: OutgoingCall, losses: number, until: number) {
    const result = await resultOf(end);
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

  return {
    async send(out, needs, context) {
      const { signal } = context;
      await publishPolicy(out.policy, signal);
      const callKey = keyOf(out);
      const until = now() + startWithinMs;
      const earlier = await attemptsOf(callKey, signal);
      let [wanted, losses, lost] = [needs, 0, undefined as string | undefined];
      let last = earlier.last;
      for (let number = earlier.next; ; ) {
        let end: AttemptEnd;
        if (last === undefined) {
          const target = await parts.place(wanted, until, signal).catch((thrown: unknown) => {
            // An earlier attempt has begun to write, and nobody can take that back.
            throw lost === undefined || signal.aborted ? thrown : lostError(out, false, lost);
          });
          const id = `${callKey}-${number}`;
          const sealed = sealedJob(out, id, number++);
          await context.starting();
          end = await attempt(sealed, id, target, context);
        } else end = await waitFor(last, context);
        last = undefined;
        if (end.is === "lost") {
          losses++;
          logEvent(redis, names, { is: "lost", worker: end.worker, tool: out.tool, session });
        }
        if (end.is === "unstarted" && signal.aborted) throw signal.reason;
        const next = await afterwards(end, out, losses, until);
        if (next.result) return next.result;
        if (next.journal !== undefined) wanted = { ...needs, journal: next.journal };
        lost = next.lost ?? lost;
      }
    },
    async earlier(call, context) {
      const callKey = keyOf(call);
      const attempts = await patient(earlierAttempts(redis, names, callKey), context.signal);
      const result = attempts.last === undefined ? undefined : await resultOf(await waitFor(attempts.last, context));
      // Without a result it is decided again, and sending it shows how the attempt ended.
      if (!result) found.set(callKey, attempts);
      return result;
    },
  };
}
