/**
 * What helps against an error of the journal, in its `details.cure`, for programs that have words of their own for it: undo
 * comes first; redo; look which calls there were, or which sessions; name the session; look what is held; look at this held
 * one again or throw it away (its id is in `details.held`); leave out what is in conflict.
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

/** The details of an error against which this helps. */
export const curedBy = (cure: JournalCure, more: object = {}): { readonly cure: JournalCure } => ({ ...more, cure });

/**
 * How one goes on with what a command has changed, said in its result: sentences in the words of the program around, which
 * knows whether there are commands, buttons or tools for it.
 */
export interface JournalWays {
  /** Its changes are kept aside under this name: how they are applied, or thrown away. */
  held(id: string): string;
  /** The same where others have changed these paths: how the command's version takes the place of theirs. */
  forced(id: string): string;
  /** How what this call changed is taken back. */
  undo(call: string): string;
}

/** For programs that say nothing: the tool of the model for it, and no command that nobody may have. */
export const toolWays: JournalWays = {
  held: (id) => `HeldChanges shows, applies (commit) or throws away (discard) what is held as ${id}.`,
  forced: (id) => `HeldChanges shows what is held as ${id}; to put it over the others' work is for the user.`,
  undo: (call) => `The user can undo call ${call}.`,
};
