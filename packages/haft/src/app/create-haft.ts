import type { NamedAsker } from "@haft/core/approval";
import { createExecutor } from "@haft/core/executor";
import { openAgents } from "./agents/open-agents.ts";
import { askedCalls } from "./approval/asked-calls.ts";
import { openApprovals } from "./approval/open-approvals.ts";
import { checkOptions } from "./check-options.ts";
import { eventHub } from "./event-hub.ts";
import { openExtensions } from "./extend/open-extensions.ts";
import type { Haft, HaftOptions } from "./haft.ts";
import { openInstructions } from "./instructions/open-instructions.ts";
import { deferralOf } from "./mcp/deferral.ts";
import { initialToolList } from "./mcp/initial-tool-list.ts";
import { loginProblems, openMcp } from "./mcp/open-mcp.ts";
import { noticeBoard, settingNotice, warnProcess } from "./notice.ts";
import { createApi, type Parts } from "./public-api.ts";
import { openRecord, recordInTable } from "./record.ts";
import { DENIALS, denialHook, watchFiles } from "./session/hooked-events.ts";
import { hookedPorts } from "./session/hooked-ports.ts";
import { openStores, secretsOf } from "./session/open-stores.ts";
import { sessionMachine } from "./session/session-machine.ts";
import { openSessionState } from "./session/session-ports.ts";
import { sessionEnd } from "./session-end.ts";
import { dialectFor } from "./setup/dialect.ts";
import { livePolicy } from "./setup/live-policy.ts";
import { openRegistry, switchesOf, type ToolSwitches, withOwnTools } from "./setup/offering.ts";
import { checkRuntime } from "./setup/runtime.ts";
import { sessionHooks } from "./setup/session-hooks.ts";
import { enterSession } from "./setup/session-users.ts";
import { checkMode, readSetup, type Setup } from "./setup/setup.ts";
import { openWorld, type World } from "./setup/world.ts";
import { real } from "./workspace.ts";

/**
 * Puts Haft together for one folder and one session: the only place where ports, tools, policy and record meet.
 *
 * @throws HaftError `validation_failed` when a settings file or an option has an error; nothing is started then.
 */
export async function createHaft(given: HaftOptions = {}): Promise<Haft> {
  const { formatsOf: formats } = await import("./formats.ts");
  return createApi({ ...(await openParts(given)), formats });
}

/**
 * The same without `for`: the command line makes calls and talks to no model API by itself. `called`: the only tool that
 * will be called.
 */
export const openForCalls = async (given: HaftOptions, called?: string): Promise<Haft> =>
  createApi(await openParts(given, called));

