/** Ports to the session itself: its mode, its place, its conversation, its settings. */

/** Plan mode: nothing is changed until a person has approved a plan. */
export interface Plans {
  /** From now on nothing is changed. */
  enter(): void;
  /** What is wrong with the effects of a plan, each a rule such as `write(src/**)`; a sentence for each. */
  problems(effects: readonly string[]): readonly string[];
  /** Ends plan mode and grants exactly these effects until the next prompt of the user. Gives the mode in force. */
  leave(effects: readonly string[]): string;
}

/** What has been said to an agent and not yet been read by it. */
export interface Inbox {
  /** Resolves when there is something, at once where there is already. */
  arrival(signal: AbortSignal): Promise<void>;
}

/** The conversation that the model of this agent sees. */
export interface Conversation {
  /**
   * Takes the messages from the one that holds `from` to the one that holds `to` out of what the model sees and leaves
   * `note` in their place. Calls keep their results; the last words of the user stay. Fails with `match_not_found` and
   * `match_ambiguous`.
   */
  snip(span: { readonly from: string; readonly to: string; readonly note: string }): Promise<Snipped>;
}

/** What was taken out of a conversation. */
export interface Snipped {
  readonly messages: number;
  readonly chars: number;
  /** The file that keeps it, where one is kept. */
  readonly file?: string;
}

/** A copy of the repository in which the session works. */
export interface Worktree {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
}

/** Git worktrees: the session may work in one instead of the main checkout. */
export interface Worktrees {
  current(): Worktree | undefined;
  /** Makes a worktree with a branch of its own and moves the session there. Fails where it is in one already. */
  enter(name: string): Promise<Worktree>;
  /**
   * Moves the session back. `remove` fails with `conflict` where work would be lost, unless `discard` says that it may.
   * The branch stays as long as it holds commits of its own.
   */
  leave(how: { readonly remove: boolean; readonly discard: boolean }): Promise<Worktree>;
}

/** One setting that a model may look at. */
export interface Setting {
  readonly name: string;
  readonly value: unknown;
  readonly meaning: string;
}

/** A few settings of the user that loosen nothing. */
export interface SettingsStore {
  list(): readonly Setting[];
  /** Why a setting cannot have a value, with what it can. */
  problem(name: string, value: unknown): string | undefined;
  /** Writes it to the user's file. It counts from the next session on. */
  set(name: string, value: unknown): Promise<{ readonly file: string }>;
}
