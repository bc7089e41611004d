import type { AgentRef, AgentReport } from "@haft/core/tool";
import type { TaskStore } from "@haft/tools";
import type { Parts } from "../face.ts";
import type { Pool } from "./pool.ts";
import type { AgentDefinition } from "./type/agent-type.ts";

/** One agent of a session's tree: the main one, or one that was started. */
export interface AgentNode {
  readonly ref: AgentRef;
  readonly depth: number;
  readonly parent: AgentNode | undefined;
  readonly type: AgentDefinition | undefined;
  readonly pool: Pool;
  /** `provider/name` of its model. */
  readonly model: string | undefined;
  team: Team | undefined;
  /** How many agents it has started. */
  started: number;
  /** What its Haft is made of; there as soon as it is. */
  parts(): Parts;
  run?: AgentRun;
}

/** The work of one started agent. */
export interface AgentRun {
  readonly report: Report;
  readonly ended: Promise<void>;
  /** Fires when it is to end. */
  readonly signal: AbortSignal;
  stop(why: string): void;
}

/** A report while it is still being written. */
export type Report = { -readonly [K in keyof AgentReport]: AgentReport[K] } & { startedAt: number };

/** Agents that work together, with a list of tasks of their own. */
export interface Team {
  readonly name: string;
  readonly lead: AgentNode;
  readonly tasks: TaskStore;
}

/** Agents of a session together, when nobody says otherwise. */
export const MOST_AGENTS = 100;

/** Agents below agents. */
export const MOST_DEPTH = 3;

/** Agents that work at the same time on one level; more of them wait. */
export const MOST_AT_ONCE = 8;

const CYCLES_ALLOWED = "general";

/** Whether an agent of this kind already stands above: it would start itself without end. */
export function isCircle(node: AgentNode | undefined, type: string): boolean {
  for (let above = node; above; above = above.parent)
    if (type !== CYCLES_ALLOWED && above.type?.name === type) return true;
  return false;
}
