/** The port to held changes: a command made them in its view, and they are not real yet. */
import type { Display } from "../display.ts";
import type { Change } from "../effect.ts";

/** The held changes of one command. */
export interface HeldNote {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  /** The call whose command made them. */
  readonly call: string;
  readonly tool: string;
  /** The reason for holding them, in a few words. */
  readonly why: string;
}

/** One path that would change. */
export interface HeldPath {
  /** Absolute, real. */
  readonly path: string;
  readonly change: Change;
  /** Why a person has to see it, whatever its name. */
  readonly doubt?: string;
}

/** The changes that would become real now. */
export interface HeldDetail extends HeldNote {
  /** A digest of every path with type, content, mode and target: the changes that were decided on are the ones applied. */
  readonly digest: string;
  readonly paths: readonly HeldPath[];
  /** Paths that others have changed since. They stay unchanged. */
  readonly conflicts: readonly string[];
  /** The changes as diffs, for the person who is asked. */
  show(): Promise<Display>;
}

/** The held changes of this session. An unknown id fails with `invalid_input` and the list of known ids. */
export interface HeldChanges {
  list(): readonly HeldNote[];
  /** May be called before the decision: its result is for people. */
  find(id: string): Promise<HeldDetail | undefined>;
  /** The changes as diffs, for the model. Needs the state `held`. */
  diff(id: string): Promise<string>;
  /**
   * Makes it real; needs a granted `write` for each path. Fails with `conflict`, changing nothing, when the changes no
   * longer match the digest. Returns the changed paths.
   */
  commit(id: string, digest: string): Promise<readonly string[]>;
  /** Discards it. Needs a change of the state `held`. */
  discard(id: string): Promise<void>;
}
