import type { Basis, Effect } from "./effect.ts";
import { isWithin } from "./path.ts";

/** Whether everything that `effects` may do is something that `bound` may do already. */
export const isWithinEffects = (effects: readonly Effect[], bound: readonly Effect[]): boolean =>
  effects.every((effect) => bound.some((other) => covers(other, effect)));

const TRUST: Readonly<Record<Basis, number>> = { claimed: 0, proved: 1, enforced: 1 };

/** Whether `effect` does nothing beyond `bound`, on a ground that is as good. */
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
  // What a command does stands in its other effects, as far as it is known; one that is not known is nobody else's bound.
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
