import { fail } from "../../tool/index.ts";

/**
 * A call's place in the queue, with what it locks while it runs. While `claim` is `undefined`, its effects are unknown
 * and it conflicts with all.
 */
export interface Ticket<T> {
  readonly parent?: Ticket<T>;
  claim?: T;
  /** `asking`: it was admitted, and waits for a person before it starts. */
  state: "waiting" | "admitted" | "asking";
  /** The one ticket that this one waits for, and a function to wake it. */
  wait?: { readonly on: Ticket<T>; readonly real: boolean; wake(): void };
}

/**
 * Admission in order. A ticket is admitted if no earlier ticket conflicts, running or waiting, and no later one that
 * already runs. All locks are taken at once and in call order, so calls cannot deadlock. A nested call takes its root's
 * place and ignores its ancestors' locks. It is refused if its wait could never end.
 */
export interface Locks<T> {
  /** Adds a ticket: at the end of the queue, or for a nested call after its parent. */
  enter(parent?: Ticket<T>): Ticket<T>;
  /** Publishes the ticket's claim. Wakes others that only waited to learn it. */
  claim(ticket: Ticket<T>, claim: T): void;
  /**
   * Waits until the ticket is admitted. `true` if a conflicting call ran meanwhile, so that the claim may be stale. The
   * ticket then counts as unclaimed again, and the caller has to claim and admit again.
   */
  admit(ticket: Ticket<T>, signal: AbortSignal): Promise<boolean> | false;
  /**
   * While an admitted ticket waits for a person, calls that only read may pass it. `back` ends that, and waits for those
   * that still run. Locks of several processes lend nothing.
   */
  lend?(ticket: Ticket<T>): { back(signal: AbortSignal): Promise<void> };
  leave(ticket: Ticket<T>): void;
}

/**
 * Locks of one process: a queue of tickets in memory. `passes`: a call may run while another one that conflicts with it has
 * not started, because that one waits for a person.
 */
export const createLocks = <T>(
  conflict: (a: T, b: T) => boolean,
  passes: (ticket: T, asking: T) => boolean = () => false,
): Locks<T> => new TicketQueue(conflict, passes);

/** Its public functions are bound, so that they can be taken apart. */
class TicketQueue<T> implements Locks<T> {
  readonly #conflict: (a: T, b: T) => boolean;
  readonly #passes: (ticket: T, asking: T) => boolean;
  readonly #queue: Ticket<T>[] = [];
  /** Number of waiting tickets: hardly ever any. */
  #waits = 0;

  constructor(conflict: (a: T, b: T) => boolean, passes: (ticket: T, asking: T) => boolean) {
    this.#conflict = conflict;
    this.#passes = passes;
  }

  readonly enter: Locks<T>["enter"] = (parent) => {
    const ticket: Ticket<T> = { state: "waiting", ...(parent ? { parent } : {}) };
    const place = parent ? this.#queue.findLastIndex((one) => isSelfOrBelow(parent, one)) + 1 : this.#queue.length;
    this.#queue.splice(place, 0, ticket);
    return ticket;
  };

  readonly claim: Locks<T>["claim"] = (ticket, claim) => {
    ticket.claim = claim;
    this.#wakeWaitersOn(ticket, false);
  };

