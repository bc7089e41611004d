import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mode } from "@haft/core/policy";
import type { Ports, Tasks } from "@haft/core/tool";
import type { RunHooks } from "@haft/plugins/hook";
import { createScripts, memoryPages, openTasks, openWorktrees, type TaskStore } from "@haft/service/session";
import { createMailbox } from "../../agent/context/mailbox.ts";
import type { Mailbox, Message } from "../../agent/index.ts";
import type { NoticeListener } from "../notice.ts";
import type { LivePolicy } from "../setup/live-policy.ts";
import type { Setup } from "../setup/setup.ts";
import type { World } from "../setup/world.ts";
import { hookedPorts } from "./hooked-ports.ts";
import { openMemory } from "./memory.ts";
import { type BrowserMaker, openWeb, type Web } from "./open-web.ts";
import { planMode } from "./plan-mode.ts";
import { schedulesPort } from "./schedules.ts";
import { openSessions, type SessionLink } from "./sessions.ts";
import { settingsStore } from "./settings-store.ts";
import { openStrangers, type Strangers } from "./strangers.ts";

/** State that a session keeps for its agents, and the ports of the main agent. */
export interface SessionState {
  readonly mailbox: Mailbox;
  /** The way to other sessions, for a live agent. */
  readonly link: SessionLink | undefined;
  /** The memory, as a section of the system prompt. */
  memoryPrompt(): string | undefined;
  /** The ports of the main agent. */
  ports(runHooks: RunHooks): Partial<Ports>;
  /** Why ports are missing. */
  readonly missing: Web["missing"];
  /** Makes browsers for sessions of other machines. */
  readonly browserFor?: BrowserMaker;
  /** A person chooses the mode. */
  setMode(mode: Mode): void;
  /** The strangers whose content the session has read. */
  readonly strangers: Strangers;
  /** Ends the grants of an approved plan: the user has said something new. */
  endRun(): void;
  /** Stops scripts where they are. */
  park(): void;
  close(): Promise<void>;
}

export function openSessionState(
  setup: Setup,
  live: LivePolicy,
  world: Pick<World, "ports" | "jobs">,
  onNotice: NoticeListener,
): SessionState {
  const { session, root, cwd, userFile, settings, names, options } = setup;
  const plan = planMode(live, names);
  const tasks = openTasks(session.dir && join(session.dir, "tasks.jsonl"));
  const mailbox = createMailbox(session.spill === undefined ? undefined : keeperIn(session.spill));
  const scripts = createScripts({ folder: session.dir && join(session.dir, "scripts"), clock: world.ports.clock });
  const web = openWeb(setup, world.ports, live.now, onNotice);
  const jobs = () => runningJobs(world.jobs);
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
    mailbox,
    link: sessions?.link,
    memoryPrompt: () => memory?.prompt(),
    setMode: plan.set,
    endRun: plan.endRun,
    strangers,
    missing: web.missing,
    ...(web.browserFor ? { browserFor: web.browserFor } : {}),
    park: () => scripts.park(),
    close: async () => void (await Promise.all([scripts.close(), web.close()])),
    ports: (runHooks) =>
      hookedPorts(
        {
          ...web.ports,
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
        runHooks,
      ),
  };
}

const runningJobs = (jobs: World["jobs"]): readonly string[] =>
  jobs.list().flatMap(({ id, status }) => (status === "running" ? [id] : []));

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
