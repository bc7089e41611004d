import type { NamedAsker } from "@haft/core/approval";
import { createExecutor, type Machine, type Recorder } from "@haft/core/executor";
import type { SeenFile } from "@haft/core/tool";
import { createSettingsHooks, createSpill } from "@haft/tools";
import { askedCalls } from "./approval/asked-calls.ts";
import { openApprovals } from "./approval/open-approvals.ts";
import { eventHub } from "./event-hub.ts";
import { faceOf } from "./face.ts";
import type { Haft, HaftOptions } from "./haft.ts";
import { publishHead } from "./journal/head.ts";
import { deferralOf } from "./mcp/deferral.ts";
import { openMcp } from "./mcp/open-mcp.ts";
import { hookNotice, noticeBoard, settingNotice, warnProcess } from "./notice.ts";
import { openRecord } from "./record.ts";
import { livePolicy } from "./setup/live-policy.ts";
import { availableBy, openRegistry, policyTool } from "./setup/offering.ts";
import { readSetup, type Setup } from "./setup/setup.ts";
import { openWorld } from "./setup/world.ts";
import { real } from "./workspace.ts";

/**
 * Puts Haft together for one folder and one session: the only place where ports, tools, policy and record meet.
 *
 * @throws HaftError `validation_failed` when a settings file or an option has an error; nothing is started then.
 */
export async function createHaft(options: HaftOptions = {}): Promise<Haft> {
  const setup = await readSetup(options);
  const { home, cwd, state, session, settings, remote } = setup;
  const { now: policy, remember, privateReads } = livePolicy(setup);
  const notices = noticeBoard();
  notices.watch(options.onNotice ?? warnProcess);
  const world = await openWorld(setup, policy, notices.post);
  const { ports, jobs, journaling } = world;
  const registry = await openRegistry(options);

  const hooks = createSettingsHooks({
    settings: settings.hooks,
    workspace: setup.workspace,
    session: { id: session.id },
    cwd: () => cwd,
    mode: () => policy().mode,
    transcript: session.record,
    identify: (name) => {
      const entry = registry.get(name);
      return entry && policyTool(entry, settings);
    },
    onNotice: (notice) => notices.post(hookNotice(notice)),
  });
  const approvals = openApprovals({
    session: { id: session.id, dir: session.dir },
    askers: hooks.askers(askersOf(options.ask)),
    hostAnswers: options.ask === "host",
    clock: ports.clock,
    ...(options.approvalTimeoutMs === undefined ? {} : { timeoutMs: options.approvalTimeoutMs }),
    onIgnored: (message) => notices.post({ code: "answer_ignored", severity: "warning", source: "approvals", message }),
  });
  const { broker } = approvals;
  const record =
    session.record === undefined
      ? undefined
      : openRecord(session.record, broker, {
          ...(options.env ?? process.env),
          ...settings.shell?.env,
          ...options.shell?.env,
        });
  record?.log.append({ t: "session", id: session.id, cwd, mode: setup.mode, trusted: setup.trusted, version: 1 });
  for (const problem of [...setup.problems, ...hooks.problems, ...remote.problems])
    notices.post(settingNotice(problem));
  notices.watch((notice) => record?.log.append({ t: "notice", ...notice }));

  const hub = eventHub();
  if (options.onEvent) hub.on(options.onEvent);
  const recorder: Recorder = {
    record(outcome) {
      if (outcome.status === "ok") privateReads.note(outcome.effects);
      return record?.recorder.record(outcome);
    },
  };
  const agent = { id: "main" };
  const deferral = deferralOf(settings, ports.state, () => mcp);
  const offeredPorts = new Set([...Object.keys(ports), ...(deferral ? ["catalog"] : [])]);
  const { resultChars, batchChars } = settings.budgets ?? {};
  const machine: Machine = {
    registry,
    available: availableBy(setup, policy),
    whyMissing: (tool) => mcp.whyMissing(tool),
    policy,
    autoExecute: (name) => settings.tools?.[name]?.autoExecute,
    approvals: broker,
    remember,
    ports,
    agent,
    session: { id: session.id },
    cwd: () => cwd,
    home,
    offerContext: () => ({ cwd, agent, platform: process.platform, ports: offeredPorts, mode: policy().mode }),
    ...(deferral ? { deferral } : {}),
    hooks: [...(options.hooks ?? []), ...hooks.hooks],
    ...(session.spill ? { spill: createSpill(session.spill) } : {}),
    recorder,
    ...(journaling ? { journal: journaling.journal } : {}),
    listener: (event) => hub.emit(event),
    hears: (type) => hub.hears(type),
    ...(options.loopGuard === false ? { loopGuard: false } : {}),
    concurrency: options.concurrency ?? settings.concurrency ?? "effects",
    ...(resultChars === undefined ? {} : { resultChars }),
    ...(batchChars === undefined ? {} : { batchChars }),
    seen: new Map<string, SeenFile>(),
  };

  const mcp = openMcp({
    servers: startsServers(setup) ? remote.servers : [],
    registry,
    broker,
    isAttended: options.ask !== undefined,
    ...(options.browser ? { browser: options.browser } : {}),
    model: settings.model,
    policy,
    state,
    cwd,
    env: options.env ?? process.env,
  });

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    hooks.close();
    approvals.close();
    await Promise.all([mcp.close(), world.close()]);
    await journaling?.journal.jobs.idle();
    record?.log.append({ t: "end" });
    publishHeads();
    journaling?.journal.close();
    record?.log.close();
  }

  function publishHeads(): void {
    const heads = { journal: journaling?.journal.head(), record: record?.log.head() };
    const problem = publishHead(settings.journal?.head, {
      ...{ at: new Date().toISOString(), workspace: cwd, session: session.id },
      ...(heads.record === undefined ? {} : { record: heads.record }),
      ...(heads.journal === undefined ? {} : { journal: heads.journal }),
    });
    if (problem !== undefined)
      notices.post({ code: "head_not_kept", severity: "warning", source: "journal", ...problem });
  }

  return faceOf({
    machine,
    mcp,
    policy,
    executor: createExecutor(machine),
    approvals,
    asked: askedCalls(session.dir),
    hub,
    hostAsks: typeof options.ask !== "function",
    notices: notices.posted,
    runHooks: hooks.runHooks,
    jobs,
    ...(settings.model === undefined ? {} : { model: settings.model }),
    serving: settings.server ?? {},
    ...(session.spill ? { spillDir: real(session.spill) } : {}),
    ...(record ? { path: record.log.path } : {}),
    ...(journaling ? { journal: journaling.journal } : {}),
    isOver: () => closing !== undefined,
    close() {
      closing ??= close();
      return closing;
    },
  });
}

const startsServers = ({ options: { mcpServers }, settings: { server } }: Setup): boolean =>
  mcpServers === "served" ? (server?.tools ?? "own") !== "own" : mcpServers !== false;

function askersOf(ask: HaftOptions["ask"]): NamedAsker[] {
  return typeof ask === "function" ? [{ name: "user", ask }] : [];
}
