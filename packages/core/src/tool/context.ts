import type { Schema } from "../schema/index.ts";
import type { Caller } from "./caller.ts";
import type { Content } from "./content.ts";
import type { Display } from "./display.ts";
import type { Effect } from "./effect.ts";
import type { AgentColor, AgentType } from "./port/agents.ts";
import type { Form } from "./port/form.ts";
import type { Location, PortName, Ports } from "./port/ports.ts";
import type { Result } from "./result.ts";

/** The agent that makes a call: the main agent, or a subagent with its place in the tree. */
export interface AgentRef {
  readonly id: string;
  readonly name?: string;
  readonly parent?: string;
  /** Names from the main agent down to this one, for people. */
  readonly path?: readonly string[];
  /** `provider/name` of its model, if it differs from the main agent's. */
  readonly model?: string;
  /** The id of the call that started it. */
  readonly call?: string;
  /** The colour of its name. */
  readonly color?: AgentColor;
}

/** The conversation a call belongs to. */
export interface SessionRef {
  readonly id: string;
  /** The message of the model that made the call. Always there while a call runs. */
  readonly messageId?: string;
}

/** The terminal settings that programs get. */
export interface TerminalRef {
  readonly columns?: number;
  readonly rows?: number;
  /** The pager for long texts. */
  readonly pager?: string;
  readonly color?: boolean;
}

/** Which call this is. `turn` counts the model's messages from 1. */
export interface CallRef {
  readonly id: string;
  readonly tool: string;
  readonly batch: string;
  readonly turn: number;
}

/** Progress of a running call. Each field merges into what is already known. */
export interface Progress {
  /** A live title: "Searching src/", "Found 12 files". */
  readonly title?: string;
  /** Live facts; keys merge. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** A piece of output to append to the shown output. */
  readonly output?: string;
  /** A display value that replaces the live one. */
  readonly display?: Display;
}

/** A question that a tool asks while it runs. */
export interface Question {
  readonly title: string;
  /** The content to show: text, a diff, a command. */
  readonly show: Display;
  /** The input that is shown, if an earlier answer has changed the call's own. */
  readonly input?: unknown;
  /** The next effects of the tool, so that a grant can be remembered for them. */
  readonly effects?: readonly Effect[];
  /** The reason for the question, as whole sentences. Default: that the tool asks while it runs. */
  readonly why?: string;
  /** A form to fill in: the answer returns it as its `input`. Only a person can fill it in, so no rule and no hook answers. */
  readonly form?: Form;
}

/**
 * Context for the questions to a tool about one call (`effects`, `validate`, `object`, `observe`, `preview`). They
 * change nothing.
 */
export interface EffectContext {
  /** Absolute real path of the session's working directory. */
  readonly cwd: string;
  /** The user's home folder. */
  readonly home: string;
  /** Resolves the real location of a name, without opening anything. */
  locate(path: string): Promise<Location>;
  /**
   * Whether a call of this tool with this effect alone would be refused. A tool that can skip one of several things
   * then leaves it out of its effects: the call is about the others.
   */
  forbids(effect: Effect): boolean;
  /**
   * The ports, read-only. For `preview` they read what the call may read. For all others they resolve locations and
   * tell what the model has seen. They open nothing but the configuration of a git repository.
   */
  readonly ports: Ports;
}

/** The second argument of `run`. */
export interface CallContext {
  readonly call: CallRef;
  readonly agent: AgentRef;
  readonly session: SessionRef;
  readonly cwd: string;
  readonly home: string;
  /** The terminal settings for programs of this session, if any are set. */
  readonly terminal?: TerminalRef;
  /** The effects that were decided on: an upper bound for this call. */
  readonly effects: readonly Effect[];
  /** Fires when the user or the host cancels, or at the tool's timeout. */
  readonly signal: AbortSignal;
  /** Reports progress to people. Ignored after the call has ended. */
  progress(update: Progress): void;
  /** The ports, bound to this call's granted effects. */
  readonly ports: Ports;
  /** A further approval or a question. Waits without consuming the call's time. A "no" throws `denied_by_user`. */
  ask(question: Question): Promise<Answered>;
  /**
   * A nested call through the whole pipeline; it inherits the locks of its root call. `onStart` is called right before the
   * tool itself runs, so after all questions, and told whether the call only reads.
   */
  invoke(tool: string, input: unknown, onStart?: (onlyReads: boolean) => void): Promise<Result>;
  /** The program that asked for the call, if it can be asked questions. */
  readonly caller?: Caller;
}

/** A person's yes, with their words. A no never returns: it throws. */
export interface Answered {
  readonly input?: unknown;
  /** The person wants to see the changed input before it counts. */
  readonly review?: boolean;
  readonly message?: string;
}

/** Context for building the tool list of one model request. */
export interface OfferContext {
  readonly cwd: string;
  readonly agent: AgentRef;
  readonly platform: string;
  /** The ports that this host has. */
  readonly ports: ReadonlySet<PortName | string>;
  /** Why ports are missing, where the host knows it. */
  readonly missing?: { readonly [Port in PortName]?: string };
  /** Names of the other tools in the offer. */
  readonly tools: ReadonlySet<string>;
  /** The inputs of all tools in the offer, for a tool whose text describes them. */
  inputs?(): readonly { readonly name: string; readonly input: Schema }[];
  readonly mode: string;
  /**
   * Names of the deferred tools, including those that are already loaded. Only their names are offered until they are
   * loaded. Stable order.
   */
  readonly deferred?: readonly string[];
  /** The kinds of agents that this agent can start. */
  readonly agents?: readonly Pick<AgentType, "name" | "description">[];
  /** The entries of the memory at the start of the session, as a section of the system prompt. */
  readonly memory?: string;
  /** Sources that are still connecting, so their tools may come later. */
  readonly connecting?: readonly string[];
}

/** Why a tool is not offered, in words for a person. */
export interface Absent {
  readonly absent: string;
  /** The error code of a call to it. Default `tool_unavailable`; a rule that forbids the tool says `denied_by_rule`. */
  readonly code?: "tool_unavailable" | "denied_by_rule";
}

/** The values that a tool may yield or return as content. */
export type Contents = string | Content | readonly Content[];
