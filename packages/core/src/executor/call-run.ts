import type { Decision, PolicyTool } from "../policy/index.ts";
import { type Entry, policyToolOf as registeredTool } from "../registry/index.ts";
import type {
  CallRef,
  Description,
  Effect,
  EffectContext,
  FileContents,
  Progress,
  Result,
  RunEffect,
  ToolError,
  Traits,
} from "../tool/index.ts";
import { failure } from "../tool/index.ts";
import type { ApprovalNote, CallOutcome, CallRequest } from "./call.ts";
import type { Shown } from "./execution/bound-ports.ts";
import type { Machine } from "./machine.ts";
import type { Claim } from "./schedule/claim.ts";
import type { HeldSlot } from "./schedule/held-slot.ts";
import type { Locks, Ticket } from "./schedule/locks.ts";
import type { Slots } from "./schedule/slots.ts";
import type { Underway } from "./schedule/underway.ts";

/**
 * A call in the pipeline. Each stage adds its findings: `FoundRun`, `AnalysedRun`, `DecidedRun` and `EndedRun` are the
 * same call after more and more stages.
 */
export interface CallRun {
  readonly machine: Machine;
  readonly services: Services;
  readonly request: CallRequest;
  readonly call: CallRef;
  /** The name that the model called the tool by, if a dialect translated the call. */
  readonly spoken?: string;
  readonly batch: Batch;
  readonly ticket: Ticket<Claim>;
  readonly parent?: CallRun;
  readonly controller: AbortController;
  readonly signal: AbortSignal;
  readonly startedAt: number;
  /** Number of results when the call was made. Its maker could not know later ones. */
  readonly known: number;
  /** Number of nested calls that it has made. */
  nested: number;

  /** The original input, or the one from a hook or an approver that replaced it. */
  raw: unknown;
  entry?: Entry;
  /** The parsed input. */
  input: unknown;
  /** The input with derived fields, for hooks, interfaces and the log. */
  observed: Readonly<Record<string, unknown>>;
  effects: readonly Effect[];
  traits?: Traits;
  /** The tool must run alone, whatever its effects. */
  alone?: boolean;
  /** Whether it may run beside others, as first reported to the batch. A call that never got that far blocks nobody. */
  safe?: boolean;
  /** Fingerprint of what the effects of its commands rely on. */
  fingerprint?: Fingerprint;
  decision?: Decision;
  /** A hook's request for a person's decision, or its approval. */
  hookSays?: { readonly decision: "allow" | "ask"; readonly by: string; readonly reason: string } | undefined;
  approval?: ApprovalNote;
  /** Ids of the questions whose yes is used up when the call starts. */
  yeses?: string[];
  /** An approval that came with a changed input, and what was approved. */
  agreed?: Agreed;
  rewrittenBy?: string;
  rewrites: number;
  /** Programs that have replaced the input since a person last saw it. Each may do so once. */
  readonly rewriters: Set<string>;
  /** Text that hooks add to the result for the model. */
  readonly context: string[];
  /** Called right before the tool itself starts. */
  onStart?: ((onlyReads: boolean) => void) | undefined;
  /** Whether the tool itself has started. After that, a refusal of another call does not stop this one. */
  running: boolean;
  /** Its slot among the running calls. A nested call runs in the slot of its root. */
  slot?: HeldSlot;
  /** The key that recognizes this call when it is repeated. */
  same?: { readonly input: unknown; readonly key: string };
  /** When the tool itself started, in milliseconds since the epoch. */
  ranAt?: number;
  /** How long it ran, in milliseconds. */
  ranMs?: number;
  /** The reason to end the turn after this call, if any. */
  stop?: string;
  /** The file contents that its result shows. */
  readonly shown: Shown[];
  /** Live title, facts and display, as far as the tool has reported them. */
  live: Progress;
  result?: Result;
  /** The outcome that was reported at its end. */
  outcome?: CallOutcome;
}

/** A call whose tool is known. */
export interface FoundRun extends CallRun {
  entry: Entry;
}

/** A call whose effects are known. */
export interface AnalysedRun extends FoundRun {
  traits: Traits;
}

/** A call about which a decision was made. */
export interface DecidedRun extends AnalysedRun {
  decision: Decision;
}

/** A call that has its result, however far it got. */
export interface EndedRun extends CallRun {
  result: Result;
}

/** An approval with a changed input. It holds for that input as long as the call does nothing that was not shown. */
export interface Agreed {
  readonly effects: readonly Effect[];
  readonly decision: Decision;
  readonly contents: FileContents | undefined;
  readonly approval: ApprovalNote;
  /** Number of such answers that the call has had. */
  readonly answers: number;
  /** The person wants to review the call with it before it runs. */
  readonly isReviewed: boolean;
}

/** The facts that a decision about commands relies on, in addition to their text. Compared when the commands start. */
export interface Fingerprint {
  /** Folders and programs at the time of the decision. */
  readonly places: readonly { readonly effect: RunEffect; readonly identity: string }[];
  readonly generation: number | string;
  /** Contents of the files that the commands run, when a person was asked, or a rule or a hook allowed them. */
  readonly contents?: FileContents;
}

