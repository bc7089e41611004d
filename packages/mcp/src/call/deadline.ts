import { HaftError } from "@haft/core/tool";
import { createAlarm, type Due } from "./keepalive.ts";

/** How long a remote call may take. */
export interface CallLimits {
  /** Milliseconds without a sign of life. */
  readonly idleMs: number;
  /** Milliseconds in total, however active. */
  readonly totalMs: number;
}

const alarm = createAlarm();

/**
 * The clock of one call: every sign of life restarts it, and it stops while a person is asked. A class, because every call has one: its
 * methods are created only once.
 */
export class CallDeadline implements Due {
  readonly #controller = new AbortController();
  readonly #what: string;
  readonly #limits: CallLimits;
  readonly #outer: AbortSignal;
  readonly #heard: () => string;
  readonly #onOuter = (): void => this.#controller.abort(this.#outer.reason);
  #leftMs: number;
  #since = performance.now();
  #aliveAt = this.#since;
  #state: "running" | "paused" | "stopped" = "running";

  /**
   * Starts the clock. The signal fires with a `timeout` error, or with the reason of `outer`. `heard`: other messages of the server
   * meanwhile, which may explain a missing answer.
   */
  constructor(what: string, limits: CallLimits, outer: AbortSignal, heard: () => string = () => "") {
    this.#what = what;
    this.#limits = limits;
    this.#outer = outer;
    this.#heard = heard;
    this.#leftMs = limits.totalMs;
    if (outer.aborted) this.#onOuter();
    else outer.addEventListener("abort", this.#onOuter, { once: true });
    alarm.set(this);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  alive(): void {
    this.#aliveAt = performance.now();
  }

  pause(): void {
    if (this.#state !== "running") return;
    this.#state = "paused";
    alarm.unset(this);
    this.#leftMs -= performance.now() - this.#since;
  }

  resume(): void {
    if (this.#state !== "paused") return;
    this.#state = "running";
    this.#since = performance.now();
    this.#aliveAt = this.#since;
    alarm.set(this);
  }

  stop(): void {
    this.#state = "stopped";
    alarm.unset(this);
    this.#outer.removeEventListener("abort", this.#onOuter);
  }

  dueAt(): number {
    return Math.min(this.#since + this.#leftMs, this.#aliveAt + this.#limits.idleMs);
  }

  expire(): void {
    const { idleMs, totalMs } = this.#limits;
    const isTotal = this.#since + this.#leftMs < this.#aliveAt + idleMs;
    const within = isTotal ? `${totalMs} ms altogether` : `${idleMs} ms of its last progress`;
    const words = this.#heard();
    this.#controller.abort(
      new HaftError({
        code: "timeout",
        message: `${this.#what} did not answer within ${within}. It may have done part of its work.${words && `\nIt said meanwhile:\n${words}`}`,
        hint: "Give it more time with callTimeoutMs in the server's settings.",
      }),
    );
  }
}
