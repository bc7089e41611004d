import { nearest } from "@haft/core/schema";
import { type AgentRef, type AgentReport, fail } from "@haft/core/tool";
import type { TaskStore } from "@haft/service/session";
import type { Parts } from "../public-api.ts";
import type { Pool } from "./pool.ts";
import type { AgentDefinition } from "./type/agent-type.ts";

/** One agent of a session's tree: the main one, or a started one. */
export interface AgentNode {
  readonly ref: AgentRef;
  readonly depth: number;
  readonly parent: AgentNode | undefined;
  /** Absent for the main agent of most sessions. */
  type: AgentDefinition | undefined;
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

/** A report as it is now. */
export const snapshot = ({ startedAt: _, ...report }: Report): AgentReport => ({ ...report });

/** Agents that work together on a task list of their own. */
export interface Team {
  readonly name: string;
  readonly lead: AgentNode;
  readonly tasks: TaskStore;
}

/** An agent whose Haft exists later. */
export interface NewNode extends AgentNode {
  /** Sets the parts of its Haft. */
  attach(parts: Parts): void;
}

/** Makes an agent. One that its host runs has no type, and shares the depth and the team of its parent. */
export function newNode(
  ref: AgentRef,
  { parent, type, pool, model }: Pick<AgentNode, "pool"> & Partial<Pick<AgentNode, "parent" | "type" | "model">>,
): NewNode {
  let parts: Parts | undefined;
  return {
    ...{ ref, parent, type, pool, model, started: 0 },
    depth: parent ? parent.depth + (type ? 1 : 0) : 0,
    team: parent?.team,
    parts: () => parts ?? fail("tool_unavailable", "Agents cannot be started yet.", "Call again."),
    attach(own) {
      parts = own;
    },
  };
}

/** The run that an agent belongs to: its own, or that of the agent it was narrowed from. */
export const runAbove = (node: AgentNode): AgentRun | undefined => node.run ?? (node.parent && runAbove(node.parent));

/** Most agents of a session, by default. */
export const MOST_AGENTS = 100;

/** Most levels of agents below agents. */
export const MOST_DEPTH = 3;

/** Most agents that work at the same time on one level; others wait. */
export const MOST_AT_ONCE = 8;

const CYCLES_ALLOWED = "general";

/** The kind of agent that another one may start by this name. @throws HaftError `invalid_input` */
export function definitionFor(
  parent: AgentNode,
  wanted: string,
  types: ReadonlyMap<string, AgentDefinition>,
): AgentDefinition {
  const named = [...types.values()].find(({ aliases }) => aliases?.includes(wanted))?.name;
  const name = types.has(wanted) ? wanted : (named ?? wanted);
  const allowed = [...types.keys()].filter(
    (one) => parent.type?.agents === undefined || parent.type.agents.includes(one),
  );
  const type = allowed.includes(name) ? types.get(name) : undefined;
  if (!type) {
    const close = nearest(wanted, allowed);
    return fail(
      "invalid_input",
      `There is no agent "${wanted}".${close ? ` Did you mean ${close}?` : ""}`,
      `Agents: ${allowed.join(", ")}.`,
    );
  }
  if (isCircle(parent, type.name))
    fail(
      "invalid_input",
      `The agent ${type.name} would start another copy of itself.`,
      "Do this part yourself, or start another agent.",
    );
  return type;
}

/** Whether an agent of this kind is already above this one: it would start itself endlessly. */
function isCircle(node: AgentNode | undefined, type: string): boolean {
  for (let above = node; above; above = above.parent)
    if (type !== CYCLES_ALLOWED && above.type?.name === type) return true;
  return false;
}
