import { fail } from "../../tool/index.ts";

/**
 * A call's place in the queue, with what it locks while it runs. While `claim` is `undefined`, its effects are unknown
 * and it conflicts with all.
 */
export interface Ticket<T> {
  readonly parent?: Ticket<T>;
  claim?: T;
  state: "waiting" | "admitted";
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
   * ticket then counts as unclaimed again, and the caller has to claim and admit anew.
   */
  admit(ticket: Ticket<T>, signal: AbortSignal): Promise<boolean> | false;
  leave(ticket: Ticket<T>): void;
}

/** Locks of one process: a queue of tickets in memory. */
export function createLocks<T>(conflict: (a: T, b: T) => boolean): Locks<T> {
  const queue: Ticket<T>[] = [];
  /** Number of waiting tickets: hardly ever any. */
  let waits = 0;

  function enter(parent?: Ticket<T>): Ticket<T> {
    const ticket: Ticket<T> = { state: "waiting", ...(parent ? { parent } : {}) };
    const place = parent ? lastOfFamily(parent) + 1 : queue.length;
    queue.splice(place, 0, ticket);
    return ticket;
  }

  function lastOfFamily(parent: Ticket<T>): number {
    return queue.findLastIndex((ticket) => isSelfOrBelow(parent, ticket));
  }

  /** The nearest conflicting ticket. It is usually the last to end, so few waiters are woken in vain. */
  function blocker(ticket: Ticket<T>): Ticket<T> | undefined {
    const place = queue.indexOf(ticket);
    for (let index = place - 1; index >= 0; index--) {
      const other = queue[index]!;
      if (stands(other, ticket)) return other;
    }
    for (let index = place + 1; index < queue.length; index++) {
      const other = queue[index]!;
      if (other.state === "admitted" && stands(other, ticket)) return other;
    }
    return undefined;
  }

  function stands(other: Ticket<T>, ticket: Ticket<T>): boolean {
    if (isAncestor(other, ticket) || isAncestor(ticket, other)) return false;
    return other.claim === undefined || ticket.claim === undefined || conflict(other.claim, ticket.claim);
  }

  function wakeWaitersOn(ticket: Ticket<T>, left: boolean): void {
    if (waits === 0) return;
    for (const waiter of [...queue]) {
      if (waiter.wait?.on !== ticket) continue;
      // Unclaimed from this moment on: nobody may start because of a claim that is about to change.
      if (left && waiter.wait.real) delete waiter.claim;
      waiter.wait.wake();
    }
  }

  async function admit(ticket: Ticket<T>, signal: AbortSignal): Promise<boolean> {
    for (let other = blocker(ticket); other; other = blocker(ticket)) {
      if (neverEnds(queue, ticket, other)) {
        fail("conflict", "This nested call waits for a call that waits for it.", "Make the calls one after the other.");
      }
      await waitFor(ticket, other, signal);
      if (ticket.claim === undefined) return true;
    }
    ticket.state = "admitted";
    return false;
  }

  function waitFor(ticket: Ticket<T>, on: Ticket<T>, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        delete ticket.wait;
        waits--;
        reject(signal.reason);
      };
      const wake = () => {
        delete ticket.wait;
        waits--;
        signal.removeEventListener("abort", stop);
        resolve();
      };
      waits++;
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop, { once: true });
      ticket.wait = { on, real: on.claim !== undefined, wake };
    });
  }

  return {
    enter,
    claim(ticket, claim) {
      ticket.claim = claim;
      wakeWaitersOn(ticket, false);
    },
    admit(ticket, signal) {
      if (blocker(ticket)) return admit(ticket, signal);
      ticket.state = "admitted";
      return false;
    },
    leave(ticket) {
      const place = queue.indexOf(ticket);
      if (place < 0) return;
      queue.splice(place, 1);
      wakeWaitersOn(ticket, true);
    },
  };
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
