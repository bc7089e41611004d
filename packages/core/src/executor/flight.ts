import type { Decision, PolicyTool } from "../policy/index.ts";
import type { Entry } from "../registry/index.ts";
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

/** A call on its way through the pipeline. Stages read it, and each adds what it has found out. */
export interface Flight {
  readonly machine: Machine;
  readonly services: Services;
  readonly request: CallRequest;
  readonly call: CallRef;
  readonly batch: Batch;
  readonly ticket: Ticket<Claim>;
  readonly parent?: Flight;
  readonly controller: AbortController;
  readonly signal: AbortSignal;
  readonly startedAt: number;
  /** How many results there were when it was made; what comes later its maker could not know. */
  readonly known: number;
  /** How many calls it has made in turn. */
  nested: number;

  /** The input as it came, or as a hook or an approver replaced it. */
  raw: unknown;
  entry?: Entry;
  /** The parsed input. */
  input: unknown;
  /** The input with derived fields, for hooks, faces and the log. */
  observed: Readonly<Record<string, unknown>>;
  effects: readonly Effect[];
  traits?: Traits;
  /** The tool wants nothing to run beside it, whatever its effects. */
  alone?: boolean;
  /** Whether it may run beside others, as the batch was first told; a call that never got that far hinders nobody. */
  safe?: boolean;
  /** What the effects of its commands rest on. */
  seal?: Seal;
  decision?: Decision;
  /** A hook's wish to have a person look, or its yes. */
  hookSays?: { readonly decision: "allow" | "ask"; readonly by: string; readonly reason: string } | undefined;
  approval?: ApprovalNote;
  /** The yes that came with another input, and to what it was given. */
  agreed?: Agreed;
  rewrittenBy?: string;
  rewrites: number;
  /** Programs that have replaced the input since a person last saw it: each does so once. */
  readonly rewriters: Set<string>;
  /** What hooks add to the result for the model. */
  readonly context: string[];
  /** Whether the tool itself has started. From then on a refusal of another call does not stop this one. */
  running: boolean;
  /** Its place among the running calls. A nested call runs in that of its root. */
  slot?: HeldSlot;
  /** By what this call is known again when it comes once more. */
  same?: { readonly input: unknown; readonly key: string };
  /** When the tool itself started, in milliseconds since the epoch. */
  ranAt?: number;
  /** How long it ran. */
  ranMs?: number;
  /** Set when the turn should end after this call, with the reason. */
  stop?: string;
  /** What its result shows of files. */
  readonly shown: Shown[];
  /** Live title, facts and display, as far as the tool has told. */
  live: Progress;
  result?: Result;
  /** What its end was told as. */
  outcome?: CallOutcome;
}

/** A yes with an input of its own: it holds for that input as far as this does nothing that was not shown. */
export interface Agreed {
  readonly effects: readonly Effect[];
  readonly decision: Decision;
  readonly contents: FileContents | undefined;
  readonly approval: ApprovalNote;
  /** How many such answers the call has had. */
  readonly answers: number;
  /** The person wants to see the call with it before it runs. */
  readonly isReviewed: boolean;
}

/** What a decision about commands rests on besides their text: it is compared when they are started. */
export interface Seal {
  /** Folders and programs, as they were. */
  readonly places: readonly { readonly effect: RunEffect; readonly identity: string }[];
  readonly generation: number | string;
  /** What the commands were to run from files when a person was asked, or a rule or a hook allowed them. */
  readonly contents?: FileContents;
}

