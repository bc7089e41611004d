/** A line of the host with a message of its person. */
export type HostMessage = Readonly<Record<string, unknown>>;

/** The answer to an interrupt, in the words of the SDK: the ids of the messages that wait, and of those withdrawn. */
export interface InterruptReceipt {
  readonly still_queued: readonly string[];
  readonly cancelled?: readonly string[];
}

/** The messages of a host in their order: each has a turn of its own. */
export interface MessageQueue {
  /** The number of messages that wait. */
  readonly waiting: number;
  push(message: HostMessage): void;
  /** Stops the turn. The messages that wait have theirs afterwards, unless `withdraws`. */
  interrupt(withdraws: boolean): InterruptReceipt;
  /** Takes a waiting message back. Returns whether it still waited. */
  withdraw(id: string): boolean;
  /** Resolves when nothing waits or works any more. */
  drained(): Promise<void>;
}

/** A queue that gives each message to `turn`, which never rejects. */
export function createMessageQueue(turn: (message: HostMessage, signal: AbortSignal) => Promise<void>): MessageQueue {
  let waiting: readonly HostMessage[] = [];
  let running: AbortController | undefined;
  let work = Promise.resolve();

  async function drain(): Promise<void> {
    for (let next = waiting[0]; next; next = waiting[0]) {
      waiting = waiting.slice(1);
      running = new AbortController();
      await turn(next, running.signal);
    }
    running = undefined;
  }

  return {
    get waiting() {
      return waiting.length;
    },
    push(message) {
      waiting = [...waiting, message];
      if (!running) work = drain();
    },
    interrupt(withdraws) {
      running?.abort(new DOMException("interrupted by the user", "AbortError"));
      const ids = waiting.flatMap(({ uuid }) => (typeof uuid === "string" ? [uuid] : []));
      if (!withdraws) return { still_queued: ids };
      waiting = [];
      return { still_queued: [], cancelled: ids };
    },
    withdraw(id) {
      const left = waiting.filter(({ uuid }) => uuid !== id);
      const waited = left.length < waiting.length;
      waiting = left;
      return waited;
    },
    drained: () => work,
  };
}
