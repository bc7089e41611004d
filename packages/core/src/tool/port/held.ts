/** The port to changes that were kept aside: a command made them in its view, and they are not real yet. */
import type { Display } from "../display.ts";
import type { Change } from "../effect.ts";

/** Changes of one command that are held. */
export interface HeldNote {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  /** The call whose command made them. */
  readonly call: string;
  readonly tool: string;
  /** Why they are not real, in a few words. */
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

/** What would become real now. */
export interface HeldDetail extends HeldNote {
  /** Over every path with type, content, mode and target: what is decided on is what is applied. */
  readonly digest: string;
  readonly paths: readonly HeldPath[];
  /** Paths that others have changed since. They stay as they are. */
  readonly conflicts: readonly string[];
  /** As diffs, for whoever is asked. */
  show(): Promise<Display>;
}

/** What is held of this session. An unknown id fails with `invalid_input` and the ids that there are. */
export interface HeldChanges {
  list(): readonly HeldNote[];
  /** May be asked before anything is decided: what it shows is for people. */
  find(id: string): Promise<HeldDetail | undefined>;
  /** The changes as diffs, for the model. Needs the state `held`. */
  diff(id: string): Promise<string>;
  /**
   * Makes it real; needs a granted `write` for each path. Fails with `conflict`, changing nothing, when it is no longer
   * what that digest stands for. Gives the paths that were changed.
   */
  commit(id: string, digest: string): Promise<readonly string[]>;
  /** Throws it away. Needs the change of the state `held`. */
  discard(id: string): Promise<void>;
}
