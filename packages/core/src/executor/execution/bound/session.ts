import type { Grant } from "../../../policy/index.ts";
import type { AgentRef, Ports } from "../../../tool/index.ts";
import { undeclared } from "./undeclared.ts";

type Raw = Pick<
  Ports,
  | "tasks"
  | "plans"
  | "inbox"
  | "conversation"
  | "worktrees"
  | "settings"
  | "memory"
  | "skills"
  | "panel"
  | "channels"
  | "sessions"
  | "schedules"
>;

/** The ports to the session's state, as one call gets them: each needs its own `state`, granted. */
export function boundSession(raw: Raw, tool: string, grant: Grant, agent: AgentRef): Raw {
  const {
    tasks,
    plans,
    inbox,
    conversation,
    worktrees,
    settings,
    memory,
    skills,
    panel,
    channels,
    sessions,
    schedules,
  } = raw;
  function granted<T>(of: string, change: boolean, act: () => T): T {
    const may = grant.effects.some((effect) => effect.do === "state" && effect.of === of && (effect.change || !change));
    return may ? act() : undeclared(tool, `${change ? "change" : "read"} the state "${of}"`);
  }
  return {
    ...(tasks && {
      tasks: {
        create: async (draft) => granted("tasks", true, () => tasks.create(draft)),
        get: async (id) => granted("tasks", false, () => tasks.get(id)),
        list: async () => granted("tasks", false, () => tasks.list()),
        update: async (id, change) => granted("tasks", true, () => tasks.update(id, change, agent.name ?? agent.id)),
      },
    }),
    ...(plans && {
      plans: {
        enter: () => granted("plan", true, () => plans.enter()),
        problems: (effects) => plans.problems(effects),
        leave: (effects) => granted("plan", true, () => plans.leave(effects)),
      },
    }),
    ...(inbox && { inbox }),
    ...(conversation && {
      conversation: { snip: async (span) => granted("conversation", true, () => conversation.snip(span)) },
    }),
    ...(worktrees && {
      worktrees: {
        current: () => worktrees.current(),
        enter: async (name) => granted("worktree", true, () => worktrees.enter(name)),
        leave: async (how) => granted("worktree", true, () => worktrees.leave(how)),
      },
    }),
    ...(memory && {
      memory: {
        isAttended: memory.isAttended,
        strangers: () => memory.strangers(),
        list: async () => granted("memory", false, () => memory.list()),
        get: async (id) => granted("memory", false, () => memory.get(id)),
        search: async (query, limit) => granted("memory", false, () => memory.search(query, limit)),
        add: async (draft, by) => granted("memory", true, () => memory.add(draft, by)),
        change: async (id, text, by) => granted("memory", true, () => memory.change(id, text, by)),
        remove: async (id, by) => granted("memory", true, () => memory.remove(id, by)),
      },
    }),
    ...(skills && { skills: { ...skills, begin: (name) => granted("skills", true, () => skills.begin(name)) } }),
    ...(panel && {
      panel: {
        async show(title, content, signal) {
          return granted("panel", true, () => panel.show(title, content, signal));
        },
        hide: () => granted("panel", true, () => panel.hide()),
        evaluate: async (script, signal) => granted("panel", true, () => panel.evaluate(script, signal)),
        snapshot: async (signal) => granted("panel", false, () => panel.snapshot(signal)),
        push: async (messages, signal) => granted("panel", true, () => panel.push(messages, signal)),
        reset: () => granted("panel", true, () => panel.reset()),
      },
    }),
    ...(channels && {
      channels: {
        list: () => channels.list(),
        async send(channel, message, signal) {
          const may = grant.effects.some(
            (effect) => effect.do === "send" && effect.channel === channel && effect.to === message.to,
          );
          return may ? channels.send(channel, message, signal) : undeclared(tool, `send to "${channel}"`);
        },
        read: async (channel, limit, signal) => granted("channels", false, () => channels.read(channel, limit, signal)),
      },
    }),
    ...(schedules && {
      schedules: {
        problem: (draft) => schedules.problem(draft),
        rehearse: async (draft) => granted("schedules", true, () => schedules.rehearse(draft)),
        add: async (draft) => granted("schedules", true, () => schedules.add(draft)),
        list: async () => granted("schedules", false, () => schedules.list()),
        get: async (id) => granted("schedules", false, () => schedules.get(id)),
        firings: async (id, limit) => granted("schedules", false, () => schedules.firings(id, limit)),
        setEnabled: async (id, enabled) => granted("schedules", true, () => schedules.setEnabled(id, enabled)),
        remove: async (id) => granted("schedules", true, () => schedules.remove(id)),
        runSoon: async (id) => granted("schedules", true, () => schedules.runSoon(id)),
      },
    }),
    ...(sessions && {
      sessions: {
        own: sessions.own,
        isKin: (id) => sessions.isKin(id),
        status: async (id) => granted("sessions", false, () => sessions.status(id)),
        list: async (query) => granted("sessions", false, () => sessions.list(query)),
        history: async (id, options) => granted("sessions", false, () => sessions.history(id, options)),
        send: async (id, message, options) =>
          granted(sessions.isKin(id) ? "messages" : "sessions", true, () => sessions.send(id, message, options)),
        async spawn(request) {
          const may = grant.effects.some((effect) => effect.do === "delegate" && effect.agent === "session");
          return may ? sessions.spawn(request) : undeclared(tool, "start a session");
        },
      },
    }),
    ...(settings && {
      settings: {
        list: () => granted("settings", false, () => settings.list()),
        problem: (name, value) => settings.problem(name, value),
        set: async (name, value) => granted("settings", true, () => settings.set(name, value)),
      },
    }),
  };
}
