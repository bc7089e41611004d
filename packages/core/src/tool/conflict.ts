import type { Effect } from "./effect.ts";
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
 * Writing `a/b` changes what a read or removal of the folder `a` itself sees, tree or not: its names, the size of `b`, and
 * while it is written the file that takes its place.
 */
function changesListing(write: PathEffect, other: PathEffect): boolean {
  return parent(write.path) === other.path;
}

/** Whether the bound says nothing about what is touched, so that any other effect may be in its way. */
function isOpen(effect: Effect): boolean {
  return effect.do === "unknown" || (effect.do === "run" && effect.opaque === true);
}

function toleratesOpen(effect: Effect): boolean {
  return (effect.do === "state" && !effect.change) || effect.do === "delegate";
}

/** Two effects of the same word on the same thing, of which at least one changes it. */
function contend(a: Effect, b: Effect): boolean {
  if (a.do === "connect" && b.do === "connect") return a.host === b.host && (a.sends || b.sends);
  if (a.do === "send" && b.do === "send") return a.channel === b.channel;
  if (a.do === "call" && b.do === "call") return a.server === b.server && (a.change || b.change);
  if (a.do === "state" && b.do === "state") return a.of === b.of && (a.change || b.change);
  return a.do === "ask" && b.do === "ask";
}

/**
 * Whether two effects may not happen at the same time. Symmetric. Reads never conflict with reads; a write conflicts
 * with any read or write of the same path, or above and below where either is a tree; what cannot be read (`unknown`,
 * an opaque `run`) conflicts with everything but state reads and `delegate`.
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
