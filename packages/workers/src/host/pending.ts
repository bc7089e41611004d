import type { KeyObject } from "node:crypto";
import type { DispatchContext } from "@haft/core/executor";
import { toToolError } from "@haft/core/tool";
import type { Ended, Order, Reply } from "../job/message.ts";
import { seal, unseal } from "../job/seal.ts";
import type { Connection } from "../redis/connect.ts";
import type { Names } from "../redis/names.ts";

/** How an attempt ended, as far as the host can know. */
export type AttemptEnd =
  | { readonly is: "ended"; readonly ended: Ended }
  /** Nothing of it ran, and nothing will. */
  | { readonly is: "unstarted"; readonly why: "expired" | "no-worker" | "cancelled" }
  /** Its worker stopped to beat while it ran. */
  | { readonly is: "lost"; readonly worker: string; readonly journal: string }
  /** Redis is gone for too long. */
  | { readonly is: "unreachable" };

/** An attempt that a host waits for. */
export interface Waiting {
  readonly job: string;
  readonly expiresAt: number;
  readonly context: DispatchContext;
  /** Whether a worker that could start it still lives. */
  hasWorker(): boolean;
}

interface Entry extends Waiting {
  readonly since: number;
  readonly end: (end: AttemptEnd) => void;
}

/** The attempts of one session that are underway. Answers come by a channel; what is missed there is found by looking. */
export interface Pending {
  wait(waiting: Waiting): Promise<AttemptEnd>;
  /** Stops to wait for an attempt that was not sent. */
  forget(job: string): void;
  close(): void;
}

export interface PendingOptions {
  readonly redis: Connection;
  readonly names: Names;
  readonly key: KeyObject;
  readonly channel: string;
  readonly checkMs: number;
  /** Milliseconds without Redis after which nothing is waited for. */
  readonly unreachableMs: number;
  now(): number;
}

/** Marks an attempt that will not run: the first to set the mark decides. */
export const WITHDRAWN = "-";

/** How long a mark is there: longer than any job lies in a queue. */
export const MARK_MS = 24 * 3_600_000;

export async function openPending(options: PendingOptions): Promise<Pending> {
  const { redis, names, key, channel, now } = options;
  const entries = new Map<string, Entry>();
  const listener = redis.duplicate({ lazyConnect: false });
  listener.on("error", () => {});
  const give = (order: Order, worker: string) =>
    redis.publish(names.orders(worker), seal(key, "order", order)).catch(() => {});

  function finish(entry: Entry, end: AttemptEnd): void {
    if (!entries.delete(entry.job)) return;
    entry.end(end);
  }

  function hear(text: string): void {
    const reply = unseal<Reply>(key, "reply", text);
    const entry = reply && entries.get(reply.job);
    if (!entry) return;
    if (reply.t === "progress") entry.context.progress(reply.progress);
    else if (reply.t === "ask") void answer(entry, reply);
    else finish(entry, { is: "ended", ended: reply });
  }

  async function answer(entry: Entry, { ask, question, worker }: Extract<Reply, { t: "ask" }>): Promise<void> {
    const order = await entry.context.ask(question).then(
      (answered) => ({ answered }),
      (thrown: unknown) => ({ error: toToolError(thrown) }),
    );
    await give({ t: "answer", job: entry.job, ask, ...order }, worker);
  }

  /** Decides that an attempt never starts; returns the mark of a worker that was quicker. */
  const withdraw = (job: string): Promise<string | null> =>
    redis.set(names.started(job), WITHDRAWN, "PX", MARK_MS, "NX", "GET");

  async function check(entry: Entry): Promise<void> {
    const { job, context } = entry;
    const [text, found] = await redis.mget(names.result(job), names.started(job));
    if (text != null) return end(entry, text);
    let mark = found ?? null;
    if (mark === null) {
      const why = whyNever(entry);
      if (!why) return;
      mark = await withdraw(job);
      if (mark === null) return finish(entry, { is: "unstarted", why });
    }
    if (mark === WITHDRAWN) return finish(entry, { is: "unstarted", why: "expired" });
    const [worker = "", journal = ""] = mark.split(" ");
    if (context.signal.aborted) await give({ t: "cancel", job }, worker);
    if ((await redis.exists(names.worker(worker))) === 1) return;
    const late = await redis.get(names.result(job));
    if (late !== null) return end(entry, late);
    finish(entry, { is: "lost", worker, journal });
  }

  /** Why an attempt that has not started should not start any more. */
  function whyNever({ context, expiresAt, hasWorker }: Entry): "cancelled" | "expired" | "no-worker" | undefined {
    if (context.signal.aborted) return "cancelled";
    if (now() > expiresAt) return "expired";
    return hasWorker() ? undefined : "no-worker";
  }

  function end(entry: Entry, text: string): void {
    const ended = unseal<Ended>(key, "reply", text);
    if (ended?.job === entry.job) finish(entry, { is: "ended", ended });
  }

  let goneAt: number | undefined;
  const checkAll = () => {
    const isGone = redis.status !== "ready";
    goneAt = isGone ? (goneAt ?? Date.now()) : undefined;
    for (const entry of entries.values())
      if (!isGone) check(entry).catch(() => {});
      else if (Date.now() - Math.max(goneAt!, entry.since) > options.unreachableMs)
        finish(entry, { is: "unreachable" });
  };
  const timer = setInterval(checkAll, options.checkMs);
  timer.unref();
  listener.on("message", (_channel: string, text: string) => hear(text));
  await listener.subscribe(channel);
  // Looks up the messages that came while the connection was down.
  redis.on("ready", checkAll);

  return {
    wait(waiting) {
      const { signal } = waiting.context;
      return new Promise((resolve) => {
        const cancel = () => void check(entry).catch(() => {});
        const entry: Entry = {
          ...waiting,
          since: Date.now(),
          end(end) {
            signal.removeEventListener("abort", cancel);
            resolve(end);
          },
        };
        entries.set(waiting.job, entry);
        signal.addEventListener("abort", cancel, { once: true });
      });
    },
    forget: (job) => entries.delete(job),
    close() {
      clearInterval(timer);
      redis.off("ready", checkAll);
      listener.disconnect();
    },
  };
}
