import { randomUUID } from "node:crypto";
import type { DispatchContext } from "@haft/core/executor";
import { HaftError } from "@haft/core/tool";
import type { Job } from "../job/job.ts";
import type { Order, Reply } from "../job/message.ts";

type Answer = Extract<Order, { t: "answer" }>;

/** A question that waits for its host. */
interface OpenAsk extends PromiseWithResolvers<Answer> {
  readonly asked: Reply;
}

/** A job that runs on this worker. Its progress and its questions go to its host. */
export class RunningJob implements DispatchContext {
  readonly job: Job;
  readonly #worker: string;
  readonly #say: (reply: Reply) => void;
  readonly #controller = new AbortController();
  readonly #asks = new Map<string, OpenAsk>();

  constructor(job: Job, worker: string, say: (reply: Reply) => void) {
    this.job = job;
    this.#worker = worker;
    this.#say = say;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly progress: DispatchContext["progress"] = (progress) =>
    this.#say({ t: "progress", job: this.job.id, progress });

  readonly starting = async (): Promise<void> => {};

  readonly ask: DispatchContext["ask"] = async (question) => {
    const ask = randomUUID();
    const asked: Reply = { t: "ask", job: this.job.id, worker: this.#worker, ask, question };
    const answered = Promise.withResolvers<Answer>();
    this.#asks.set(ask, { ...answered, asked });
    const stop = () => answered.reject(this.signal.reason);
    this.signal.addEventListener("abort", stop, { once: true });
    this.#say(asked);
    try {
      const order = await answered.promise;
      if (order.error) throw new HaftError(order.error);
      return order.answered ?? {};
    } finally {
      this.signal.removeEventListener("abort", stop);
      this.#asks.delete(ask);
    }
  };

  get isAsking(): boolean {
    return this.#asks.size > 0;
  }

  /** Repeats its open questions: the line may have lost them, and another host may have the session now. */
  askAgain(): void {
    for (const { asked } of this.#asks.values()) this.#say(asked);
  }

  answer(order: Answer): void {
    this.#asks.get(order.ask)?.resolve(order);
  }

  cancel(): void {
    this.#controller.abort();
  }
}
