import type { Grant } from "../../../policy/index.ts";
import type { AgentRef, Ports } from "../../../tool/index.ts";
import { undeclared } from "./undeclared.ts";

/** A member's access to the state of its port. `now`: it returns a value, not a promise. `free` needs no grant. */
type Access = "free" | "read" | "read now" | "change" | "change now";

/** The access of every member: a port with a new member does not compile until the member has one. */
const ACCESS: { readonly [P in keyof Raw]-?: { readonly [M in keyof Raw[P]]-?: Access } } = {
  tasks: { create: "change", get: "read", list: "read", update: "change" },
  plans: { enter: "change now", problems: "free", leave: "change now" },
  inbox: { arrival: "free" },
  conversation: { snip: "change" },
  worktrees: { current: "free", enter: "change", leave: "change" },
  settings: { list: "read now", problem: "free", set: "change" },
  memory: {
    ...{ isAttended: "free", strangers: "free", list: "read", get: "read", search: "read" },
    ...{ add: "change", change: "change", remove: "change" },
  },
  skills: { list: "free", find: "free", text: "free", files: "free", begin: "change now" },
  panel: {
    ...{ show: "change", hide: "change now", evaluate: "change", snapshot: "read", push: "change" },
    ...{ reset: "change now" },
  },
  // Ports that send or start something need their own effect, below.
  channels: { list: "free", send: "free", read: "read" },
  sessions: { own: "free", isKin: "free", status: "read", list: "read", history: "read", send: "free", spawn: "free" },
  schedules: {
    ...{ problem: "free", rehearse: "change", add: "change", list: "read", get: "read", firings: "read" },
    ...{ setEnabled: "change", remove: "change", runSoon: "change" },
  },
};

/** The name of a port's state, where it is not the port's own. */
const STATES: { readonly [P in keyof Raw]?: string } = { plans: "plan", worktrees: "worktree" };

type Raw = {
  [P in
    | ("tasks" | "plans" | "inbox" | "conversation" | "worktrees" | "settings")
    | ("memory" | "skills" | "panel" | "channels" | "sessions" | "schedules")]: NonNullable<Ports[P]>;
};

/** The ports to the session's state, as one call gets them: each needs its own `state`, granted. */
export function boundSession(raw: Ports, tool: string, grant: Grant, agent: AgentRef): Partial<Raw> {
  function check(of: string, change: boolean): void {
    const may = grant.effects.some((effect) => effect.do === "state" && effect.of === of && (effect.change || !change));
    if (!may) undeclared(tool, `${change ? "change" : "read"} the state "${of}"`);
  }
  const { tasks, channels, sessions, ...others } = guarded(raw, check);
  return {
    ...others,
    ...(tasks && {
      tasks: { ...tasks, update: (id, change) => tasks.update(id, change, agent.name ?? agent.id) },
    }),
    ...(channels && {
      channels: {
        ...channels,
        async send(channel, message, signal) {
          const may = grant.effects.some(
            (effect) => effect.do === "send" && effect.channel === channel && effect.to === message.to,
          );
          return may ? channels.send(channel, message, signal) : undeclared(tool, `send to "${channel}"`);
        },
      },
    }),
    ...(sessions && {
      sessions: {
        ...sessions,
        async send(id, message, options) {
          check(sessions.isKin(id) ? "messages" : "sessions", true);
          return sessions.send(id, message, options);
        },
        async spawn(request) {
          const may = grant.effects.some((effect) => effect.do === "delegate" && effect.agent === "session");
          return may ? sessions.spawn(request) : undeclared(tool, "start a session");
        },
      },
    }),
  };
}

type Act = (...args: readonly unknown[]) => unknown;

/** The ports that are there, each member behind its access. */
function guarded(raw: Ports, check: (of: string, change: boolean) => void): Partial<Raw> {
  const ports: Record<string, object> = {};
  for (const [port, accesses] of Object.entries(ACCESS)) {
    const own = raw[port as keyof Raw] as Readonly<Record<string, Act>> | undefined;
    if (!own) continue;
    const of = STATES[port as keyof Raw] ?? port;
    const members: Record<string, unknown> = {};
    for (const [member, access] of Object.entries(accesses)) members[member] = behind(own, member, access, of, check);
    ports[port] = members;
  }
  return ports;
}

function behind(
  port: Readonly<Record<string, Act>>,
  member: string,
  access: Access,
  of: string,
  check: (of: string, change: boolean) => void,
): unknown {
  if (typeof port[member] !== "function") return port[member];
  const act: Act = (...args) => port[member]?.(...args);
  if (access === "free") return act;
  const change = access.startsWith("change");
  const checked: Act = (...args) => {
    check(of, change);
    return act(...args);
  };
  return access.endsWith("now") ? checked : async (...args: readonly unknown[]) => checked(...args);
}
