import type { Subject } from "./rule.ts";

/** What is wrong with a text, and what to write instead. */
export interface Complaint {
  readonly message: string;
  readonly cure: string;
  readonly neverMatches?: true;
}

/** What the parser of one part answers. */
export type Parsed = { readonly subject: Subject; readonly warning?: Complaint } | { readonly problem: Complaint };

/** A complaint as a parser's answer. */
export const complaint = (message: string, cure: string): { problem: Complaint } => ({ problem: { message, cure } });

/** The complaint about a rule that can be read and would concern nothing. */
export const neverMatches = (message: string, cure: string): { problem: Complaint } => ({
  problem: { message, cure, neverMatches: true },
});
