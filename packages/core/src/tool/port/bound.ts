/** The bound that a program is held to. */
import type { Effect } from "../effect.ts";

/** A part of the file system that a deny or ask rule takes out of a bound. */
export interface BoundHole {
  readonly do: "read" | "write";
  /** Whether an absolute real path is inside the hole. */
  matches(path: string): boolean;
}

/** An upper bound for a program: the granted effects, less the holes. A `Grant` of the policy is one. */
export interface Bound {
  readonly effects: readonly Effect[];
  readonly holes: readonly BoundHole[];
  /** Runs confined only: its changes are reviewed before they become real. */
  readonly hold?: true;
}
