/** Ports to the session itself: its mode, its place, its conversation, its settings. */

/** Plan mode: nothing changes until a person has approved a plan. */
export interface Plans {
  /** Starts plan mode: from now on nothing may change. */
  enter(): void;
  /** The errors in the effects of a plan, where each effect is a rule such as `write(src/**)`; one sentence each. */
  problems(effects: readonly string[]): readonly string[];
  /** Ends plan mode and grants exactly these effects until the user's next prompt. Returns the mode in force. */
  leave(effects: readonly string[]): string;
}

/** Messages to an agent that it has not yet read. */
export interface Inbox {
  /** Resolves when there is a message, immediately if there is one already. */
  arrival(signal: AbortSignal): Promise<void>;
}

/** The conversation as the model of this agent sees it. */
export interface Conversation {
  /**
   * Removes the messages from the one with `from` to the one with `to` from the model's view and leaves `note` in their
   * place. Calls keep their results; the user's last words stay. Fails with `match_not_found` and `match_ambiguous`.
   */
  snip(span: { readonly from: string; readonly to: string; readonly note: string }): Promise<Snipped>;
}

/** The removed part of a conversation. */
export interface Snipped {
  readonly messages: number;
  readonly chars: number;
  /** The file that keeps it, if one does. */
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
  /** Makes a worktree with a branch of its own and moves the session there. Fails if the session is already in one. */
  enter(name: string): Promise<Worktree>;
  /**
   * Moves the session back. `remove` fails with `conflict` if work would be lost, unless `discard` is set. The branch
   * stays as long as it has commits of its own.
   */
  leave(how: { readonly remove: boolean; readonly discard: boolean }): Promise<Worktree>;
}

/** One setting that a model may see. */
export interface Setting {
  readonly name: string;
  readonly value: unknown;
  readonly meaning: string;
}

/** Some of the user's settings, none of which loosens a permission. */
export interface SettingsStore {
  list(): readonly Setting[];
  /** Why a setting cannot have a value, with the allowed values. */
  problem(name: string, value: unknown): string | undefined;
  /** Writes it to the user's file. It takes effect in the next session. */
  set(name: string, value: unknown): Promise<{ readonly file: string }>;
}
