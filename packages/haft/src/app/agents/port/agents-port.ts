import { type AgentReport, type AgentRequest, type Agents, type Clock, fail } from "@haft/core/tool";
import { type AgentNode, type AgentRun, snapshot } from "../node.ts";
import type { AgentDefinition } from "../type/agent-type.ts";
import { sendMessage } from "./send-message.ts";
import type { Teams } from "./teams.ts";

/** The agents of a session, as a port needs them. */
export interface AgentTree {
  readonly main: AgentNode;
  /** Every started agent. */
  readonly all: readonly AgentNode[];
  readonly teams: Teams;
  readonly clock: Clock;
  types(): ReadonlyMap<string, AgentDefinition>;
  start(parent: AgentNode, request: AgentRequest): Promise<AgentReport>;
}

const STOP_MS = 5_000;

/** The agents port of one agent: it sees the agents below itself. */
export function agentsPort(tree: AgentTree, node: AgentNode): Agents {
  const { all, teams, main, clock } = tree;
  // People and the main agent know the workspace alone. A report is in the terms of the agent's parent.
  const told = ({ run, parent }: AgentNode): AgentReport | undefined => {
    const report = run && snapshot(run.report);
    const shown = node.ref.id === "main" ? parent?.parts().machine.shown : undefined;
    return report && (shown?.(report) ?? report);
  };
  const allowed = ({ name }: AgentDefinition) => node.type?.agents === undefined || node.type.agents.includes(name);
  return {
    types: () => [...tree.types().values()].filter(allowed),
    start: (request) => tree.start(node, request),
    find(id) {
      const one = visible(tree, node).find(({ ref, run }) => ref.id === id || run?.report.name === id);
      return one && told(one);
    },
    list: () =>
      visible(tree, node).flatMap((one) => {
        const report = told(one);
        return report ? [{ ...report, left: one.pool.rest() }] : [];
      }),
    async wait(id, { timeoutMs, signal }) {
      const report = await endOrTimeout(runOf(tree, node, id), clock, timeoutMs, signal);
      signal?.throwIfAborted();
      return report;
    },
    async stop(id) {
      const run = runOf(tree, node, id);
      run.stop("it was stopped");
      return endOrTimeout(run, clock, STOP_MS);
    },
    send: async (to, message) => sendMessage({ all, teams: teams.all(), main }, node, to, message),
    createTeam: async (name) => teams.create(name, node),
    deleteTeam: async (name) => teams.remove(name, all),
  };
}

const visible = ({ all, main }: AgentTree, node: AgentNode): readonly AgentNode[] =>
  node === main || node.ref.id === "main" ? all : all.filter(({ ref }) => ref.id.startsWith(`${node.ref.id}.`));

function runOf(tree: AgentTree, node: AgentNode, id: string): AgentRun {
  const list = visible(tree, node);
  const one = list.find(({ ref }) => ref.id === id) ?? list.findLast(({ run }) => run?.report.name === id);
  if (one) return one.run!;
  const known = list.map(
    ({ ref, run }) => `${ref.id} (${run?.report.name ?? run?.report.type}, ${run?.report.status})`,
  );
  return fail(
    "invalid_input",
    `There is no agent "${id}".`,
    known.length === 0 ? "None was started." : `Agents: ${known.join(", ")}.`,
  );
}

async function endOrTimeout(
  run: AgentRun,
  clock: Clock,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<AgentReport> {
  const over = new AbortController();
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  await Promise.race([run.ended, clock.sleep(timeoutMs, either).catch(() => {})]);
  over.abort();
  return snapshot(run.report);
}