/** The calls of one model message, and what they have in common. */
export interface Batch {
  readonly id: string;
  readonly turn: number;
  /** The message of the model that made the calls. */
  readonly messageId: string;
  readonly flights: Flight[];
  readonly outcomes: Promise<CallOutcome>[];
  /** Cancels every call of the batch. */
  readonly signal?: AbortSignal;
  /** Nothing that the calls of this batch would change becomes real. */
  readonly dryRun: boolean;
  /** Characters of results that the model gets from this batch so far. */
  spent: number;
  /** Base64 characters of pictures and the like that the model gets from this batch so far. */
  media: number;
  /** Set when a person said no to the whole: calls that have not started end with this reason. */
  stopped?: string;
  /** Calls that wait for a person right now. */
  asking?: Set<Flight>;
  /** Called whenever a person has answered. */
  answered?: Set<() => void>;
  /** Resolves when every call is known and has told its effects, with whether all of them are safe. */
  complete(): Promise<boolean>;
  /** Tells that a call now has its effects, or will never have any. */
  settle(flight: Flight, safe: boolean): void;
  /** Tells that one more call has its result. */
  landed(): void;
  close(): void;
}

/** What all flights of one executor share. */
export interface Services {
  /** Calls that have not ended yet. */
  readonly underway: Underway<Flight>;
  /** Why no call runs any more. */
  over?: Error;
  readonly locks: Locks<Claim>;
  readonly slots: Slots;
  /** Runs a nested call below `parent`. */
  invoke(parent: Flight, tool: string, input: unknown): Promise<Result>;
}

/** What a stage may say: nothing (go on), a result (the call is over), or a new input (start again at *parse*). */
export type Verdict = { readonly result: Result } | { readonly rewrite: unknown; readonly by: string } | undefined;

/** Now where nothing has to be waited for, else a promise of it: waiting for nothing costs more than most stages do. */
export type Pending<T> = T | Promise<T>;

// biome-ignore lint/suspicious/noConfusingVoidType: a stage that has nothing to say just ends
export type Stage = (flight: Flight) => Pending<Verdict | void>;

/** The verdict that ends a call with an error. */
export const refuse = (error: ToolError): Verdict => ({ result: failure(error) });

/** What `effects`, `validate`, `describe` and `preview` may look at. */
export function effectContext(flight: Flight, ports: EffectContext["ports"]): EffectContext {
  const { machine } = flight;
  return {
    cwd: machine.cwd(),
    home: machine.home,
    locate: (path) => ports.files.locate(path),
    forbids: (effect) => {
      const situation = { tool: policyToolOf(flight), input: flight.input, effects: [effect] };
      return machine.policy().decide(situation).decision === "deny";
    },
    ports,
  };
}

/** The call's tool as rules and hooks know it. */
export function policyToolOf(flight: Flight): PolicyTool {
  const { tool, source } = flight.entry!;
  const autoExecute = flight.machine.autoExecute?.(tool.name) ?? tool.autoExecute;
  return {
    name: tool.name,
    origin: source.origin,
    ...(tool.aliases ? { aliases: tool.aliases } : {}),
    ...(autoExecute === undefined ? {} : { autoExecute }),
    ...(source.origin === "mcp" ? { server: source.name } : {}),
  };
}

/** Whether nothing that this call would change becomes real: by its batch, or by its input. */
export const isDryRun = ({ batch, entry, input }: Flight): boolean =>
  batch.dryRun || (input !== undefined && entry?.tool.isDryRun?.(input) === true);

/** Whether a dry run is decided as one. Without a journal its commands are refused when they are to start. */
export const isHarmlessDryRun = (flight: Flight): boolean =>
  isDryRun(flight) && flight.machine.ports.processes.fencesHeld === true;

/** The call's title for people: live, else its label. */
export const titleOf = (flight: Flight): string => flight.live.title ?? labelOf(flight);

/** What the call is: the tool's words for this input, else its title, else its name. */
export const labelOf = (flight: Flight): string =>
  describeSafely(flight)?.title ?? flight.entry?.tool.title ?? flight.call.tool;

/** A tool's texts about its input; a tool that stumbles over half an input says nothing. */
export function describeSafely(flight: Flight): Description | undefined {
  try {
    return flight.entry?.tool.describe?.((flight.input ?? flight.raw ?? {}) as object);
  } catch {
    return undefined;
  }
}
