import { randomUUID } from "node:crypto";
import type { DispatchContext } from "@haft/core/executor";
import { HaftError } from "@haft/core/tool";
import type { Job } from "../job/job.ts";
import type { Order, Reply } from "../job/message.ts";

type Answer = Extract<Order, { t: "answer" }>;

/** A job that runs on this worker. Its progress and its questions go to its host. */
export class RunningJob implements DispatchContext {
  readonly job: Job;
  readonly #worker: string;
  readonly #say: (reply: Reply) => void;
  readonly #controller = new AbortController();
  readonly #asks = new Map<string, PromiseWithResolvers<Answer>>();

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
    const answered = Promise.withResolvers<Answer>();
    this.#asks.set(ask, answered);
    const stop = () => answered.reject(this.signal.reason);
    this.signal.addEventListener("abort", stop, { once: true });
    this.#say({ t: "ask", job: this.job.id, worker: this.#worker, ask, question });
    try {
      const order = await answered.promise;
      if (order.error) throw new HaftError(order.error);
      return order.answered ?? {};
    } finally {
      this.signal.removeEventListener("abort", stop);
      this.#asks.delete(ask);
    }
  };

  answer(order: Answer): void {
    this.#asks.get(order.ask)?.resolve(order);
  }

  cancel(): void {
    this.#controller.abort();
  }
}
