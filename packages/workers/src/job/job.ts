import { hash } from "node:crypto";
import type { AgentRef, CallRef, Effect, FileContents, SeenFile } from "@haft/core/tool";

/** The version of what hosts and workers say to each other. A worker refuses calls of a newer one. */
export const CONTRACT = 1;

/** The treatment of a call whose worker was lost during the call. It follows from the call's effects. */
export type Retry =
  /** It only reads: it runs again. */
  | "read"
  /** Its changes are journaled: they are undone, then it runs again. */
  | "view"
  /** It runs at most once. */
  | "once";

/** A call as a worker gets it, always signed. */
export interface Job {
  readonly contract: number;
  /** The id of this attempt, which is also its id in the queue. A worker starts it once. */
  readonly id: string;
  readonly attempt: number;
  readonly retry: Retry;
  /** The channel for answers. */
  readonly reply: string;
  readonly tenant: string;
  readonly session: string;
  readonly messageId?: string;
  readonly call: CallRef;
  readonly agent: AgentRef;
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string;
  /** The granted effects: the worker does nothing beyond them. */
  readonly effects: readonly Effect[];
  /** The digest of the caller's rules, which the worker applies too. */
  readonly policy: string;
  /** The digest of tool, arguments, folder and policy. */
  readonly digest: string;
  readonly seen: readonly (readonly [path: string, seen: SeenFile])[];
  readonly approvedBy?: string;
  readonly contents?: FileContents;
  /** By the clock of Redis, in milliseconds: differences between the clocks of machines do not matter. */
  readonly issuedAt: number;
  /** Not started by then, it never starts. */
  readonly expiresAt: number;
  /** Tickets in the shared locks. The worker keeps them alive while the call runs, even if the host is gone. */
  readonly tickets: readonly string[];
}

/** SHA-256 of a JSON value, hex. */
export const digestOf = (value: unknown): string => hash("sha256", JSON.stringify(value) ?? "");

/** The digest that ties a job to its arguments and to the rules it was decided by. */
export const argumentsDigest = ({ tool, input, cwd, policy }: Pick<Job, "tool" | "input" | "cwd" | "policy">): string =>
  digestOf([tool, input, cwd, policy]);
