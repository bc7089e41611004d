/** One event with its number. `text` is its JSON, made once for all clients. */
export interface LoggedEvent {
  readonly seq: number;
  readonly text: string;
}

/** The latest events of a session. A client that was away for a moment continues after the number that it has. */
export interface EventLog {
  /** The number of the latest event; 0 before the first. */
  readonly seq: number;
  add(event: object): LoggedEvent;
  /** The events after a number, or `undefined` if some of them are no longer kept. */
  after(seq: number): readonly LoggedEvent[] | undefined;
}

const MOST_EVENTS = 4_000;
const MOST_CHARS = 8_000_000;

/** Keeps the latest events, bounded in number and size. Older ones are in the session's rows. */
export function createEventLog(): EventLog {
  let kept: LoggedEvent[] = [];
  let chars = 0;
  let seq = 0;

  function shorten(): void {
    let drop = 0;
    while (kept.length - drop > MOST_EVENTS || (chars > MOST_CHARS && drop < kept.length))
      chars -= kept[drop++]!.text.length;
    // Copying is worth it only for many at once.
    if (drop > 0) kept = kept.slice(drop);
  }

  return {
    get seq() {
      return seq;
    },
    add(event) {
      const logged = { seq: ++seq, text: JSON.stringify(event) };
      kept.push(logged);
      chars += logged.text.length;
      if (kept.length > MOST_EVENTS * 1.25 || chars > MOST_CHARS) shorten();
      return logged;
    },
    after(from) {
      if (from > seq || from < 0) return undefined;
      const first = kept[0]?.seq ?? seq + 1;
      return from + 1 < first ? undefined : kept.slice(from + 1 - first);
    },
  };
}
