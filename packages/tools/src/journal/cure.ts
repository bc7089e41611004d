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
