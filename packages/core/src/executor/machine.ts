import type { Answer, ApprovalRequest, Broker, Remembered } from "../approval/index.ts";
import type { Spill } from "../budget/index.ts";
import type { Hook } from "../hook/index.ts";
import type { Decision, Situation } from "../policy/index.ts";
import type { Availability, Deferral, Registry } from "../registry/index.ts";
import type { AgentRef, OfferContext, Ports, SeenFile, SessionRef, TerminalRef, ToolError } from "../tool/index.ts";
import type { CallOutcome } from "./call.ts";
import type { CallEventType, Listener } from "./event.ts";
import type { Journal } from "./journal.ts";
import type { LoopGuard } from "./loop-guard.ts";

/** How calls of one turn are ordered. */
export type Concurrency =
  /** Calls whose effects do not conflict overlap; those that conflict keep the model's order. */
  | "effects"
  /** Consecutive safe calls run together, each unsafe call alone. */
  | "partition"
  /** One unsafe call makes the whole turn serial, and nothing starts before the turn is complete. */
  | "strict";

/** What the executor needs of a policy. */
export interface Judge {
  readonly mode: string;
  /** Changes whenever a decision could change. */
  readonly generation: number | string;
  decide(situation: Situation): Decision;
}

/** Where ended calls are written down. Called once a call, in the order in which they end. */
export interface Recorder {
  /** A call's result goes out when it is written; a failure is said in the result. */
  record(outcome: CallOutcome): void | Promise<void>;
}

/** Which files hold a stranger's words, and whose. A host that keeps it between sessions knows it in later ones. */
export interface Origins {
  /** Whose words a file holds, or with `tree` the files below a folder. */
  of(path: string, tree: boolean): readonly string[];
  /** With `tree` everything below a folder, too. */
  note(path: string, sources: readonly string[], tree: boolean): void;
  forget(path: string): void;
}

/** Everything around a call that is not the call: the host puts it together once. */
export interface Machine {
  readonly registry: Registry;
  readonly available: Availability;
  /** Why a tool that nobody registered is not there, where that is known: the server that would bring it has failed. */
  whyMissing?(tool: string): ToolError | undefined;
  /** Takes one call out of the agent's budget; an error: it has none left, and the call does not run. */
  afford?(): ToolError | undefined;
  /** Asked for every decision, so that changed settings count at once. */
  policy(): Judge;
  /** What a person has set for a tool, over what the tool says of itself: whether its read-only calls run unasked. */
  autoExecute?(tool: string): boolean | undefined;
  /** Who is asked when a call needs a yes. Without it an ask is a denial. */
  readonly approvals?: Pick<Broker, "ask">;
  /** Makes what a person chose to remember part of the policy. */
  remember?(request: ApprovalRequest, answer: Answer): Promise<Remembered>;
  readonly hooks?: readonly Hook[];
  /** The host's ports, not bound to any call. */
  readonly ports: Ports;
  readonly agent: AgentRef;
  readonly session: SessionRef;
  /** Absolute real path of the current folder. */
  cwd(): string;
  readonly home: string;
  /** The terminal that programs of this session find, for tools that start some. */
  readonly terminal?: TerminalRef;
  /** What a tool's `when` may know, apart from the list of tools. */
  offerContext(): Omit<OfferContext, "tools">;
  /** Leaves definitions out of the offer until they are wanted. Without it nothing is deferred. */
  readonly deferral?: Deferral;
  readonly spill?: Spill;
  readonly recorder?: Recorder;
  /** Keeps what is changed, for undo. Without it nothing is kept. */
  readonly journal?: Journal;
  readonly listener?: Listener;
  /** Whether the listener wants events of this type now. Without it, all of them. */
  hears?(type: CallEventType): boolean;
  readonly concurrency?: Concurrency;
  /** Most calls that run at the same time. Default 10. */
  readonly maxConcurrent?: number;
  /** What a person has set for a tool, over its own limit: characters of its results. */
  resultCharsOf?(tool: string): number | undefined;
  /** Characters of a result, for tools that do not say. Default 100,000. */
  readonly resultChars?: number;
  /** Characters of all results of a batch together. Default 200,000. */
  readonly batchChars?: number;
  /** Which files hold a stranger's words. Without it labels do not outlive a call. */
  readonly origins?: Origins;
  /** Notices calls that only repeat themselves. Default: one of the agent's own; `false`: none. */
  readonly loopGuard?: LoopGuard | false;
  /** What the model of this session knows of files, by real path. Shared with the agents below. */
  readonly seen?: Map<string, SeenFile>;
}