/** The parts of a Haft, for a worker: its calls were decided by another Haft. */
export async function openParts(given: HaftOptions, called?: string): Promise<Parts> {
  checkRuntime();
  checkOptions(given);
  const options = await withOwnTools(given);
  const { setup, own } = await openStores(await readSetup(options));
  const { cwd, state, session, settings, remote } = setup;
  const live = livePolicy(setup);
  const notices = noticeBoard();
  notices.watch(options.onNotice ?? warnProcess);
  const world = await (options.host
    ? (await import("./setup/host-world.ts")).openHostWorld(setup, options.host, live.now, notices.post)
    : openWorld(setup, live.now, notices.post));
  const { ports } = world;
  const queue =
    options.queue === undefined
      ? undefined
      : await (await import("./queue/open-queue.ts")).openQueue(options.queue, setup, live.now);
  const kept = openSessionState(setup, live, ports.clock, () => runningJobs(world.jobs));
  const registry = await openRegistry(options, called);
  const hooks = sessionHooks(setup, registry, live.now, notices.post, options.hookCallbacks);
  const onIgnored = (message: string) =>
    notices.post({ code: "answer_ignored", severity: "warning", source: "approvals", message });
  const table = await own.approvals?.(onIgnored);
  const approvals = openApprovals({
    session: { id: session.id, dir: session.dir },
    askers: hooks.askers(askersOf(options.ask)),
    hostAnswers: options.ask === "host",
    clock: ports.clock,
    ...(options.approvalTimeoutMs === undefined ? {} : { timeoutMs: options.approvalTimeoutMs }),
    onIgnored,
    ...(table ? { table } : {}),
  });
  const { broker } = approvals;
  const extensions = openExtensions({
    setup,
    live,
    registry,
    broker,
    runHooks: hooks.runHooks,
    onNotice: notices.post,
  });
  const record = own.record
    ? recordInTable(own.record, broker)
    : session.record === undefined
      ? undefined
      : openRecord(session.record, broker, secretsOf(setup));
  record?.log.append({ t: "session", id: session.id, cwd, mode: setup.mode, trusted: setup.trusted, version: 1 });
  const lost = loginProblems(startsServers(setup) ? remote.servers : [], setup.past?.state);
  for (const problem of [...setup.problems, ...hooks.problems, ...remote.problems, ...lost])
    notices.post(settingNotice(problem));
  notices.watch((notice) => record?.log.append({ t: "notice", ...notice }));

  const user = enterSession(session.id, session.dir);
  if (user.notice) notices.post(user.notice);

  const hub = eventHub();
  if (settings.hooks?.Notification)
    hub.on(
      (event) => {
        if (event.type !== "tool:permission:request") return;
        const { title, why } = event.request;
        void hooks.runHooks("Notification", { title, message: why, notification_type: "permission_prompt" });
      },
      ["tool:permission:request"],
    );
  if (settings.hooks?.PermissionDenied || options.hookCallbacks) hub.on(denialHook(hooks.runHooks), DENIALS);
  const watched = settings.hooks?.FileChanged ? watchFiles(cwd, hooks.runHooks) : undefined;
  if (options.onEvent) hub.on(options.onEvent);
  const deferral = deferralOf(settings, session.dir, () => mcp);
  let model = options.model ?? settings.model ?? options.fallbackModel;
  const dialect = dialectFor(options.dialect ?? settings.dialect, () => model);
  const engine = openAgents({
    ...{ setup, model, registry, clock: ports.clock, strangers: kept.strangers },
    ...{ runHooks: hooks.runHooks, onNotice: notices.post },
  });
  let switches: ToolSwitches = switchesOf(settings);
  const machine = sessionMachine({
    ...{
      setup,
      live,
      world,
      state: { ...kept, ports: hookedPorts(kept.ports, hooks.runHooks) },
      skills: extensions.skills.port,
      agents: engine.port,
      registry,
      broker,
      hooks,
      record,
      spill: own.spill,
      hub,
      deferral,
      dialect,
    },
    mcp: () => mcp,
    switches: () => switches,
    ...(queue ? { elsewhere: queue.machine } : {}),
  });
  const offer = initialToolList();
  const mcp = openMcp({
    servers: startsServers(setup) ? remote.servers : [],
    registry,
    broker,
    isAttended: options.ask !== undefined,
    runHooks: hooks.runHooks,
    ...(options.browser ? { browser: options.browser } : {}),
    model,
    policy: live.now,
    known: setup.past?.state,
    state,
    // Servers start on this machine, which may not have the folder.
    cwd: options.host ? process.cwd() : cwd,
    env: options.env ?? process.env,
    offer,
  });

  const executor = createExecutor(machine);
  const end = sessionEnd({
    setup,
    world,
    executor,
    hooks,
    approvals,
    mcp,
    extensions,
    engine,
    scripts: kept.scripts,
    record,
    user,
    ...(queue ? { queue } : {}),
    onNotice: notices.post,
  });
  const whole: Parts = {
    machine,
    mcp,
    initialToolList: offer,
    policy: live.now,
    executor,
    approvals,
    asked: askedCalls(session.dir),
    hub,
    batching: settings.batching ?? true,
    hostAsks: typeof options.ask !== "function",
    notices: notices.posted,
    mailbox: kept.mailbox,
    ...(kept.link ? { link: kept.link } : {}),
    // Grants of an approved plan end with the work that they were for.
    runHooks(event, ...more) {
      if (event === "UserPromptSubmit") {
        kept.plan.endRun();
        extensions.skills.endRun();
      }
      return hooks.runHooks(event, ...more);
    },
    spending: engine,
    instructions: openInstructions(setup, live, notices.post, hooks.runHooks),
    jobs: world.jobs,
    extensions,
    model: () => model,
    control: {
      async setMode(mode) {
        checkMode(mode, settings);
        await world.requireMode(mode);
        kept.plan.set(mode);
      },
      setModel(name) {
        model = name;
        engine.setModel(name);
      },
      setTools(next) {
        switches = switchesOf(next);
      },
    },
    serving: settings.server ?? {},
    compaction: settings.compaction ?? {},
    ...(session.spill ? { spillDir: real(session.spill) } : {}),
    ...(record?.log.path === undefined ? {} : { path: record.log.path }),
    ...(world.journaling ? { journal: world.journaling.journal } : {}),
    ...(world.journal ? { ownJournal: world.journal } : {}),
    adopt: engine.adopt,
    ...end,
    async close() {
      watched?.close();
      await end.close();
    },
  };
  const parts = options.agent === undefined ? whole : engine.asMain(options.agent, whole, options.model);
  engine.attach(parts);
  await extensions.refresh();
  // A program may open many sessions and use few: the file is opened again with the first call.
  if (!own.record) await record?.log.close();
  return parts;
}

const startsServers = ({ options: { mcpServers }, settings: { server } }: Setup): boolean =>
  mcpServers === "served" ? (server?.tools ?? "own") !== "own" : mcpServers !== false;

const runningJobs = (jobs: World["jobs"]): readonly string[] =>
  jobs.list().flatMap(({ id, status }) => (status === "running" ? [id] : []));

function askersOf(ask: HaftOptions["ask"]): NamedAsker[] {
  return typeof ask === "function" ? [{ name: "user", ask }] : [];
}
