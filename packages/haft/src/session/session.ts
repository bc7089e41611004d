import type { CallEvent } from "@haft/core/executor";
import type { Mode } from "@haft/core/policy";
import type { Content } from "@haft/core/tool";
import type { AgentEnd, AgentEvent, Effort, Message, Model, Usage } from "../agent/index.ts";
import type { Haft, HaftOptions } from "../app/haft.ts";
import type { Notice } from "../app/notice.ts";

/** Options of a session: those of a Haft, and how to begin. */
export interface AgentSessionOptions extends Omit<HaftOptions, "model"> {
  /** `provider/name`, or a model of your own. Default: that of the settings, else the one for an API key. */
  readonly model?: string | Model;
  /** Continue the conversation of this session; `last`: of the latest one in this folder. */
  readonly resume?: string;
  /** Copy the conversation of `resume` into a new session, and leave the old one as it is. */
  readonly fork?: boolean;
  /** With `fork`: copy the conversation only up to the results of this call. */
  readonly forkAt?: string;
  /** Most messages of the model for one prompt. Default 100. */
  readonly maxTurns?: number;
  /** How much the main agent's model thinks. Default: what the file of the agent says, else the provider's. */
  readonly effort?: Effort;
  /** Wraps the model of the main agent, for example to record it. */
  readonly wrapModel?: (model: Model) => Model;
}

/** Options of one prompt. */
export interface PromptOptions {
  /** Images and documents to send along. */
  readonly images?: readonly Content[];
  /** `false`: an @ is literal, for text that the person did not write. Or the part of the text in which an @ counts. */
  readonly withMentions?: boolean | string;
  /** Shown to people instead of the text, such as the command that it comes from. */
  readonly shownAs?: string;
  /** The name of the person, where several share a session. */
  readonly by?: string;
  /** Cancels the run that takes this prompt. */
  readonly signal?: AbortSignal;
  /** Wait for background agents before the run ends, because the process ends with it. */
  readonly waitsForAgents?: boolean;
}

/** A call as a person types it. `json`: an input that could not be parsed. */
export interface TypedCall {
  readonly tool: string;
  readonly input?: unknown;
  readonly json?: string;
  /** Nobody is asked about it; rules that forbid it still hold. */
  readonly approved?: "user";
}

/** A prompt that waits until the agent can read it. */
export interface QueuedPrompt {
  readonly id: string;
  readonly text: string;
  readonly by?: string;
}

/** The model of a session. */
export interface SessionModel {
  /** `provider/name`. */
  readonly name: string;
  /** Why it was chosen, if the person did not name it. */
  readonly because?: string;
}

/** Tokens of a whole session. */
export interface SessionUsage extends Usage {
  /** Number of requests to the model. */
  readonly requests: number;
  /** Tokens of the conversation at the last request, where the provider says. */
  readonly contextTokens?: number;
  /** Tokens of this process with those of its agents. */
  readonly totalTokens: number;
  /** The cost in US dollars. Absent where a price is unknown. */
  readonly money?: number;
}

/** The outcome of a slash command: text for the person, or the run that it caused. */
export type CommandOutcome = { readonly text: string } | { readonly end: AgentEnd };

/** A command that a person can type after a slash. */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  /** The arguments in words, such as `[name]`. */
  readonly argumentHint?: string;
  readonly source: "builtin" | "user" | "project" | "skill" | "plugin" | "mcp";
  /** Proposals for the argument, for a face that completes what a person types. */
  complete?(): Promise<readonly { readonly text: string; readonly about?: string }[]>;
  run(args: string, options?: PromptOptions): Promise<CommandOutcome>;
}

/** A shortened conversation. */
export interface Compaction {
  /** The text that stands for the removed messages. */
  readonly summary: string;
  /** Number of removed messages. */
  readonly messages: number;
  readonly reason: "asked" | "full";
  /** The file with the removed messages. */
  readonly file?: string;
}

