import { createExecutor } from "@haft/core/executor";
import type { Registry } from "@haft/core/registry";
import type { AgentRef } from "@haft/core/tool";
import type { McpServer } from "@haft/mcp";
import type { Haft, HaftOptions } from "./haft.ts";
import { type Foundation, openFoundation } from "./open/foundation.ts";
import { sessionMachine } from "./open/session-machine.ts";
import type { Parts, SessionControl } from "./public-api.ts";
import { openRecord, recordInTable, type SessionRecord } from "./record.ts";
import { sessionEnd } from "./session-end.ts";
import { switchesOf } from "./setup/offering.ts";
import { checkMode, type Setup } from "./setup/setup.ts";
import { real } from "./workspace.ts";

/**
 * Puts Haft together for one folder and one session: the only place where ports, tools, policy and record meet.
 *
 * @throws HaftError `validation_failed` when a settings file or an option has an error; nothing is started then.
 */
export async function createHaft(given: HaftOptions = {}): Promise<Haft> {
  const [{ createApi }, { formatsOf: formats }] = await Promise.all([
    import("./public-api.ts"),
    import("./formats.ts"),
  ]);
  return createApi({ ...(await openParts(given)), formats });
}

/** The same without `for`: the command line makes calls and talks to no model API by itself. */
export async function openForCalls(given: HaftOptions): Promise<Haft> {
  const { createApi } = await import("./public-api.ts");
  return createApi(await openParts(given));
}

/** The part of a Haft that a single call needs. */
export type SingleCall = Pick<Haft, "session" | "run" | "explain"> & AsyncDisposable;

/** Opens no more than calls of one tool need. */
export async function openForCall(given: HaftOptions, tool: string): Promise<SingleCall> {
  const parts = await openParts(given, tool);
  const { executor, mcp, machine, path } = parts;
  /** A tool of a server may still be on its way. */
  const known = async (signal?: AbortSignal): Promise<void> => {
    if (machine.registry.get(tool)) return;
    const { toolWaits } = await import("./mcp/tool-waits.ts");
    await toolWaits(mcp, machine.registry).whenKnown([{ tool }], signal);
  };
  return {
    session: { id: machine.session.id, ...(path === undefined ? {} : { path }) },
    async run(calls, options) {
      await known(options?.signal);
      return executor.run(calls, options);
    },
    async explain(name, input) {
      await known();
      return executor.explain({ id: "explain", tool: name, input });
    },
    [Symbol.asyncDispose]: () => parts.close(),
  };
}

