import type { Caller } from "./caller.ts";
import type { Content } from "./content.ts";
import type { Display } from "./display.ts";
import type { Effect } from "./effect.ts";
import type { AgentType } from "./port/agents.ts";
import type { Form } from "./port/form.ts";
import type { Location, PortName, Ports } from "./port/ports.ts";
import type { Result } from "./result.ts";

/** Who makes a call: the main agent, or a subagent with its place below it. */
export interface AgentRef {
  readonly id: string;
  readonly name?: string;
  readonly parent?: string;
  /** Names from the main agent down to this one, for people. */
  readonly path?: readonly string[];
  /** `provider/name` of its model, where it is not the main agent's. */
  readonly model?: string;
}

/** The conversation a call belongs to. */
export interface SessionRef {
  readonly id: string;
  /** The message of the model that made the call. Always there while a call runs. */
  readonly messageId?: string;
}

/** The terminal that programs are told of. */
export interface TerminalRef {
  readonly columns?: number;
  readonly rows?: number;
  /** The program that shows long texts. */
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

/** News of a running call. Each field merges into what is already known. */
export interface Progress {
  /** A live title: "Searching src/", "Found 12 files". */
  readonly title?: string;
  /** Live facts; keys merge. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** A piece of output, to be appended to what was shown. */
  readonly output?: string;
  /** A display value that replaces the live one. */
  readonly display?: Display;
}

/** A question that a tool asks in the middle of its work. */
export interface Question {
  readonly title: string;
  /** What is shown: text, a diff, a command. */
  readonly show: Display;
  /** What the tool would do next, so that a grant can be remembered for it. */
  readonly effects?: readonly Effect[];
  /** Why it is asked, as whole sentences. Default: that the tool asks while it runs. */
  readonly why?: string;
  /** A form to fill in: the answer brings it as its `input`. Only a person can, so no rule and no hook answers. */
  readonly form?: Form;
}

/** What the questions to a tool about one call (`effects`, `validate`, `object`, `observe`, `preview`) may know. They change nothing. */
export interface EffectContext {
  /** Absolute real path of the session's working directory. */
  readonly cwd: string;
  /** The user's home folder. */
  readonly home: string;
  /** Looks where a name leads, without opening anything. */
  locate(path: string): Promise<Location>;
  /**
   * Whether a call of this tool with this effect alone would be refused. Where one of several things may be left out, the tool
   * does not name it among its effects: the call is then about the others.
   */
  forbids(effect: Effect): boolean;
  /**
   * The ports without power. For `preview` they read what the call may read and change nothing; for all others they tell
   * where things are and what the model has seen, and open nothing but the configuration of a git repository.
   */
  readonly ports: Ports;
}

/** What `run` gets beside its input. */
export interface CallContext {
  readonly call: CallRef;
  readonly agent: AgentRef;
  readonly session: SessionRef;
  readonly cwd: string;
  readonly home: string;
  /** The terminal that programs of this session find, as far as it is set. */
  readonly terminal?: TerminalRef;
  /** What was decided on: everything that this call may at most do. */
  readonly effects: readonly Effect[];
  /** Fires when the user or the host cancels, or the tool's time is over. */
  readonly signal: AbortSignal;
  /** Tells people what goes on. Ignored after the call has ended. */
  progress(update: Progress): void;
  /** The ports, bound to this call's granted effects. */
  readonly ports: Ports;
  /** A further approval or a question. Waits without consuming the call's time. A "no" throws `denied_by_user`. */
  ask(question: Question): Promise<Answered>;
  /** A nested call through the whole pipeline; it inherits the locks of its root call. */
  invoke(tool: string, input: unknown): Promise<Result>;
  /** Who asked for the call, where they can be asked back. */
  readonly caller?: Caller;
}

/** A person's yes, with what they said. A no never returns: it throws. */
export interface Answered {
  readonly input?: unknown;
  readonly message?: string;
}

/** What is known when the tool list of one model request is put together. */
export interface OfferContext {
  readonly cwd: string;
  readonly agent: AgentRef;
  readonly platform: string;
  /** The ports that this host has. */
  readonly ports: ReadonlySet<PortName | string>;
  /** Names of the tools that are offered beside this one. */
  readonly tools: ReadonlySet<string>;
  readonly mode: string;
  /** Names of the tools that are offered by name only, until they are loaded; also of those that are. Stable order. */
  readonly deferred?: readonly string[];
  /** The kinds of agents that can be started. */
  readonly agents?: readonly Pick<AgentType, "name" | "description">[];
  /** Whether features are on that a setting switches, by name. */
  readonly gates?: ReadonlySet<string>;
  /** Sources whose tools are still to come. */
  readonly connecting?: readonly string[];
}

/** Why a tool is not offered, in words for a person. */
export interface Absent {
  readonly absent: string;
  /** What a call of it ends with. Default `tool_unavailable`; a rule that forbids the tool says `denied_by_rule`. */
  readonly code?: "tool_unavailable" | "denied_by_rule";
}

/** Several things that a tool may yield or return as content. */
export type Contents = string | Content | readonly Content[];