/** Everything that happens in a session, as one stream: of the agent, of its calls and those of its subagents, of people. */
export type SessionEvent =
  | AgentEvent
  | CallEvent
  | { readonly type: "status"; readonly status: AgentSession["status"] }
  /** A prompt was given. `queued`: it waits; the same event with `queued: false` follows when the agent reads it. */
  | {
      readonly type: "prompt";
      readonly id: string;
      readonly text: string;
      readonly by?: string;
      readonly queued: boolean;
    }
  /** A waiting prompt was withdrawn, or dropped by an interruption. */
  | ({ readonly type: "unqueued" } & QueuedPrompt)
  | { readonly type: "notice"; readonly notice: Notice }
  | { readonly type: "mode"; readonly mode: Mode }
  | { readonly type: "model-changed"; readonly model: SessionModel }
  | { readonly type: "cleared" }
  | ({ readonly type: "compacted" } & Compaction);

/** Whether an event is one of a call. */
export const isCallEvent = (event: SessionEvent): event is CallEvent => event.type.startsWith("tool:");

const AGENT_EVENTS: ReadonlySet<string> = new Set<AgentEvent["type"]>([
  ...(["request", "model", "call", "message", "retry", "shortened", "end"] as const),
]);

/** Whether an event is one of the agent loop. */
export const isAgentEvent = (event: SessionEvent): event is AgentEvent => AGENT_EVENTS.has(event.type);

/** One live conversation, which every face drives. */
export interface AgentSession extends AsyncDisposable {
  readonly id: string;
  readonly haft: Haft;
  /** Absent where no model is configured: prompts are then rejected. */
  readonly model: SessionModel | undefined;
  readonly status: "idle" | "working";
  /** The conversation so far, including that of an earlier process. */
  readonly messages: readonly Message[];
  readonly usage: SessionUsage;
  /** The prompts that wait, oldest first. */
  readonly queue: readonly QueuedPrompt[];
  /**
   * Sends a prompt. While the agent works it is queued, and the agent reads it between two turns. Resolves when the run
   * that took it ends. A prompt that a hook refuses, or that is withdrawn, ends as `refused`.
   *
   * @throws HaftError when there is no model, or when something that it mentions cannot be read. Nothing is sent then.
   */
  prompt(text: string, options?: PromptOptions): Promise<AgentEnd>;
  /** Makes a call that the person has typed. The model reads the result with the next prompt. */
  callTyped(call: TypedCall, signal: AbortSignal): Promise<void>;
  /** Takes a waiting prompt back. */
  unqueue(id: string): QueuedPrompt | undefined;
  /** Stops the work. Returns the prompts that waited: they are not sent. */
  interrupt(): readonly QueuedPrompt[];
  /** Begins a new conversation. Grants, loaded tools and past calls stay. @throws HaftError `conflict` while it works. */
  clear(): void;
  /**
   * Replaces the conversation so far by a summary, and keeps the last request word for word. `instructions`: what the
   * summary should hold.
   *
   * @throws HaftError if there is nothing to summarize, the agent works, a hook refuses or the model fails.
   */
  compact(instructions?: string, options?: { readonly signal?: AbortSignal }): Promise<Compaction>;
  /** Changes the model, from the next request on. @throws HaftError if it cannot be opened. */
  setModel(name: string): Promise<void>;
  /** Changes the mode at once. @throws HaftError if the settings or this machine do not allow it. */
  setMode(mode: Mode): Promise<void>;
  /** The commands that a person can type after a slash. */
  commands(): readonly SlashCommand[];
  /** Receives every event until the returned function is called. Errors that the listener throws are ignored. */
  on(listener: (event: SessionEvent) => void): () => void;
}

/** The prompt with which a new session begins by itself: that of its agent's file. */
export const initialPrompt = ({ haft, messages }: AgentSession): string | undefined =>
  messages.length === 0 ? haft.role?.initialPrompt : undefined;
