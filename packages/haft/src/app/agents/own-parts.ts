import type { Asker } from "@haft/core/approval";
import type { Machine } from "@haft/core/executor";
import type { Hook } from "@haft/core/hook";
import type { HooksSettings } from "@haft/core/policy";
import type { AgentRef } from "@haft/core/tool";
import type { RunHooks, SettingsHooks } from "@haft/plugins/hook";
import type { Narrowed } from "../derive-agent.ts";
import type { AgentServers } from "../mcp/agent-servers.ts";
import type { Parts } from "../public-api.ts";
import type { SessionMemory } from "../session/memory.ts";
import type { AgentDefinition } from "./type/agent-type.ts";

/** Opens the parts that the file of an agent gives it. */
export interface OwnPartsOptions {
  openHooks(hooks: HooksSettings, agent: AgentRef, within: Narrowed): SettingsHooks;
  /** `undefined`: the session writes nothing to disk. */
  openMemory(type: AgentDefinition): SessionMemory | undefined;
  /** `undefined`: it brings none, or the session starts none. */
  openServers(type: AgentDefinition, parts: Parts, signal: AbortSignal | undefined): AgentServers | undefined;
}

/** An agent's parts with its own hooks and memory. */
export interface Equipped {
  readonly parts: Narrowed;
  /** The hooks of its own, for events that are not about a call. */
  readonly runHooks?: RunHooks;
  /** Ends hooks that still run in the background. */
  close(): void;
}

/**
 * Adds the hooks and the memory of an agent's file to its parts. The hooks also hold in the agents below it, which
 * derive from these parts. They only tighten: their yes counts for nothing.
 */
export function equipped(within: Narrowed, type: AgentDefinition, options: OwnPartsOptions): Equipped {
  const { machine } = within;
  const memory = type.memory && machine.ports.memory ? options.openMemory(type) : undefined;
  const hooks = type.hooks && options.openHooks(hooksFor(type.hooks, machine.agent), machine.agent, within);
  const [asker] = hooks?.askers([]) ?? [];
  const changes: Partial<Machine> = {
    ...(hooks ? { hooks: [...hooks.hooks.map(withoutYes), ...(machine.hooks ?? [])] } : {}),
    ...(asker ? { approvals: refusedBy(asker.ask, machine) } : {}),
    ...(memory
      ? {
          ports: { ...machine.ports, memory: memory.port },
          offerContext() {
            const { memory: _, ...context } = machine.offerContext();
            const entries = memory.prompt();
            return entries === undefined ? context : { ...context, memory: entries };
          },
        }
      : {}),
  };
  return {
    parts: { ...within, machine: { ...machine, ...changes }, executor: within.executor.with(changes) },
    ...(hooks ? { runHooks: hooks.runHooks } : {}),
    close: () => hooks?.close(),
  };
}

/** The end of a started agent is a SubagentStop: a Stop hook of its file means that. */
function hooksFor(hooks: HooksSettings, { parent }: AgentRef): HooksSettings {
  const { Stop: ends, ...others } = hooks;
  return parent === undefined || !ends ? hooks : { ...others, SubagentStop: [...(hooks.SubagentStop ?? []), ...ends] };
}

function withoutYes({ before, ...hook }: Hook): Hook {
  if (!before) return hook;
  return {
    ...hook,
    async before(event) {
      const outcome = await before.call(hook, event);
      if (outcome?.decision !== "allow") return outcome;
      const { decision: _, reason: __, ...others } = outcome;
      return others;
    },
  };
}

/** Hooks may say no before anybody else is asked. */
function refusedBy(hooks: Asker, { approvals: people }: Machine): NonNullable<Machine["approvals"]> {
  return {
    ...people,
    async ask(request, decision, signal = new AbortController().signal, ...more) {
      const answer = await hooks({ ...request, id: request.callId }, signal);
      if (answer?.behavior === "deny") return { status: "answered", requestId: "", answer, by: "hook" };
      return people ? people.ask(request, decision, signal, ...more) : { status: "unattended", requestId: "" };
    },
  };
}

/** The hooks of a session and those of an agent, as one. */
export const bothHooks =
  (session: RunHooks, own: RunHooks | undefined): RunHooks =>
  async (event, payload, signal) => {
    if (!own) return session(event, payload, signal);
    const [first, second] = await Promise.all([session(event, payload, signal), own(event, payload, signal)]);
    return { ...second, ...first, context: [...first.context, ...second.context] };
  };
