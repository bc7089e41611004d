import type { Progress } from "../../tool/index.ts";
import type { CallRun } from "../call-run.ts";
import { emit } from "../emit.ts";
import type { Pieces } from "../machine.ts";

/** People cannot read faster than this, and a wire should not carry more. */
const INTERVAL_MS = 50;

/** Unreported output is kept up to this length; its end matters most. */
const PENDING_CHARS = 30_000;

/**
 * Collects progress of one running call: in order, rate-limited, with bounded memory, nothing after its end. A class,
 * because every call has one and few have progress: its methods are created only once.
 */
export class ProgressFeed {
  readonly #callRun: CallRun;
  readonly #output: Pieces | undefined;
  #pending: Progress | undefined;
  #lastTold = Number.NEGATIVE_INFINITY;
  #isScheduled = false;
  #hasEnded = false;

  constructor(callRun: CallRun) {
    this.#callRun = callRun;
    this.#output = callRun.machine.shownPieces?.();
  }

  update(progress: Progress): void {
    if (this.#hasEnded || typeof progress !== "object" || progress === null) return;
    const { output, ...lasting } = progress;
    this.#callRun.live = merge(this.#callRun.live, lasting);
    this.#add(this.#callRun.machine.shown?.(lasting) ?? lasting, output && (this.#output?.next(output) ?? output));
    if (this.#pending) this.#schedule();
  }

  /** Reports what is still pending. Ignores everything afterwards. */
  end(): void {
    if (!this.#hasEnded) {
      this.#add({}, this.#output?.end());
      this.#tell();
    }
    this.#hasEnded = true;
  }

  #add(lasting: Progress, output: string | undefined): void {
    const news = output ? { ...lasting, output } : lasting;
    if (Object.keys(news).length > 0) this.#pending = merge(this.#pending ?? {}, news);
  }

  #tell(): void {
    this.#isScheduled = false;
    const progress = this.#pending;
    if (!progress) return;
    this.#pending = undefined;
    this.#lastTold = this.#clock.now();
    emit(this.#callRun, { type: "tool:execution:progress", progress }, true);
  }

  #schedule(): void {
    const wait = this.#lastTold + INTERVAL_MS - this.#clock.now();
    if (wait <= 0) this.#tell();
    if (wait <= 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    this.#clock.sleep(wait).then(
      () => this.#tell(),
      () => {},
    );
  }

  get #clock() {
    return this.#callRun.machine.ports.clock;
  }
}

function merge(into: Progress, news: Progress): Progress {
  const metadata = news.metadata || into.metadata ? { metadata: { ...into.metadata, ...news.metadata } } : {};
  const output = (into.output ?? "") + (news.output ?? "");
  return { ...into, ...news, ...metadata, ...(output ? { output: output.slice(-PENDING_CHARS) } : {}) };
}
