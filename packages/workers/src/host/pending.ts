import type { KeyObject } from "node:crypto";
import type { DispatchContext } from "@haft/core/executor";
import { toToolError } from "@haft/core/tool";
import type { Ended, Order, Reply } from "../job/message.ts";
import { sign, verify } from "../job/signature.ts";
import { type Connection, type Listener, listenTo } from "../redis/connect.ts";
import type { Names } from "../redis/names.ts";
import { markStart, WITHDRAWN } from "../redis/start-mark.ts";

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
  /** Questions of its worker, with the answers that are there. A worker repeats a question until it has the answer. */
  readonly asks: Map<string, Extract<Order, { t: "answer" }> | undefined>;
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

/** Listens to the answers of workers. */
export async function openPending(options: PendingOptions): Promise<Pending> {
  const attempts = new PendingAttempts(options);
  await attempts.open();
  return attempts;
}

class PendingAttempts implements Pending {
  readonly #options: PendingOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #listener: Listener;
  readonly #timer: NodeJS.Timeout;
  readonly #checkAll = (): void => this.#check();
  #goneAt: number | undefined;

  constructor(options: PendingOptions) {
    this.#options = options;
    this.#listener = listenTo(options.redis, options.channel, (text) => this.#hear(text));
    this.#timer = setInterval(this.#checkAll, options.checkMs);
    this.#timer.unref();
  }

  async open(): Promise<void> {
    await this.#listener.subscribed;
    // Looks up the messages that came while the connection was down.
    this.#options.redis.on("ready", this.#checkAll);
  }

  wait(waiting: Waiting): Promise<AttemptEnd> {
    const { signal } = waiting.context;
    return new Promise((resolve) => {
      const cancel = () => void this.#checkEntry(entry).catch(() => {});
      const entry: Entry = {
        ...waiting,
        since: Date.now(),
        asks: new Map(),
        end(end) {
          signal.removeEventListener("abort", cancel);
          resolve(end);
        },
      };
      this.#entries.set(waiting.job, entry);
      signal.addEventListener("abort", cancel, { once: true });
    });
  }

  forget(job: string): void {
    this.#entries.delete(job);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#options.redis.off("ready", this.#checkAll);
    this.#listener.close();
  }

  #hear(text: string): void {
    const reply = verify<Reply>(this.#options.key, "reply", text);
    const entry = reply && this.#entries.get(reply.job);
    if (!entry) return;
    if (reply.t === "progress") entry.context.progress(reply.progress);
    else if (reply.t === "ask") void this.#answer(entry, reply);
    else this.#finish(entry, { is: "ended", ended: reply });
  }

  async #answer({ job, asks, context }: Entry, { ask, question, worker }: Extract<Reply, { t: "ask" }>): Promise<void> {
    if (!asks.has(ask)) {
      asks.set(ask, undefined);
      const order = await context.ask(question).then(
        (answered) => ({ answered }),
        (thrown: unknown) => ({ error: toToolError(thrown) }),
      );
      asks.set(ask, { t: "answer", job, ask, ...order });
    }
    const answer = asks.get(ask);
    if (answer) await this.#give(answer, worker);
  }

  #give(order: Order, worker: string): Promise<unknown> {
    const { redis, names, key } = this.#options;
    return redis.publish(names.orders(worker), sign(key, "order", order)).catch(() => {});
  }

  #check(): void {
    const isGone = this.#options.redis.status !== "ready";
    this.#goneAt = isGone ? (this.#goneAt ?? Date.now()) : undefined;
    for (const entry of this.#entries.values())
      if (!isGone) this.#checkEntry(entry).catch(() => {});
      else if (Date.now() - Math.max(this.#goneAt!, entry.since) > this.#options.unreachableMs)
        this.#finish(entry, { is: "unreachable" });
  }

  async #checkEntry(entry: Entry): Promise<void> {
    const { redis, names } = this.#options;
    const { job, context } = entry;
    const [text, found] = await redis.mget(names.result(job), names.started(job));
    if (text != null) return this.#end(entry, text);
    let mark = found ?? null;
    if (mark === null) {
      const why = this.#whyNever(entry);
      if (!why) return;
      mark = await this.#withdraw(job);
      if (mark === null) return this.#finish(entry, { is: "unstarted", why });
    }
    if (mark === WITHDRAWN) return this.#finish(entry, { is: "unstarted", why: "expired" });
    const [worker = "", journal = ""] = mark.split(" ");
    if (context.signal.aborted) await this.#give({ t: "cancel", job }, worker);
    if ((await redis.exists(names.worker(worker))) === 1) return;
    const late = await redis.get(names.result(job));
    if (late !== null) return this.#end(entry, late);
    this.#finish(entry, { is: "lost", worker, journal });
  }

  /** Why an attempt that has not started should not start any more. */
  #whyNever({ context, expiresAt, hasWorker }: Entry): "cancelled" | "expired" | "no-worker" | undefined {
    if (context.signal.aborted) return "cancelled";
    if (this.#options.now() > expiresAt) return "expired";
    return hasWorker() ? undefined : "no-worker";
  }

  /** Decides that an attempt never starts; returns the mark of a worker that was quicker. */
  #withdraw(job: string): Promise<string | null> {
    const { redis, names } = this.#options;
    return markStart(redis, names, job, WITHDRAWN);
  }

  #end(entry: Entry, text: string): void {
    const ended = verify<Ended>(this.#options.key, "reply", text);
    if (ended?.job === entry.job) this.#finish(entry, { is: "ended", ended });
  }

  #finish(entry: Entry, end: AttemptEnd): void {
    if (this.#entries.delete(entry.job)) entry.end(end);
  }
}