/** The calls of one model message, and their shared state. */
export interface Batch {
  readonly id: string;
  readonly turn: number;
  /** The model message that made the calls. */
  readonly messageId: string;
  readonly callRuns: CallRun[];
  readonly outcomes: Promise<CallOutcome>[];
  /** Cancels every call of the batch. */
  readonly signal?: AbortSignal;
  /** No change by the calls of this batch becomes real. */
  readonly dryRun: boolean;
  /** Characters of results that the model has got from this batch so far. */
  spent: number;
  /** Base64 characters of pictures and other media that the model has got from this batch so far. */
  media: number;
  /** Set when a person denied the whole batch: calls that have not started end with this reason. */
  stopped?: string;
  /** Calls that are waiting for a person. */
  asking?: Set<CallRun>;
  /** Called after each answer from a person. */
  answered?: Set<() => void>;
  /** Resolves when every call is known and has reported its effects. The value says whether all of them are safe. */
  complete(): Promise<boolean>;
  /** Reports that a call now has its effects, or will never have any. */
  settle(callRun: CallRun, safe: boolean): void;
  /** Reports that one more call has its result. */
  landed(): void;
  close(): void;
}

/** State shared by all calls of one executor. */
export interface Services {
  /** Calls that have not ended yet. */
  readonly underway: Underway<CallRun>;
  /** Why no call runs any more, if closed. */
  over?: Error;
  readonly locks: Locks<Claim>;
  readonly slots: Slots;
  /** Runs a nested call below `parent`. */
  invoke(parent: CallRun, tool: string, input: unknown, onStart?: CallRun["onStart"]): Promise<Result>;
}

/** A stage's verdict: nothing (go on), a result (the call is over), or a new input (start again at *parse*). */
export type Verdict = { readonly result: Result } | { readonly rewrite: unknown; readonly by: string } | undefined;

/** A value if no wait is needed, otherwise a promise: an unnecessary await costs more than most stages do. */
export type Pending<T> = T | Promise<T>;

/** A verdict, or the same call, which then has what the next stages need. */
// biome-ignore lint/suspicious/noConfusingVoidType: a stage that has nothing to say just ends
export type StageEnd<Out> = Verdict | Out | void;

/** One stage: what it needs to know of a call, and what is known after it if it finds out more. */
export type Stage<In extends CallRun = CallRun, Out extends In = never> = (callRun: In) => Pending<StageEnd<Out>>;

/** The verdict of a stage. One that returns the call has nothing else to say. */
export const verdictOf = (end: StageEnd<CallRun>): Verdict => (!end || "machine" in end ? undefined : end);

/** The verdict that ends a call with an error. */
export const refuse = (error: ToolError): Verdict => ({ result: failure(error) });

/** The context for `effects`, `validate`, `describe` and `preview`. */
export function effectContext(callRun: FoundRun, ports: EffectContext["ports"]): EffectContext {
  const { machine } = callRun;
  return {
    cwd: machine.cwd(),
    home: machine.home,
    locate: (path) => ports.files.locate(path),
    forbids: (effect) => {
      const situation = { tool: policyToolOf(callRun), input: callRun.input, effects: [effect] };
      return machine.policy().decide(situation).decision === "deny";
    },
    ports,
  };
}

/** The call's tool as rules and hooks see it. */
export function policyToolOf({ entry, machine }: FoundRun): PolicyTool {
  const tool = registeredTool(entry);
  const autoExecute = machine.autoExecute?.(tool.name);
  return autoExecute === undefined ? tool : { ...tool, autoExecute };
}

/** Whether none of this call's changes becomes real, because of its batch or its input. */
export const isDryRun = ({ batch, entry, input }: CallRun): boolean =>
  batch.dryRun || (input !== undefined && entry?.tool.isDryRun?.(input) === true);

/** Whether a dry run is decided as one. Without a journal its commands are refused when they start. */
export const isHarmlessDryRun = (callRun: CallRun): boolean =>
  isDryRun(callRun) && callRun.machine.ports.processes.fencesHeld === true;

/** The call's title for people: the live title, else the label. */
export const titleOf = (callRun: CallRun): string => callRun.live.title ?? labelOf(callRun);

/** The call's label: the tool's text for this input, else its title, else its name. */
export const labelOf = (callRun: CallRun): string =>
  describeSafely(callRun)?.title ?? callRun.entry?.tool.title ?? callRun.call.tool;

/** A tool's texts about its input; `undefined` if the tool throws on an incomplete input. */
export function describeSafely(callRun: CallRun): Description | undefined {
  const { entry, input, raw, machine } = callRun;
  const told = (input ?? raw ?? {}) as object;
  try {
    return entry?.tool.describe?.(machine.shown?.(told) ?? told);
  } catch {
    return undefined;
  }
}
