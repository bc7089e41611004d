import type { Basis, Effect } from "./effect.ts";
import { isWithin, parent } from "./path.ts";

interface PathEffect {
  readonly path: string;
  readonly tree?: boolean;
}

function overlaps(a: PathEffect, b: PathEffect): boolean {
  if (a.path === b.path) return true;
  return (a.tree === true && isWithin(a.path, b.path)) || (b.tree === true && isWithin(b.path, a.path));
}

/**
 * Writing `a/b` changes what a read or removal of the folder `a` itself sees, tree or not: its names, the size of `b`,
 * and the temporary file that is there during the write.
 */
function changesListing(write: PathEffect, other: PathEffect): boolean {
  return parent(write.path) === other.path;
}

/** Whether the bound does not say what is touched, so that it may conflict with any other effect. */
function isOpen(effect: Effect): boolean {
  return effect.do === "unknown" || (effect.do === "run" && effect.opaque === true);
}

function toleratesOpen(effect: Effect): boolean {
  return (effect.do === "state" && !effect.change) || effect.do === "delegate";
}

/** Two effects of the same word on the same thing, where at least one changes it. */
function contend(a: Effect, b: Effect): boolean {
  if (a.do === "connect" && b.do === "connect") return a.host === b.host && (a.sends || b.sends);
  if (a.do === "send" && b.do === "send") return a.channel === b.channel;
  if (a.do === "call" && b.do === "call") return a.server === b.server && (a.change || b.change);
  if (a.do === "state" && b.do === "state") return a.of === b.of && (a.change || b.change);
  return a.do === "ask" && b.do === "ask";
}

/**
 * Whether two effects must not happen at the same time. Symmetric. Reads never conflict with reads. A write conflicts
 * with any read or write of the same path, or above and below it where either is a tree. An unreadable effect
 * (`unknown`, an opaque `run`) conflicts with everything but state reads and `delegate`.
 */
export function effectsConflict(a: Effect, b: Effect): boolean {
  if (isOpen(a)) return !toleratesOpen(b);
  if (isOpen(b)) return !toleratesOpen(a);
  if (a.do === "write" && b.do === "write") return overlaps(a, b) || changesListing(a, b) || changesListing(b, a);
  if (a.do === "write" && b.do === "read") return overlaps(a, b) || changesListing(a, b);
  if (a.do === "read" && b.do === "write") return overlaps(a, b) || changesListing(b, a);
  return contend(a, b);
}

/** Whether two calls with these effects must keep the model's order. */
export function conflicts(a: readonly Effect[], b: readonly Effect[]): boolean {
  return a.some((one) => b.some((other) => effectsConflict(one, other)));
}

/** Whether `bound` already covers everything that `effects` may do. */
export const isWithinEffects = (effects: readonly Effect[], bound: readonly Effect[]): boolean =>
  effects.every((effect) => bound.some((other) => covers(other, effect)));

const TRUST: Readonly<Record<Basis, number>> = { claimed: 0, proved: 1, enforced: 1 };

/** Whether `effect` does nothing beyond `bound`, on a basis that is as good. */
function covers(bound: Effect, effect: Effect): boolean {
  if (TRUST[effect.basis] < TRUST[bound.basis]) return false;
  if (bound.do === "read" && effect.do === "read")
    return isInside(bound, effect) && (bound.shows === undefined || bound.shows === effect.shows);
  if (bound.do === "write" && effect.do === "write")
    return (
      isInside(bound, effect) &&
      bound.from === effect.from &&
      bound.unread === effect.unread &&
      (bound.change === effect.change || (bound.change === "replace" && effect.change === "modify"))
    );
  if (bound.do === "connect" && effect.do === "connect")
    return bound.host === effect.host && bound.port === effect.port && (bound.sends || !effect.sends);
  // The other effects show what a known command does. An opaque, background or direct command covers only itself.
  if (bound.do === "run" && effect.do === "run" && isKnown(bound) && isKnown(effect)) return true;
  return JSON.stringify(bound) === JSON.stringify(effect);
}

interface Place {
  readonly path: string;
  readonly as?: string;
  readonly tree?: boolean;
}

const isInside = (bound: Place, { path, as, tree }: Place): boolean =>
  bound.tree
    ? isWithin(bound.path, path) && (as === undefined || isWithin(bound.as ?? bound.path, as))
    : !tree && bound.path === path && bound.as === as;

const isKnown = ({ opaque, background, direct }: Extract<Effect, { do: "run" }>): boolean =>
  !opaque && !background && !direct;
