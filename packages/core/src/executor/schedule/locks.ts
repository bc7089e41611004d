import { fail } from "../../tool/index.ts";

/** What a call holds while it runs, or will hold. `undefined` until its effects are known: it then conflicts with all. */
export interface Ticket<T> {
  readonly parent?: Ticket<T>;
  claim?: T;
  state: "waiting" | "admitted";
  /** The one ticket that this one waits for, and how to wake it. */
  wait?: { readonly on: Ticket<T>; readonly real: boolean; wake(): void };
}

/**
 * Admission in order. A ticket may go when no earlier ticket conflicts, whether that one runs or waits, and no later
 * one that already runs. Everything is taken at once and in call order, so there is no deadlock among calls; a nested
 * call stands at its root's place, ignores what its ancestors hold, and is refused when waiting could never end.
 */
export interface Locks<T> {
  /** A place in the queue: at its end, or for a nested call behind its parent. */
  enter(parent?: Ticket<T>): Ticket<T>;
  /** Makes the ticket's claim known. Others that only waited to learn it go on. */
  claim(ticket: Ticket<T>, claim: T): void;
  /**
   * Waits until the ticket may go. `true` when a conflicting call ran meanwhile, so that what the claim was computed
   * from may be stale: the ticket then counts as unclaimed again, and the caller claims and admits anew.
   */
  admit(ticket: Ticket<T>, signal: AbortSignal): Promise<boolean> | false;
  leave(ticket: Ticket<T>): void;
}

export function createLocks<T>(conflict: (a: T, b: T) => boolean): Locks<T> {
  const queue: Ticket<T>[] = [];
  /** How many of them wait: hardly ever any. */
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

  /** The nearest ticket in the way. Nearest, because it is usually the last to end, so that few are woken in vain. */
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
      // Unclaimed from this moment on: nobody may start on the strength of a claim that is about to change.
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

/** Whether `other` can only end after `ticket` has: it, or a call below it, waits over any number of steps for it. */
function neverEnds<T>(queue: readonly Ticket<T>[], ticket: Ticket<T>, other: Ticket<T>): boolean {
  // Only a call inside another can hold something while it waits; without one no circle is possible.
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
