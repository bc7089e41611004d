/** The port to other agents: model loops that do a part of the work and return their answer. */
import type { Effect } from "../effect.ts";

/** The colours of agents in Claude Code's files. */
export const AGENT_COLORS = ["red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"] as const;

/** One of the colours. */
export type AgentColor = (typeof AGENT_COLORS)[number];

/** A kind of agent that can be started. */
export interface AgentType {
  readonly name: string;
  /** Its names in other systems. */
  readonly aliases?: readonly string[];
  readonly description: string;
  /** The file that defines it; absent for a built-in one. */
  readonly file?: string;
  /** The colour of its name, for people. */
  readonly color?: AgentColor;
}

/** The budget of an agent and all agents that it starts. 0 means none; absent: what its parent has left. */
export interface AgentBudget {
  /** Tokens of its models, in and out. */
  readonly tokens?: number;
  readonly calls?: number;
  /** Agents that it may start. */
  readonly spawns?: number;
  /** Costs of its models in US dollars. */
  readonly money?: number;
}

/** The folders in which an agent may work. */
export const AGENT_ISOLATIONS = ["auto", "base", "worktree", "none"] as const;

/**
 * `base`: a frozen copy of its parent's folder, whose changes are merged back when it ends. `worktree`: a git worktree
 * with a branch of its own. `none`: its parent's folder. `auto`: a copy if several agents that change files work at the
 * same time, else its parent's folder.
 */
export type AgentIsolation = (typeof AGENT_ISOLATIONS)[number];

/** The options for starting an agent. */
export interface AgentRequest {
  readonly type: string;
  readonly prompt: string;
  /** Its work, in a few words for people. */
  readonly description: string;
  /** The name by which other agents address it. */
  readonly name?: string;
  /** The team that it joins. */
  readonly team?: string;
  /** Another model of the parent's provider, or one that the settings name. */
  readonly model?: string;
  /** It continues after the call has ended. */
  readonly background?: boolean;
  /** Rules that cover everything that it may do, within its parent's permissions. Default: the parent's permissions. */
  readonly effects?: readonly string[];
  readonly budget?: AgentBudget;
  readonly maxTurns?: number;
  readonly timeoutMs?: number;
  /** Default: what its kind and the settings say, else `auto`. */
  readonly isolation?: AgentIsolation;
  /** The call that starts it. Its changes in a copy become real as changes of this call. */
  readonly call?: { readonly id: string; readonly tool: string; readonly turn: number };
  /** Text to add to its system prompt. */
  readonly system?: string;
  /** Says yes to the questions of its calls, within the rules of its parent. */
  readonly confirms?: boolean;
  /** Ends it. A background agent runs until it is stopped, or until its parent ends. */
  readonly signal?: AbortSignal;
  /** Receives its progress. */
  readonly onNews?: (news: AgentNews) => void;
}

/** An event in an agent. */
export type AgentNews =
  | { readonly type: "text" | "thinking"; readonly text: string; readonly isWhole: boolean }
  | {
      readonly type: "call";
      readonly id: string;
      readonly tool: string;
      readonly input: unknown;
      readonly title: string;
    }
  | {
      readonly type: "result";
      readonly id: string;
      readonly tool: string;
      readonly ok: boolean;
      readonly text: string;
      readonly error?: string;
      readonly effects: readonly Effect[];
    }
  | { readonly type: "note"; readonly text: string };

/** An agent at one moment. */
export interface AgentReport {
  /** `a1`, and below it `a1.1`. */
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly description: string;
  readonly model: string;
  readonly background: boolean;
  /** `failed`: it gave no answer, or a limit ended it; `why` then says which. */
  readonly status: "running" | "completed" | "failed" | "stopped";
  readonly why?: string;
  /** Its last words. */
  readonly text: string;
  readonly calls: number;
  readonly failedCalls: number;
  readonly tokens: number;
  readonly durationMs: number;
  /** The rest of its budget, for each kind that is limited. */
  readonly left?: AgentBudget;
  /** Real paths of the files that it has changed, as far as its effects show. */
  readonly filesModified: readonly string[];
  /** Sources of foreign content that it, or an agent below it, has read: addresses, servers. */
  readonly sources?: readonly string[];
  /** The outcome of its changes in a copy, where that needs words. */
  readonly note?: string;
}

/** The agents of a session, as one of them reaches them. An unknown id fails with `invalid_input` and the list of known ids. */
export interface Agents {
  types(): readonly AgentType[];
  /**
   * Starts an agent and returns its report: after its end, or immediately for a background agent. Fails with
   * `invalid_input` for an unknown type, and with `limit_reached` where the budget or the nesting depth of agents does
   * not allow it.
   */
  start(request: AgentRequest): Promise<AgentReport>;
  /** The report of an agent, by id or name. May be called before the decision. */
  find(id: string): AgentReport | undefined;
  list(): readonly AgentReport[];
  /** Waits for its end, at most `timeoutMs`. The signal ends the waiting, not the agent. */
  wait(id: string, limit: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<AgentReport>;
  /** Ends it and all agents that it started. */
  stop(id: string): Promise<AgentReport>;
  /**
   * Sends a message to a running agent, or to `main`, which reads it between two turns. `*` sends to the whole team.
   * Returns the recipients.
   */
  send(to: string, message: string): Promise<readonly string[]>;
  /** Makes a team led by this agent, with a task list of its own. */
  createTeam(name: string): Promise<void>;
  /** Ends a team. Fails with `conflict` while members work. */
  deleteTeam(name: string): Promise<void>;
}
