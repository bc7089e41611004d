import type { Answer, ApprovalRequest, Broker, Remembered } from "../approval/index.ts";
import type { Spill } from "../budget/index.ts";
import type { Dialect } from "../dialect/index.ts";
import type { Hook } from "../hook/index.ts";
import type { Decision, Situation } from "../policy/index.ts";
import type { Availability, Deferral, Registry } from "../registry/index.ts";
import type { AgentRef, OfferContext, Ports, SeenFile, SessionRef, TerminalRef, ToolError } from "../tool/index.ts";
import type { CallOutcome } from "./call.ts";
import type { CallEventType, Listener } from "./event.ts";
import type { Journal } from "./journal.ts";
import type { LoopGuard } from "./loop-guard.ts";
import type { Claim, Concurrency } from "./schedule/claim.ts";
import type { Dispatcher } from "./schedule/dispatch.ts";
import type { Locks } from "./schedule/locks.ts";
import type { Slots } from "./schedule/slots.ts";

/** The parts of a policy that the executor needs. */
export interface Judge {
  readonly mode: string;
  /** Changes whenever a decision could change. */
  readonly generation: number | string;
  decide(situation: Situation): Decision;
}

/** Records ended calls. Called once a call, in the order in which they end. */
export interface Recorder {
  /** Called before each call. An error is its result, and it does not run: nothing runs that cannot be recorded. */
  ready?(): ToolError | undefined | Promise<ToolError | undefined>;
  /** The call's result is returned after this settles; the result mentions a failure. */
  record(outcome: CallOutcome): void | Promise<void>;
}

/** Which files contain a stranger's words, and whose. A host that stores this between sessions keeps it for later ones. */
export interface Origins {
  /** The sources of a file's words, or with `tree` of the files below a folder. */
  of(path: string, tree: boolean): readonly string[];
  /** With `tree` also everything below a folder. */
  note(path: string, sources: readonly string[], tree: boolean): void;
  forget(path: string): void;
}

/** Reads one text in pieces. Each method returns the text that is ready. */
export interface Pieces {
  next(piece: string): string;
  /** Returns the rest. */
  end(): string;
}

/** Everything around a call. The host assembles it once. */
export interface Machine {
  readonly registry: Registry;
  readonly available: Availability;
  /** The names that the model calls tools by. Without it, Haft's own. */
  dialect?(): Dialect | undefined;
  /** Why an unregistered tool is missing, if known: for example, the server that would offer it has failed. */
  whyMissing?(tool: string): ToolError | undefined;
  /** Takes one call out of the agent's budget. Returns an error if the budget is used up; the call then does not run. */
  afford?(): ToolError | undefined;
  /** Called for every decision, so that changed settings apply at once. */
  policy(): Judge;
  /** A person's setting for a tool, over the tool's own: whether its read-only calls run without asking. */
  autoExecute?(tool: string): boolean | undefined;
  /** Asks a person when a call needs approval. Without it an ask is a denial. */
  readonly approvals?: Pick<Broker, "ask"> & Partial<Pick<Broker, "useUp" | "reconsider">>;
  /** Adds what a person chose to remember to the policy. */
  remember?(request: ApprovalRequest, answer: Answer): Promise<Remembered>;
  readonly hooks?: readonly Hook[];
  /** The host's ports, not bound to any call. */
  readonly ports: Ports;
  readonly agent: AgentRef;
  readonly session: SessionRef;
  /** Absolute real path of the current folder. */
  cwd(): string;
  readonly home: string;
  /**
   * The folder of an agent that works apart from others. A command that nobody can read does not conflict with calls in
   * other folders.
   */
  readonly apart?: string;
  /** The terminal of this session's programs, for tools that start some. */
  readonly terminal?: TerminalRef;
  /** The facts that a tool's `when` may read, apart from the list of tools. */
  offerContext(): Omit<OfferContext, "tools">;
  /** Leaves definitions out of the offer until they are needed. Without it nothing is deferred. */
  readonly deferral?: Deferral;
  readonly spill?: Spill;
  readonly recorder?: Recorder;
  /** Records changes, for undo. Without it nothing is recorded. */
  readonly journal?: Journal;
  readonly listener?: Listener;
  /** Puts a value of an event in the terms of people: paths in an agent's copy become those of the workspace. */
  shown?<T>(value: T): T;
  /** Does the same to one text that arrives in pieces. */
  shownPieces?(): Pieces;
  /** The same for one text that arrives in pieces. */
  shownPieces?(): Pieces;
  /** Whether the listener currently wants events of this type. Without it, all of them. */
  hears?(type: CallEventType): boolean;
  readonly concurrency?: Concurrency;
  /** Maximum number of concurrent calls. Default 10. */
  readonly maxConcurrent?: number;
  /** A person's setting for a tool, over its own limit: characters of its results. */
  resultCharsOf?(tool: string): number | undefined;
  /** Characters of a result, for tools without a limit of their own. Default 100,000. */
  readonly resultChars?: number;
  /** Characters of all results of a batch together. Default 200,000. */
  readonly batchChars?: number;
  /** Which files contain a stranger's words. Without it labels do not outlive a call. */
  readonly origins?: Origins;
  /** Detects repeated calls. Default: one for this agent; `false`: none. */
  readonly loopGuard?: LoopGuard | false;
  /** The model's knowledge of files in this session, by real path. Shared with its subagents. */
  readonly seen?: Map<string, SeenFile>;
  /** Runs calls on other machines. Without it, all run here. */
  readonly dispatcher?: Dispatcher;
  /** Extends the order of conflicting calls to other hosts. Default: only the calls of this process are ordered. */
  shareLocks?(own: Locks<Claim>): Locks<Claim>;
  /** Extends the limit of concurrent calls. Default: only the calls of this process count. */
  shareSlots?(own: Slots): Slots;
}
