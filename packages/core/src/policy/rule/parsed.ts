import type { Subject } from "./rule.ts";

/** A problem of a text, and its cure. */
export interface Complaint {
  readonly message: string;
  readonly cure: string;
  readonly neverMatches?: true;
}

/** The result of the parser of one part. */
export type Parsed = { readonly subject: Subject; readonly warning?: Complaint } | { readonly problem: Complaint };

/** A complaint as a parser's answer. */
export const complaint = (message: string, cure: string): { problem: Complaint } => ({ problem: { message, cure } });

/** The complaint about a rule that can be read but would never match. */
export const neverMatches = (message: string, cure: string): { problem: Complaint } => ({
  problem: { message, cure, neverMatches: true },
});
