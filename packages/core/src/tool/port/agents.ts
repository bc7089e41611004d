/** The port to other agents: model loops that are started for a part of the work and give back their answer. */
import type { Effect } from "../effect.ts";

/** A kind of agent that can be started. */
export interface AgentType {
  readonly name: string;
  /** Names of other systems for it. */
  readonly aliases?: readonly string[];
  readonly description: string;
  /** Where it is defined; absent for a built-in one. */
  readonly file?: string;
}

/** What an agent and all that it starts may spend. 0 means none; absent: what its parent has left. */
export interface AgentBudget {
  /** Tokens of its models, in and out. */
  readonly tokens?: number;
  readonly calls?: number;
  /** Agents that it may start. */
  readonly spawns?: number;
  /** Costs of its models, in the currency of the prices in the settings. */
  readonly money?: number;
}

/** What an agent is started with. */
export interface AgentRequest {
  readonly type: string;
  readonly prompt: string;
  /** What it does, in a few words for people. */
  readonly description: string;
  /** By which others call it. */
  readonly name?: string;
  /** The team that it joins. */
  readonly team?: string;
  /** Another model of the parent's provider, or one that the settings name. */
  readonly model?: string;
  /** It goes on when the call has ended. */
  readonly background?: boolean;
  /** Rules that cover everything that it may do: a bound inside its parent's. Default: what its parent may. */
  readonly effects?: readonly string[];
  readonly budget?: AgentBudget;
  readonly maxTurns?: number;
  readonly timeoutMs?: number;
  /** What is added to what it is told of its work. */
  readonly system?: string;
  /** Answers what its calls ask with yes, within the rules of its parent. */
  readonly confirms?: boolean;
  /** Ends it. One in the background goes on until it is stopped, or its parent ends. */
  readonly signal?: AbortSignal;
  /** Hears how it goes on. */
  readonly onNews?: (news: AgentNews) => void;
}

/** What happens in an agent, as it happens. */
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
  /** `failed`: it gave no answer, or a limit ended it; `why` then says so. */
  readonly status: "running" | "completed" | "failed" | "stopped";
  readonly why?: string;
  /** Its last words. */
  readonly text: string;
  readonly calls: number;
  readonly failedCalls: number;
  readonly tokens: number;
  readonly durationMs: number;
  /** Real paths of the files that it has changed, as far as its effects tell. */
  readonly filesModified: readonly string[];
}

/** The agents of a session, as one of them reaches them. An unknown id fails with `invalid_input` and those that there are. */
export interface Agents {
  types(): readonly AgentType[];
  /**
   * Starts an agent and gives its report: when it has ended, or in the background at once. Fails with `invalid_input` for an
   * unknown type and with `limit_reached` where the budget, or the depth of agents below agents, does not allow it.
   */
  start(request: AgentRequest): Promise<AgentReport>;
  /** What is known of an agent, by id or name. May be asked before anything is decided. */
  find(id: string): AgentReport | undefined;
  list(): readonly AgentReport[];
  /** Waits until it has ended, at most `timeoutMs`. The signal ends the waiting, not the agent. */
  wait(id: string, limit: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<AgentReport>;
  /** Ends it with all that it has started. */
  stop(id: string): Promise<AgentReport>;
  /** Says something to a running agent, or to `main`; it is read between two turns. `*`: to all of the team. Gives to whom. */
  send(to: string, message: string): Promise<readonly string[]>;
  /** Makes a team of this agent, with a list of tasks of its own. */
  createTeam(name: string): Promise<void>;
  /** Ends a team. Fails with `conflict` while members work. */
  deleteTeam(name: string): Promise<void>;
}
