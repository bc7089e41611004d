import type { Decision, RuleRef, Suggestion } from "../policy/index.ts";
import type { AgentRef, Display, Effect, FileContents, Form } from "../tool/index.ts";

/** The origin of a value in a call, for prompts that information flow caused. */
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
  /** The question asks for input, not for permission: a yes returns the filled form as its `input`. */
  readonly form?: Form;
  /** An address for the person to open: a yes says that they have. */
  readonly page?: string;
  readonly effects: readonly Effect[];
  readonly show: Display;
  readonly why: string;
  /** The rule that asks, if one does, with the place where a person can change it. */
  readonly rule?: RuleRef;
  readonly destructive: boolean;
  /** A person has to say yes: the removal could not be undone, or the tool demands a person. A hook may only say no. */
  readonly personOnly?: true;
  readonly origins?: readonly ValueOrigin[];
  readonly suggestions: readonly Suggestion[];
  readonly expiresAt?: string;
  /**
   * The files that determine what its commands do, with their fingerprints at the time of asking. Nothing starts once
   * one of them has changed, and a stored answer is valid for these only.
   */
  readonly contents?: FileContents;
  /** The state of the policy that asked. An answer after a restart is valid only while this is the same. */
  readonly generation?: string;
}

/**
 * An answer. `remember` leaves a grant behind. `input` replaces the call's input, which is then decided again: the
 * person is asked again only if it does more than was shown, or with `review: true`, to see it first.
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

/** An answer with the name of its asker. */
export interface Settled {
  readonly answer: Answer;
  readonly by: string;
}

/**
 * An asker. Resolves with an answer, or with `undefined` when this asker has none (another may). The signal fires when
 * somebody else answered, the call was cancelled or the timeout expired.
 */
export type Asker = (request: ApprovalRequest, signal: AbortSignal) => Promise<Answer | undefined>;

/** A decision together with its request, for hosts that keep their own queue. */
export interface PendingApproval {
  readonly request: ApprovalRequest;
  readonly decision: Decision;
}
