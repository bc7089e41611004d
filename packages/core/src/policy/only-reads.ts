import type { Bound } from "../tool/index.ts";

/** Whether a bound holds only reads, as far as ports, a grammar or the tool's declaration know. */
export const onlyReads = (bound: Bound | undefined): boolean =>
  bound !== undefined &&
  bound.effects.length > 0 &&
  bound.effects.every(
    (effect) =>
      effect.do === "read" || (effect.do === "state" && !effect.change) || (effect.do === "run" && !effect.opaque),
  );
