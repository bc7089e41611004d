import { foldEvent, type Row, type SessionView, type ViewEvent } from "../../../haft/src/view/index.ts";
import { get } from "./api.ts";
import { onMessage, onOpen, send } from "./socket.ts";
import { Store } from "./store.ts";

/** A session as the page shows it: its latest rows, kept up to date. */
export interface ShownSession {
  readonly view?: SessionView;
  readonly hasMore: boolean;
  readonly error?: string;
}

const FIRST_ROWS = 150;
/** Beyond this many rows the oldest leave the page; scrolling up loads them again. */
const MOST_ROWS = 1_200;
/** Events that may wait for a frame. A tab in the background gets no frames. */
const MOST_WAITING = 1_000;

/** Follows one session. */
export class SessionFollower {
  readonly shown = new Store<ShownSession>({ hasMore: false });
  readonly #id: string;
  readonly #stops: (() => void)[] = [];
  #seq = 0;
  #waiting: ViewEvent[] = [];
  #frame: number | undefined;
  #isLoading = false;

  constructor(id: string) {
    this.#id = id;
    this.#stops.push(
      onMessage((message) => {
        if (message.session !== id) return;
        if (message.type === "gap") void this.#load();
        if (message.type === "event") this.#hear(message.seq ?? 0, message.event as ViewEvent);
      }),
      onOpen(() => void this.#load()),
    );
  }

  async #load(): Promise<void> {
    try {
      const { seq, view, hasMore } = await get<{ seq: number; view: SessionView; hasMore: boolean }>(
        `/api/sessions/${this.#id}/view?rows=${FIRST_ROWS}`,
      );
      this.#seq = seq;
      this.#waiting = [];
      this.shown.set({ view, hasMore });
      send({ type: "watch", session: this.#id, after: seq });
    } catch (thrown) {
      this.shown.set({ ...this.shown.value, error: (thrown as Error).message });
    }
  }

  #hear(seq: number, event: ViewEvent): void {
    if (seq <= this.#seq) return;
    this.#seq = seq;
    this.#waiting.push(event);
    // A hundred events of one moment are drawn once, with the next frame.
    this.#frame ??= requestAnimationFrame(() => this.#draw());
    if (this.#waiting.length >= MOST_WAITING) this.#draw();
  }

  #draw(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    const { view, hasMore } = this.shown.value;
    if (!view) return;
    const next = this.#waiting.splice(0).reduce((so, event) => foldEvent(so, event, Date.now()), view);
    const isLong = next.rows.length > MOST_ROWS;
    this.shown.set({
      view: isLong ? { ...next, rows: next.rows.slice(-MOST_ROWS / 2) } : next,
      hasMore: hasMore || isLong,
    });
  }

  /** Adds rows before the first one. */
  async loadEarlier(): Promise<void> {
    const { view, hasMore } = this.shown.value;
    const first = view?.rows[0];
    if (!first || !hasMore || this.#isLoading) return;
    this.#isLoading = true;
    try {
      const { rows } = await get<{ rows: readonly Row[] }>(
        `/api/sessions/${this.#id}/rows?before=${encodeURIComponent(first.id)}&limit=${FIRST_ROWS}`,
      );
      const now = this.shown.value.view;
      if (now) this.shown.set({ view: { ...now, rows: [...rows, ...now.rows] }, hasMore: rows.length === FIRST_ROWS });
    } finally {
      this.#isLoading = false;
    }
  }

  close(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    for (const stop of this.#stops) stop();
    send({ type: "unwatch", session: this.#id });
  }
}
