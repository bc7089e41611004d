import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { grantOf } from "@haft/core/approval";
import type { Executor, Machine } from "@haft/core/executor";
import { type Mode, modes, type Policy, type RuleSource, type Workspace } from "@haft/core/policy";
import type { Registry } from "@haft/core/registry";
import { policyToolOf } from "@haft/core/registry";
import type { Ports } from "@haft/core/tool";
import { fail } from "@haft/core/tool";
import { createState } from "@haft/host";
import { createSpill } from "@haft/service";
import { createMailbox, type Mailbox } from "../agent/context/mailbox.ts";
import type { AgentScope } from "./haft.ts";
import { hidingServers } from "./open/hidden-servers.ts";
import { offeredBy, typesIn } from "./open/session-machine.ts";
import { bounded } from "./setup/bounded.ts";

/** The parts that a narrowed Haft has of its own; it shares the rest. */
export interface Narrowed {
  readonly machine: Machine;
  readonly executor: Executor;
  policy(): Policy;
  /** The agent's incoming messages and its conversation. */
  readonly mailbox: Mailbox;
  /** Real path of the folder for results that were too long for the model. */
  readonly spillDir?: string;
}

/** Derives a Haft with fewer tools, more rules or a stricter mode. Options that would widen it have no effect. */
export function narrow(
  { machine, executor, policy, mailbox, spillDir }: Narrowed,
  { tools, rules = {}, mode, agent = machine.agent, only, apart, effects }: AgentScope,
  more: NarrowedPorts = {},
): Narrowed {
  const chosen = tools && new Set(tools.map((name) => knownName(machine.registry, name)));
  const added = (["deny", "ask"] as const).flatMap((behavior) =>
    (rules[behavior] ?? []).map((text): RuleSource => ({ behavior, origin: "session", text })),
  );
  const derive = (parent: Policy) => {
    const stricterOne = parent.with({ mode: stricter(parent.mode, mode), rules: [...parent.rules, ...added] });
    return effects ? bounded(stricterOne, effects, agent.name ?? agent.id) : stricterOne;
  };
  const isAnother = apart === true || agent.id !== machine.agent.id;
  const ownDesk = isAnother ? createMailbox() : mailbox;
  const ports = portsOf(machine.ports, isAnother ? ownDesk : undefined, more);
  const offered = offeredBy({ ...ports, ...(machine.deferral ? { catalog: true } : {}) }, ownDesk);
  const own = apart ? keptApart(ports, derive(policy()), spillDir) : undefined;
  const narrowed = own?.policy ?? remember(policy, derive);
  const changes: Partial<Machine> = {
    agent,
    available(entry, ctx) {
      if ((chosen && !chosen.has(entry.tool.name)) || only?.(entry) === false)
        return { absent: "this agent may not use it" };
      // A tool that the added rules forbid entirely is not offered, the same as with the other rules.
      const rule = added.length > 0 ? narrowed().blanketDeny(policyToolOf(entry)) : undefined;
      if (rule) return { absent: `the rule deny ${rule.rule} of this agent forbids it`, code: "denied_by_rule" };
      return machine.available(entry, ctx);
    },
    ports,
    ...own?.changes,
    ...(added.length > 0 ? hidingServers(machine, narrowed) : {}),
    policy: narrowed,
    offerContext: () => ({
      ...machine.offerContext(),
      agent,
      mode: narrowed().mode,
      ports: offered(),
      ...typesIn(ports),
    }),
  };
  return {
    machine: { ...machine, ...changes },
    executor: executor.with(changes),
    policy: narrowed,
    mailbox: ownDesk,
    ...(own?.spillDir ? { spillDir: own.spillDir } : {}),
  };
}

/** Extra ports of a narrowed Haft. Agents must be started by the narrowed agent, not by its parent. */
export type NarrowedPorts = Pick<Ports, "agents" | "tasks">;

/** Only the main agent may change the session's mode, folder and settings. Messages to another agent reach that agent only. */
function portsOf(ports: Ports, mailbox: Mailbox | undefined, more: NarrowedPorts): Ports {
  const { agents: _, ...others } = ports;
  if (!mailbox) return { ...others, ...more };
  const { plans, worktrees, settings, sessions, schedules, ...shared } = others;
  return { ...shared, inbox: mailbox.inbox, conversation: mailbox.conversation, ...more };
}

/** A tool's own name. A server may still bring its tools later; any other unknown name fails, as it would silently narrow to nothing. */
function knownName(registry: Registry, name: string): string {
  const known = registry.get(name)?.tool.name;
  if (known !== undefined) return known;
  if (name.startsWith("mcp__")) return name;
  const meant = registry.suggest(name);
  const names = registry.entries().map(({ tool }) => tool.name);
  return fail(
    "validation_failed",
    `with: there is no tool "${name}".`,
    `${meant === undefined ? "" : `Did you mean "${registry.get(meant)?.tool.name ?? meant}"? `}Known tools: ${names.join(", ")}.`,
  );
}

/** Separate grants, reads and memory for somebody else: none of them is shared in either direction. */
function keptApart(ports: Ports, from: Policy, spillDir: string | undefined) {
  const ownDir = spillDir && join(spillDir, randomUUID());
  const start = from.with({ rules: from.rules.filter((rule) => !isGrant(rule)) });
  let policy = ownDir ? start.with({ workspace: instead(start.workspace, spillDir, ownDir) }) : start;
  const changes: Partial<Machine> = {
    seen: new Map(),
    ports: { ...ports, state: createState() },
    async remember(request, answer) {
      const kept = await grantOf(request, answer);
      policy = policy.with({ grant: kept.rules.map(({ text }) => text) });
      return kept;
    },
    ...(ownDir ? { spill: createSpill(ownDir) } : {}),
  };
  return { policy: () => policy, changes, ...(ownDir ? { spillDir: ownDir } : {}) };
}

/** A rule that a person granted in answer to a question. Rules of settings and options have other origins. */
const isGrant = ({ behavior, origin }: RuleSource): boolean => behavior === "allow" && origin === "session";

/** The workspace with one readable folder replaced by another. */
const instead = (workspace: Workspace, folder: string, other: string): Workspace => ({
  ...workspace,
  readable: [...(workspace.readable ?? []).filter((one) => one !== folder), other],
});

/** Modes from the strictest to the loosest. */
const strictness: readonly Mode[] = ["plan", "dontAsk", "default", "undoable", "acceptEdits", "bypassPermissions"];

const stricter = (parent: Mode, wanted: Mode | undefined): Mode =>
  wanted !== undefined &&
  // Mode `undoable` runs commands that acceptEdits asks about.
  !(parent === "acceptEdits" && wanted === "undoable") &&
  modes.includes(wanted) &&
  strictness.indexOf(wanted) < strictness.indexOf(parent)
    ? wanted
    : parent;

/** Derives once per parent: compiling a policy from its rules is too expensive for each call. */
function remember<T>(source: () => T, derive: (from: T) => T): () => T {
  let from: T | undefined;
  let derived: T | undefined;
  return () => {
    const now = source();
    if (derived === undefined || now !== from) derived = derive(now);
    from = now;
    return derived;
  };
}
