/** What a program is held to. */
import type { Effect } from "../effect.ts";

/** A part of the file system that a deny or ask rule takes out of a bound. */
export interface BoundHole {
  readonly do: "read" | "write";
  /** Whether an absolute real path lies in the hole. */
  matches(path: string): boolean;
}

/** What a program may do at most: the effects that were granted, less the holes. A `Grant` of the policy is one. */
export interface Bound {
  readonly effects: readonly Effect[];
  readonly holes: readonly BoundHole[];
  /** Only confined: what comes of it is judged before it becomes real. */
  readonly hold?: true;
}
