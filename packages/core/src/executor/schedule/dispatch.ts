import type { Grant } from "../../policy/index.ts";
import type {
  AgentRef,
  Answered,
  CallRef,
  Effect,
  FileContents,
  FileView,
  Progress,
  Question,
  Result,
  SeenFile,
  SessionRef,
  Tool,
  Traits,
} from "../../tool/index.ts";
import type { ApprovalNote } from "../call.ts";
import type { Claim } from "./claim.ts";
import type { Ticket } from "./locks.ts";

/** A call that was decided, approved where needed, and admitted. It has not started. */
export interface DispatchedCall {
  readonly call: CallRef;
  readonly agent: AgentRef;
  readonly session: SessionRef;
  readonly tool: Tool;
  /** Whether the tool is one of Haft's own, so that another machine has it too. */
  readonly isBuiltin: boolean;
  /** The arguments as JSON data, after changes by hooks and people. */
  readonly input: unknown;
  readonly cwd: string;
  readonly effects: readonly Effect[];
  readonly grant: Grant;
  readonly traits: Traits;
  readonly approval?: ApprovalNote;
  /** Contents of the files that its commands run, if the decision depends on them. */
  readonly contents?: FileContents;
  /** Its place in the locks. */
  readonly ticket: Ticket<Claim>;
  /** None of its changes becomes real. */
  readonly isDryRun: boolean;
  /** The model's knowledge of files, by real path. */
  seen(): Iterable<readonly [path: string, seen: SeenFile]>;
}

/** Tells which call it is: the same one has the same session, agent, id and arguments. */
export interface SentCall extends Pick<DispatchedCall, "call" | "agent" | "input" | "cwd"> {
  readonly tool: string;
}

/** The way back from a dispatched call to its caller. */
export interface DispatchContext {
  /** Fires when the call is cancelled. */
  readonly signal: AbortSignal;
  progress(update: Progress): void;
  /** Uses up the approvals of the call. To await right before it can start; it must not if this fails. */
  starting(): Promise<void>;
  /** Asks the rules, then a person, on the side of the caller. A "no" throws. */
  ask(question: Question): Promise<Answered>;
}

/** The end of a dispatched call. */
export interface DispatchedResult {
  readonly result: Result;
  /** The file contents that the result shows. */
  readonly shown: readonly (FileView & { readonly path: string })[];
}

/** Runs decided calls on other machines. Decisions, questions, budgets and records stay with the caller. */
export interface Dispatcher {
  /** Returns a function that runs the call elsewhere, or `undefined`: it runs here. */
  place(call: DispatchedCall): ((context: DispatchContext) => Promise<DispatchedResult>) | undefined;
  /** The result of a call that an earlier process of the session has sent, once it is there; `undefined`: it has sent none. */
  earlier?(call: SentCall, context: DispatchContext): Promise<DispatchedResult | undefined> | undefined;
}
