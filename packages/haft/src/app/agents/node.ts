import type { AgentRef, AgentReport } from "@haft/core/tool";
import type { TaskStore } from "@haft/service";
import type { Parts } from "../public-api.ts";
import type { Pool } from "./pool.ts";
import type { AgentDefinition } from "./type/agent-type.ts";

/** One agent of a session's tree: the main one, or a started one. */
export interface AgentNode {
  readonly ref: AgentRef;
  readonly depth: number;
  readonly parent: AgentNode | undefined;
  readonly type: AgentDefinition | undefined;
  readonly pool: Pool;
  /** `provider/name` of its model. */
  model: string | undefined;
  team: Team | undefined;
  /** Number of agents that it has started. */
  started: number;
  /** The parts of its Haft, available once that exists. */
  parts(): Parts;
  run?: AgentRun;
}

/** The run of one started agent. */
export interface AgentRun {
  readonly report: Report;
  readonly ended: Promise<void>;
  /** Aborts the run. */
  readonly signal: AbortSignal;
  stop(why: string): void;
}

/** A report while it is still being written. */
export type Report = { -readonly [K in keyof AgentReport]: AgentReport[K] } & { startedAt: number };

/** Agents that work together on a task list of their own. */
export interface Team {
  readonly name: string;
  readonly lead: AgentNode;
  readonly tasks: TaskStore;
}

/** Most agents of a session, by default. */
export const MOST_AGENTS = 100;

/** Most levels of agents below agents. */
export const MOST_DEPTH = 3;

/** Most agents that work at the same time on one level; others wait. */
export const MOST_AT_ONCE = 8;

const CYCLES_ALLOWED = "general";

/** Whether an agent of this kind is already above this one: it would start itself endlessly. */
export function isCircle(node: AgentNode | undefined, type: string): boolean {
  for (let above = node; above; above = above.parent)
    if (type !== CYCLES_ALLOWED && above.type?.name === type) return true;
  return false;
}
