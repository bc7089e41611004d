import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Ports, Tasks } from "@haft/core/tool";
import { createScripts, memoryPages, openTasks, openWorktrees, type ScriptHost, type TaskStore } from "@haft/service";
import { createMailbox } from "../../agent/context/mailbox.ts";
import type { Mailbox, Message } from "../../agent/index.ts";
import type { LivePolicy } from "../setup/live-policy.ts";
import type { Setup } from "../setup/setup.ts";
import { openMemory } from "./memory.ts";
import { type PlanMode, planMode } from "./plan-mode.ts";
import { schedulesPort } from "./schedules.ts";
import { openSessions, type SessionLink } from "./sessions.ts";
import { settingsStore } from "./settings-store.ts";
import { openStrangers, type Strangers } from "./strangers.ts";

/** State that a session keeps for its agents, and the ports of the main agent. */
export interface SessionState {
  readonly plan: PlanMode;
  readonly tasks: TaskStore;
  readonly mailbox: Mailbox;
  readonly scripts: ScriptHost;
  /** The strangers whose content the session has read. */
  readonly strangers: Strangers;
  /** The way to other sessions, for a live agent. */
  readonly link: SessionLink | undefined;
  /** The memory, as a section of the system prompt. */
  memoryPrompt(): string | undefined;
  /** The ports of the main agent. */
  readonly ports: Partial<Ports>;
}

export function openSessionState(
  setup: Setup,
  live: LivePolicy,
  clock: Clock,
  jobs: () => readonly string[],
): SessionState {
  const { session, root, cwd, userFile, settings, names, options } = setup;
  const plan = planMode(live, names);
  const tasks = openTasks(session.dir && join(session.dir, "tasks.jsonl"));
  const mailbox = createMailbox(session.spill === undefined ? undefined : keeperIn(session.spill));
  const scripts = createScripts({ folder: session.dir && join(session.dir, "scripts"), clock });
  const strangers = openStrangers(setup.earlier ?? session.record);
  const memory =
    setup.state &&
    openMemory({
      ...{ pages: memoryPages(setup.state, root ?? cwd), session: session.id, strangers },
      isAttended: options.ask !== undefined,
    });
  const { visibility = "tree", maxHops = 5 } = settings.sessions ?? {};
  const sessions =
    setup.state &&
    openSessions({
      ...{ state: setup.state, id: session.id, folder: cwd, visibility, maxHops, strangers, jobs },
      mode: () => live.now().mode,
    });
  const schedules =
    setup.state &&
    schedulesPort({
      ...{ state: setup.state, folder: cwd, options },
      mode: () => live.now().mode,
      model: () => sessions?.host()?.facts().model,
      rehearse: () => sessions?.host()?.rehearse,
    });
  const hasRepository = root !== undefined && root === cwd && existsSync(join(root, ".git"));
  return {
    plan,
    tasks,
    mailbox,
    scripts,
    strangers,
    link: sessions?.link,
    memoryPrompt: () => memory?.prompt(),
    ports: {
      ...(memory ? { memory: memory.port } : {}),
      ...(sessions ? { sessions: sessions.port } : {}),
      ...(schedules ? { schedules } : {}),
      ...(options.canvas && !options.lookOnly ? { panel: options.canvas } : {}),
      tasks: tasksOn(tasks),
      plans: plan,
      inbox: mailbox.inbox,
      conversation: mailbox.conversation,
      ...(options.lookOnly ? {} : { scripts }),
      ...(hasRepository && !options.lookOnly ? { worktrees: openWorktrees({ root, move: live.move }) } : {}),
      ...(userFile === undefined ? {} : { settings: settingsStore(userFile, settings, names) }),
    },
  };
}

/** A list of tasks as a port. */
export const tasksOn = (store: TaskStore): Tasks => ({
  create: async (draft) => store.create(draft),
  get: async (id) => store.get(id),
  list: async () => store.list(),
  update: async (id, change, by = "") => store.update(id, change, by),
});

/** Writes down the messages that are cut out of a conversation. */
export function keeperIn(folder: string): (removed: readonly Message[]) => string {
  let count = 0;
  return (removed) => {
    mkdirSync(folder, { recursive: true });
    for (;;) {
      const file = join(folder, `snipped-${++count}.jsonl`);
      if (existsSync(file)) continue;
      writeFileSync(file, removed.map((message) => `${JSON.stringify(message)}\n`).join(""), {
        mode: 0o600,
        flag: "wx",
      });
      return file;
    }
  };
}
