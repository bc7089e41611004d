/**
 * The cure for an error of the journal, in its `details.cure`, for programs that phrase cures themselves: undo comes
 * first; redo; list calls or sessions; name the session; list the held changes; show or discard this held change (its
 * id is in `details.held`); leave conflicts out.
 */
export type JournalCure =
  | "undo"
  | "redo"
  | "name_call"
  | "name_session"
  | "list_calls"
  | "list_held"
  | "review_held"
  | "force";

/** Error details that name this cure. */
export const curedBy = (cure: JournalCure, more: object = {}): { readonly cure: JournalCure } => ({ ...more, cure });

/**
 * Hints in a command's result about its changes. The surrounding program phrases them, because it knows whether it
 * has commands, buttons or tools for that.
 */
export interface JournalHints {
  /** Its changes are held under this id: how to apply or discard them. */
  held(id: string): string;
  /** The same, if others have changed these paths: how to replace their version by the command's. */
  forced(id: string): string;
  /** How to undo the changes of this call. */
  undo(call: string): string;
}

/** Default hints: they name the model's tool, and no command that may be missing. */
export const toolWays: JournalHints = {
  held: (id) => `HeldChanges shows, applies (commit) or discards the changes held as ${id}.`,
  forced: (id) =>
    `HeldChanges shows the changes held as ${id}; only the user can overwrite the others' work with them.`,
  undo: (call) => `The user can undo call ${call}.`,
};
