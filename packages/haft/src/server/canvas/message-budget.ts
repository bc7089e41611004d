/** Most messages that a page may send at once, and per second after that. */
const AT_ONCE = 120;
const PER_SECOND = 30;

/** Counts the messages of a page: a bucket that fills again with time. Pure, so the console counts with it too. */
export class MessageBudget {
  #left = AT_ONCE;
  #at: number | undefined;

  /** Takes one message. `false`: there are too many. */
  take(now: number): boolean {
    const passed = Math.max(0, now - (this.#at ?? now));
    this.#at = now;
    this.#left = Math.min(AT_ONCE, this.#left + (passed / 1000) * PER_SECOND);
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