/** The parts of a Haft, for a worker: its calls were decided by another Haft. */
export async function openParts(given: HaftOptions, called?: string): Promise<Parts> {
  const base = await openFoundation(given, called);
  const { setup, own, live, notices, world, queue, kit, state, registry, hooks, approvals } = base;
  const { user, choice, dialect, hub, watched } = base;
  const { session, settings, options } = setup;
  const { broker } = approvals;
  const asked = kit.askedCalls(session.dir);
  const extensions = kit.openExtensions({ ...base, broker, runHooks: hooks.runHooks, onNotice: notices.post });
  const record = openedRecord(base);
  const instructions = kit.openInstructions(setup, live, notices.post, hooks.runHooks);
  const servers = startsServers(setup) ? setup.remote.servers : [];
  for (const problem of kit.loginProblems(servers, setup.past?.state)) notices.warn(problem);
  const deferral = kit.deferralOf(settings, session.dir, () => mcp);
  const offer = kit.initialToolList();
  const mcp = openServers(base, offer, choice.model, servers, registry);
  const engine = kit.openAgents({
    ...{ setup, model: choice.model, registry, clock: world.ports.clock, strangers: state.strangers },
    ...{ runHooks: hooks.runHooks, onNotice: notices.post },
    openServers: startsServers(setup) ? (...wanted) => openServers(base, offer, choice.model, ...wanted) : undefined,
  });
  const machine = sessionMachine({
    ...{ setup, live, world, state, registry, broker, hooks, record, hub, deferral, dialect, mcp },
    skills: extensions.skills.port,
    agents: engine.port,
    spill: own.spill,
    switches: () => choice.switches,
    ...(queue ? { queue } : {}),
  });
  const executor = createExecutor(machine);
  const end = sessionEnd({
    ...{ setup, world, executor, hooks, approvals, mcp, extensions, engine, state, record, user },
    ...(queue ? { queue } : {}),
    onNotice: notices.post,
  });
  const whole: Parts = {
    ...{ machine, mcp, executor, approvals, hub, extensions, asked, instructions },
    ...{ initialToolList: offer, policy: live.now, spending: engine, jobs: world.jobs, adopt: engine.adopt },
    batching: settings.batching ?? true,
    hostAsks: typeof options.ask !== "function",
    notices: notices.posted,
    mailbox: state.mailbox,
    ...(state.link ? { link: state.link } : {}),
    runHooks: hooksAndRunEnd(base, extensions),
    model: () => choice.model,
    control: controlOf(base, engine),
    ...placesOf(base, record),
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

const controlOf = (
  { setup: { settings }, world, state, choice }: Foundation,
  engine: Pick<SessionControl, "setModel">,
): SessionControl => ({
  async setMode(mode) {
    checkMode(mode, settings);
    await world.requireMode(mode);
    state.setMode(mode);
  },
  setModel(name) {
    choice.model = name;
    engine.setModel(name);
  },
  setTools(next) {
    choice.switches = switchesOf(next);
  },
});

/** Grants of an approved plan end with the work that they were for. */
const hooksAndRunEnd =
  ({ state, hooks }: Foundation, { skills }: Parts["extensions"]): Parts["runHooks"] =>
  (event, ...more) => {
    if (event === "UserPromptSubmit") {
      state.endRun();
      skills.endRun();
    }
    return hooks.runHooks(event, ...more);
  };

/** The parts that come from settings, stores and the state of the session. */
const placesOf = (
  { setup: { settings, session }, world, state }: Foundation,
  record: SessionRecord | undefined,
): Pick<Parts, "serving" | "compaction" | "spillDir" | "path" | "journal" | "ownJournal" | "browserFor"> => ({
  serving: settings.server ?? {},
  compaction: settings.compaction ?? {},
  ...(session.spill ? { spillDir: real(session.spill) } : {}),
  ...(record?.log.path === undefined ? {} : { path: record.log.path }),
  ...(world.journaling ? { journal: world.journaling.journal } : {}),
  ...(world.journal ? { ownJournal: world.journal } : {}),
  ...(state.browserFor ? { browserFor: state.browserFor } : {}),
});

/** Opens the record, which gets what was noticed so far and later. */
function openedRecord({ setup, own, user, hooks, notices, approvals: { broker } }: Foundation) {
  const { cwd, session, remote, mode, trusted } = setup;
  const { agent } = setup.options;
  const record = own.record
    ? recordInTable(own.record, broker)
    : session.record === undefined
      ? undefined
      : openRecord(session.record, broker, own.secrets);
  record?.log.append({ t: "session", id: session.id, cwd, mode, trusted, agent, version: 1 });
  for (const problem of [...setup.problems, ...hooks.problems, ...remote.problems]) notices.warn(problem);
  notices.watch((notice) => record?.log.append({ t: "notice", ...notice }));
  if (user.notice) notices.post(user.notice);
  return record;
}

function openServers(
  { setup, kit, live, hooks, approvals: { broker } }: Foundation,
  offer: ReturnType<Foundation["kit"]["initialToolList"]>,
  model: string | undefined,
  servers: readonly McpServer[],
  registry: Registry,
  agent: AgentRef = { id: "main" },
) {
  const { options, state, cwd } = setup;
  return kit.openMcp({
    ...{ servers, agent, registry, broker, model, state, offer },
    // Servers start on this machine, which may not have the folder.
    cwd: options.host ? process.cwd() : cwd,
    isAttended: options.ask !== undefined,
    runHooks: hooks.runHooks,
    ...(options.browser ? { browser: options.browser } : {}),
    policy: live.now,
    known: setup.past?.state,
    env: options.env ?? process.env,
  });
}

const startsServers = ({ options: { mcpServers }, settings: { server } }: Setup): boolean =>
  mcpServers === "served" ? (server?.tools ?? "own") !== "own" : mcpServers !== false;