  readonly admit: Locks<T>["admit"] = (ticket, signal) => {
    if (this.#blocker(ticket)) return this.#admitLater(ticket, signal);
    ticket.state = "admitted";
    return false;
  };

  readonly lend: NonNullable<Locks<T>["lend"]> = (ticket) => {
    ticket.state = "asking";
    for (const waiter of this.#waits === 0 ? [] : [...this.#queue]) waiter.wait?.wake();
    return {
      back: async (signal) => {
        const { claim } = ticket;
        // From now on nobody passes any more.
        ticket.state = "waiting";
        const running = (): Ticket<T> | undefined =>
          this.#queue.find((one) => one !== ticket && one.state === "admitted" && this.#stands(one, ticket));
        for (let other = running(); other && !neverEnds(this.#queue, ticket, other); other = running()) {
          await this.#waitFor(ticket, other, signal);
          // They only read, so the claim is still true.
          if (claim !== undefined) this.claim(ticket, claim);
        }
        ticket.state = "admitted";
      },
    };
  };

  readonly leave: Locks<T>["leave"] = (ticket) => {
    const place = this.#queue.indexOf(ticket);
    if (place < 0) return;
    this.#queue.splice(place, 1);
    this.#wakeWaitersOn(ticket, true);
  };

  /** The nearest conflicting ticket. It is usually the last to end, so few waiters are woken in vain. */
  #blocker(ticket: Ticket<T>): Ticket<T> | undefined {
    const queue = this.#queue;
    const place = queue.indexOf(ticket);
    for (let index = place - 1; index >= 0; index--) {
      const other = queue[index]!;
      if (this.#stands(other, ticket)) return other;
    }
    for (let index = place + 1; index < queue.length; index++) {
      const other = queue[index]!;
      if (other.state === "admitted" && this.#stands(other, ticket)) return other;
    }
    return undefined;
  }

  #stands(other: Ticket<T>, ticket: Ticket<T>): boolean {
    if (isAncestor(other, ticket) || isAncestor(ticket, other)) return false;
    if (other.claim !== undefined && ticket.claim !== undefined && this.#isHeldUp(other))
      return this.#conflict(other.claim, ticket.claim) && !this.#passes(ticket.claim, other.claim);
    return other.claim === undefined || ticket.claim === undefined || this.#conflict(other.claim, ticket.claim);
  }

  /** Whether it waits for a person, or for a call that does. */
  #isHeldUp(ticket: Ticket<T>): boolean {
    let held: Ticket<T> | undefined = ticket;
    for (let steps = this.#queue.length; held && steps > 0; steps--) {
      if (held.state === "asking") return true;
      if (held.state === "admitted") return false;
      held = held.wait?.on;
    }
    return false;
  }

  #wakeWaitersOn(ticket: Ticket<T>, left: boolean): void {
    if (this.#waits === 0) return;
    for (const waiter of [...this.#queue]) {
      if (waiter.wait?.on !== ticket) continue;
      // Unclaimed from this moment on: nobody may start because of a claim that is about to change.
      if (left && waiter.wait.real) delete waiter.claim;
      waiter.wait.wake();
    }
  }

  async #admitLater(ticket: Ticket<T>, signal: AbortSignal): Promise<boolean> {
    for (let other = this.#blocker(ticket); other; other = this.#blocker(ticket)) {
      if (neverEnds(this.#queue, ticket, other)) {
        fail("conflict", "This nested call and its parent wait for each other.", "Make the calls one after the other.");
      }
      await this.#waitFor(ticket, other, signal);
      if (ticket.claim === undefined) return true;
    }
    ticket.state = "admitted";
    return false;
  }

  #waitFor(ticket: Ticket<T>, on: Ticket<T>, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        delete ticket.wait;
        this.#waits--;
        reject(signal.reason);
      };
      const wake = () => {
        delete ticket.wait;
        this.#waits--;
        signal.removeEventListener("abort", stop);
        resolve();
      };
      this.#waits++;
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      ticket.wait = { on, real: on.claim !== undefined, wake };
    });
  }
}

function isAncestor<T>(ancestor: Ticket<T>, ticket: Ticket<T>): boolean {
  for (let up = ticket.parent; up; up = up.parent) if (up === ancestor) return true;
  return false;
}

/** Whether `other` can only end after `ticket` has: it, or a call below it, waits for `ticket`, directly or through others. */
function neverEnds<T>(queue: readonly Ticket<T>[], ticket: Ticket<T>, other: Ticket<T>): boolean {
  // Only a nested call can hold locks while it waits. Without one no cycle is possible.
  if (!queue.some((member) => member.parent !== undefined)) return false;
  const visited = new Set<Ticket<T>>();
  const needsTicket = (needed: Ticket<T>): boolean => {
    if (needed === ticket || isAncestor(needed, ticket)) return true;
    if (visited.has(needed)) return false;
    visited.add(needed);
    return queue.some(
      (member) => member.wait !== undefined && isSelfOrBelow(needed, member) && needsTicket(member.wait.on),
    );
  };
  return needsTicket(other);
}

const isSelfOrBelow = <T>(top: Ticket<T>, ticket: Ticket<T>): boolean => top === ticket || isAncestor(top, ticket);
