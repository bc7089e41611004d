import { join } from "node:path";
import type { Broker } from "@haft/core/approval";
import type { Dialect } from "@haft/core/dialect";
import type { Machine, Recorder } from "@haft/core/executor";
import type { ShellSettings } from "@haft/core/policy";
import type { Deferral, Registry } from "@haft/core/registry";
import type { Agents, AgentType, Ports, SeenFile, Skills, TerminalRef } from "@haft/core/tool";
import type { McpManager } from "@haft/mcp";
import type { SettingsHooks } from "@haft/plugins/hook";
import { createSpill, openOrigins } from "@haft/service";
import type { Mailbox } from "../../agent/index.ts";
import type { EventHub } from "../event-hub.ts";
import type { SpillFiles } from "../host/spill-files.ts";
import type { SessionQueue } from "../queue/open-queue.ts";
import type { SessionRecord } from "../record.ts";
import type { SessionState } from "../session/session-ports.ts";
import type { LivePolicy } from "../setup/live-policy.ts";
import { availableBy, type ToolSwitches } from "../setup/offering.ts";
import type { Setup } from "../setup/setup.ts";
import type { World } from "../setup/world.ts";
import { hidingServers } from "./hidden-servers.ts";

/** The parts of a session from which its machine is built. */
export interface MachineParts {
  readonly setup: Setup;
  readonly live: LivePolicy;
  readonly switches: () => ToolSwitches;
  readonly world: World;
  readonly state: SessionState;
  readonly skills: Skills | undefined;
  readonly agents: Agents | undefined;
  readonly registry: Registry;
  readonly broker: Broker;
  readonly hooks: SettingsHooks;
  readonly record: SessionRecord | undefined;
  /** The store for long results of the host's own. */
  readonly spill: SpillFiles | undefined;
  readonly hub: EventHub;
  readonly deferral: Deferral | undefined;
  readonly dialect: () => Dialect | undefined;
  readonly mcp: Pick<McpManager, "whyMissing">;
  /** Runs calls on workers, where the session's browser may be too. */
  readonly queue?: Pick<SessionQueue, "machine" | "browser">;
}

/** The machine of a session: everything that one call needs, by settings and options. */
export function sessionMachine(parts: MachineParts): Machine {
  const { setup, live, world, state, registry, hooks, record, hub, deferral } = parts;
  const { options, settings, session, home } = setup;
  const journal = world.journal ?? world.journaling?.journal;
  const ports: Ports = {
    ...world.ports,
    ...(parts.spill ? { files: parts.spill.over(world.ports.files) } : {}),
    ...state.ports(hooks.runHooks),
    ...(parts.skills ? { skills: parts.skills } : {}),
    ...(parts.agents ? { agents: parts.agents } : {}),
    ...(parts.queue?.browser ? { browser: parts.queue.browser } : {}),
  };
  const agent = { id: "main" };
  const offeredPorts = offeredBy({ ...ports, ...(deferral ? { catalog: true } : {}) }, state.mailbox);
  const { resultChars, batchChars, tools: sizes = {} } = settings.budgets ?? {};
  return {
    registry,
    dialect: parts.dialect,
    available: availableBy(setup, live.now, parts.switches),
    policy: live.now,
    autoExecute: (name) => parts.switches().tools?.[name]?.autoExecute,
    approvals: parts.broker,
    remember: live.remember,
    ports,
    agent,
    session: { id: session.id },
    cwd: live.cwd,
    home,
    terminal: terminalOf({ ...settings.shell, ...options.shell }),
    offerContext: () => ({
      ...{
        cwd: live.cwd(),
        agent,
        platform: process.platform,
        ports: offeredPorts(),
        missing: state.missing,
        mode: live.now().mode,
        ...typesIn(ports),
        ...memoryIn(state),
      },
    }),
    ...hidingServers({ ...(deferral ? { deferral } : {}), whyMissing: (tool) => parts.mcp.whyMissing(tool) }, live.now),
    hooks: [...(options.hooks ?? []), ...hooks.hooks, ...(world.hooks ?? [])],
    ...(parts.spill ? { spill: parts.spill.spill } : session.spill ? { spill: createSpill(session.spill) } : {}),
    recorder: recorderOf(live, state, record),
    ...(journal ? { journal } : {}),
    listener: (event) => hub.emit(event),
    hears: (type) => hub.hears(type),
    origins: openOrigins(setup.state && join(setup.state.workspace(setup.cwd), "origins.jsonl")),
    ...(options.loopGuard === false ? { loopGuard: false } : {}),
    ...(settings.maxConcurrent === undefined ? {} : { maxConcurrent: settings.maxConcurrent }),
    concurrency: options.concurrency ?? settings.concurrency ?? "effects",
    resultCharsOf: (name) => (Object.hasOwn(sizes, name) ? sizes[name] : undefined),
    ...(resultChars === undefined ? {} : { resultChars }),
    ...(batchChars === undefined ? {} : { batchChars }),
    seen: new Map<string, SeenFile>(),
    ...parts.queue?.machine,
  };
}

/** The shell settings that tools may see: the variables may be secret. */
const terminalOf = ({ env: _, ...terminal }: ShellSettings): TerminalRef => terminal;

/** The names of the ports, built once. A conversation is included only while a loop lends it. */
export function offeredBy(ports: object, mailbox: Mailbox): () => ReadonlySet<string> {
  const lent = new Set(Object.keys(ports));
  const always = new Set([...lent].filter((port) => port !== "conversation"));
  return () => (mailbox.isLent() ? lent : always);
}

/** The kinds of agents, for the description of the tool that starts them. */
export const typesIn = ({ agents }: Ports): { readonly agents?: readonly AgentType[] } =>
  agents ? { agents: agents.types() } : {};

const memoryIn = (state: SessionState): { readonly memory?: string } => {
  const memory = state.memoryPrompt();
  return memory === undefined ? {} : { memory };
};

const recorderOf = (
  { privateReads }: LivePolicy,
  { strangers }: SessionState,
  record: SessionRecord | undefined,
): Recorder => ({
  ...(record?.recorder.ready ? { ready: record.recorder.ready } : {}),
  record(outcome) {
    strangers.note(outcome.result.labels);
    if (outcome.status === "ok") privateReads.note(outcome.effects);
    return record?.recorder.record(outcome);
  },
});
