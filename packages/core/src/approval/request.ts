import type { Decision, RuleRef, Suggestion } from "../policy/index.ts";
import type { AgentRef, Display, Effect, FileContents, Form } from "../tool/index.ts";

/** Where a value in a call came from, for prompts that information flow caused. */
export interface ValueOrigin {
  readonly field: string;
  readonly value: string;
  readonly source: string;
}

/** A question to a person or a program whether a call may run. Plain data: it may cross processes. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  readonly agent: AgentRef;
  readonly tool: string;
  readonly title: string;
  readonly summary?: string;
  readonly input: unknown;
  /** Something is asked for rather than allowed: a yes brings the filled form as its `input`. */
  readonly form?: Form;
  /** An address that a person is asked to open themselves: a yes says that they have. */
  readonly page?: string;
  readonly effects: readonly Effect[];
  readonly show: Display;
  readonly why: string;
  /** The rule that asks, where one does, with the place where a person can change it. */
  readonly rule?: RuleRef;
  readonly destructive: boolean;
  /** A person has to say yes: the removal could not be made good, or the tool demands one. A hook may only say no. */
  readonly personOnly?: true;
  readonly origins?: readonly ValueOrigin[];
  readonly suggestions: readonly Suggestion[];
  readonly expiresAt?: string;
  /**
   * The files from which its commands take what they do, as they were when it was asked. Nothing starts once one of them
   * has changed, and an answer that is kept is for these only.
   */
  readonly contents?: FileContents;
  /** The state of the policy that asked. An answer that comes after a restart counts only while it is the same. */
  readonly generation?: string;
}

/**
 * What was answered. `remember` leaves a grant behind. `input` replaces the call's input, which is then decided anew: it is
 * asked about again only where it does more than was shown, or with `review: true`, so that the person sees it first.
 */
export type Answer =
  | {
      readonly behavior: "allow";
      readonly remember?: Suggestion;
      readonly input?: unknown;
      readonly review?: boolean;
      readonly message?: string;
    }
  | { readonly behavior: "deny"; readonly message?: string; readonly interrupt?: boolean };

/** An answer with who gave it. */
export interface Settled {
  readonly answer: Answer;
  readonly by: string;
}

/**
 * Who is asked. Resolves with an answer, or with `undefined` when this asker has none (another may); the signal fires
 * when somebody else answered, the call was cancelled or the time is over.
 */
export type Asker = (request: ApprovalRequest, signal: AbortSignal) => Promise<Answer | undefined>;

/** The pair of a decision and what it asks, for hosts that keep their own queue. */
export interface PendingApproval {
  readonly request: ApprovalRequest;
  readonly decision: Decision;
}
