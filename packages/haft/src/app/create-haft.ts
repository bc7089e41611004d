import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { NamedAsker } from "@haft/core/approval";
import { createExecutor, type Machine } from "@haft/core/executor";
import {
  type AvailabilityPolicy,
  availability,
  createPolicy,
  createToolFilter,
  hasErrors,
  mergeSettings,
  type Policy,
  type RuleSource,
  type Settings,
  type ToolNames,
  withBuiltinNames,
} from "@haft/core/policy";
import { createRegistry, type Entry } from "@haft/core/registry";
import { HaftError, type SeenFile } from "@haft/core/tool";
import {
  builtinTools,
  createHost,
  createJobs,
  createSettingsHooks,
  createSpill,
  type HookNotice,
  isSessionId,
  newSessionId,
  stateFolder,
  trustStore,
} from "@haft/tools";
import { askedCalls } from "./approval/asked-calls.ts";
import { openGrants } from "./approval/grants.ts";
import { openApprovals } from "./approval/open-approvals.ts";
import { eventHub } from "./event-hub.ts";
import { faceOf } from "./face.ts";
import type { Haft, HaftOptions, RuleTexts } from "./haft.ts";
import { publishHead } from "./journal/head.ts";
import { holdProcesses, requireHold } from "./journal/hold.ts";
import { openJournaling } from "./journal/open-journal.ts";
import { privateReads } from "./journal/private-reads.ts";
import { deferralOf } from "./mcp/deferral.ts";
import { openMcp } from "./mcp/open-mcp.ts";
import { configuredServers } from "./mcp/servers.ts";
import { openRecord } from "./record.ts";
import { isSandboxed, openSandbox } from "./sandbox.ts";
import { failedRuleTests } from "./settings/rule-tests.ts";
import { readSettingsFiles, userSettingsFile } from "./settings/settings-files.ts";
import { settingsProblemsText } from "./settings/settings-problems.ts";
import { expandHome, projectRoot, real, workspaceOf } from "./workspace.ts";

/**
 * Puts Haft together for one folder and one session: the only place where ports, tools, policy and record meet.
 *
 * @throws HaftError `validation_failed` when a settings file or an option has an error; nothing is started then.
 */
export async function createHaft(options: HaftOptions = {}): Promise<Haft> {
  const home = real(options.home ?? homedir());
  const cwd = startFolder(options, home);
  const state = options.stateDir === false ? undefined : stateFolder(home, stateEnv(options));
  const sessionId = sessionIdOf(options.session);
  const sessionDir = state?.session(cwd, sessionId);
  const spillDir = sessionDir && join(sessionDir, "spill");

  const names = withBuiltinNames(Array.isArray(options.tools) ? options.tools : []);
  const trusted = options.trusted ?? (state ? trustStore(state).isTrusted(cwd) : false);
  const layers = settingsLayers(options, cwd, home, names);
  const { settings, rules, problems } = mergeSettings(layers, { trusted });
  if (hasErrors(problems)) throw invalidSettings(settingsProblemsText(problems));
  const failedTests = await failedRuleTests(layers, { root: projectRoot(cwd), home });
  if (failedTests.length > 0) throw invalidSettings(settingsProblemsText(failedTests));
  const root = options.settings === false ? undefined : projectRoot(cwd);
  const remote = configuredServers({ settings, layers, trusted, root });
  const base = {
    rules: [...cliRules(options.rules), ...rules],
    mode: options.mode ?? settings.defaultMode ?? "default",
    workspace: workspaceOf(cwd, home, settings, spillDir ? [real(spillDir)] : []),
    trusted,
    tools: names,
    sawPrivate: () => secrets.seen(),
  };
  const secrets = privateReads(sessionDir && join(sessionDir, "session.jsonl"));
  const grants = openGrants({
    root,
    userFile: userFileOf(options, home),
    sessionDir,
    workspaceDir: state?.workspace(cwd),
    servers: remote.servers,
  });
  let policy = createPolicy(base);
  const ruleErrors = policy.problems.filter(({ severity }) => severity === "error");
  if (ruleErrors.length > 0) {
    throw invalidSettings(ruleErrors.map(({ rule, message, cure }) => `${rule}: ${message} ${cure}`).join("\n"));
  }
  if (settings.bypassDisabled && policy.mode === "bypassPermissions") {
    throw invalidSettings(
      "The settings switch mode bypassPermissions off (permissions.disableBypassPermissionsMode). Choose another mode.",
    );
  }
  if (grants.rules.length > 0) policy = policy.with({ grant: grants.rules });

  const workspace = () => policy.workspace;
  const { journal, env } = options;
  const isConfined = isSandboxed(settings);
  const journaling = openJournaling({
    ...{ state, cwd, workspace, isConfined },
    ...(settings.journal ? { settings: settings.journal } : {}),
    ...(journal === undefined ? {} : { journal }),
    ...(env ? { env } : {}),
  });
  const host = createHost({ cwd, home, ...(journaling ? { processes: { around: journaling.around } } : {}) });
  const around = journaling ? { around: journaling.around } : {};
  const sandbox = await openSandbox({
    ...{ settings, workspace, state, plain: host.ports.processes },
    ...{ tmp: sessionDir && join(sessionDir, "tmp"), ...around },
  });
  const jobs = createJobs({
    ...(spillDir ? { folder: join(spillDir, "jobs") } : {}),
    ...(sandbox.fence ? { fence: sandbox.fence } : {}),
  });
  const holding = { settings, workspace, state, journaling };
  if (options.stateDir !== false) await requireHold(base.mode, holding);
  const processes = holdProcesses(sandbox.processes ?? host.ports.processes, holding);
  const ports = { ...host.ports, processes, jobs };
  const registry = createRegistry();
  registry.add({ origin: "builtin", name: "haft" }, presetOf(options.tools, await builtinTools()));
  if (Array.isArray(options.tools)) {
    const { refused } = registry.add({ origin: "custom", name: "host" }, options.tools);
    if (refused[0]) throw invalidSettings(`${refused[0].message} ${refused[0].hint ?? ""}`);
  }

  const hooks = createSettingsHooks({
    settings: settings.hooks,
    workspace: base.workspace,
    session: { id: sessionId },
    cwd: () => cwd,
    mode: () => policy.mode,
    transcript: sessionDir && join(sessionDir, "session.jsonl"),
    identify: (name) => {
      const entry = registry.get(name);
      return entry && policyTool(entry, settings);
    },
    onNotice(notice) {
      record?.log.append({ t: "hook", ...notice });
      (options.onNotice ?? warn)(notice);
    },
  });
  const approvals = openApprovals({
    session: { id: sessionId, dir: sessionDir },
    askers: hooks.askers(askersOf(options.ask)),
    hostAnswers: options.ask === "host",
    clock: host.ports.clock,
    ...(options.approvalTimeoutMs === undefined ? {} : { timeoutMs: options.approvalTimeoutMs }),
    onIgnored(text) {
      record?.log.append({ t: "notice", text });
      process.emitWarning(text, "HaftApprovalWarning");
    },
  });
  const { broker } = approvals;
  const record = sessionDir ? openRecord(join(sessionDir, "session.jsonl"), broker) : undefined;
  record?.log.append({ t: "session", id: sessionId, cwd, mode: base.mode, trusted, version: 1 });

  const hub = eventHub();
  if (options.onEvent) hub.on(options.onEvent);
  hub.on((event) => {
    if (event.type === "tool:execution:complete") secrets.note(event.outcome.effects);
  });
  const agent = { id: "main" };
  const deferral = deferralOf(settings, ports.state, () => mcp);
  const machine: Machine = {
    registry,
    available: (entry, ctx) => availability(policyTool(entry, settings), availabilityPolicy(settings, policy), ctx),
    policy: () => policy,
    autoExecute: (name) => settings.tools?.[name]?.autoExecute,
    approvals: broker,
    async remember(request, answer) {
      const kept = await grants.remember(request, answer);
      policy = policy.with({ grant: kept.rules.map(({ text }) => text) });
      return kept;
    },
    ports,
    agent,
    session: { id: sessionId },
    cwd: () => cwd,
    home,
    offerContext: () => ({
      cwd,
      agent,
      platform: process.platform,
      ports: new Set([...Object.keys(ports), ...(deferral ? ["catalog"] : [])]),
      mode: policy.mode,
    }),
    ...(deferral ? { deferral } : {}),
    hooks: [...(options.hooks ?? []), ...hooks.hooks],
    ...(spillDir ? { spill: createSpill(spillDir) } : {}),
    ...(record ? { recorder: record.recorder } : {}),
    ...(journaling ? { journal: journaling.journal } : {}),
    listener: (event) => hub.emit(event),
    ...(options.loopGuard === false ? { loopGuard: false } : {}),
    concurrency: options.concurrency ?? settings.concurrency ?? "effects",
    ...(settings.budgets?.resultChars === undefined ? {} : { resultChars: settings.budgets.resultChars }),
    ...(settings.budgets?.batchChars === undefined ? {} : { batchChars: settings.budgets.batchChars }),
    seen: new Map<string, SeenFile>(),
  };

  const mcp = openMcp({
    servers: startsServers(options, settings) ? remote.servers : [],
    registry,
    broker,
    isAttended: options.ask !== undefined,
    ...(options.browser ? { browser: options.browser } : {}),
    model: settings.model,
    policy: () => policy,
    state,
    cwd,
    env: options.env ?? process.env,
  });

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    hooks.close();
    approvals.close();
    await Promise.all([mcp.close(), jobs.close(), host.close(), sandbox.processes?.close(), processes.close()]);
    record?.log.append({ t: "end" });
    publishHeads();
    journaling?.journal.close();
    record?.log.close();
  }

  function publishHeads(): void {
    const heads = { journal: journaling?.journal.head(), record: record?.log.head() };
    const problem = publishHead(settings.journal?.head, {
      ...{ at: new Date().toISOString(), workspace: cwd, session: sessionId },
      ...(heads.record === undefined ? {} : { record: heads.record }),
      ...(heads.journal === undefined ? {} : { journal: heads.journal }),
    });
    if (problem !== undefined) process.emitWarning(problem, "HaftJournalWarning");
  }

  return faceOf({
    machine,
    mcp,
    policy: () => policy,
    executor: createExecutor(machine),
    approvals,
    asked: askedCalls(sessionDir),
    hub,
    hostAsks: typeof options.ask !== "function",
    notices: [...problems, ...hooks.problems, ...remote.problems, ...sandbox.problems],
    runHooks: hooks.runHooks,
    jobs,
    ...(settings.model === undefined ? {} : { model: settings.model }),
    serving: settings.server ?? {},
    ...(spillDir ? { spillDir: real(spillDir) } : {}),
    ...(record ? { path: record.log.path } : {}),
    ...(journaling ? { journal: journaling.journal } : {}),
    close() {
      closing ??= close();
      return closing;
    },
  });
}

/** Where work starts: as the host says, else as the settings say, else where the process is. Absolute and real. */
function startFolder(options: HaftOptions, home: string): string {
  const here = real(resolve(options.cwd ?? process.cwd()));
  if (options.cwd !== undefined) return here;
  const { settings } = mergeSettings(settingsLayers(options, here, home, withBuiltinNames([])), { trusted: false });
  const folder = settings.bash?.defaultWorkingDirectory;
  if (folder === undefined) return here;
  const start = real(resolve(here, expandHome(folder, home)));
  if (existsSync(start)) return start;
  throw invalidSettings(
    `bash.defaultWorkingDirectory names ${start}, which does not exist. Make it, or remove the key.`,
  );
}

/** Where rules of the user are saved; nowhere when they are not read from there. */
const userFileOf = (options: HaftOptions, home: string): string | undefined =>
  options.settings === false || options.withoutUserSettings
    ? undefined
    : userSettingsFile(home, options.env?.XDG_CONFIG_HOME);

const startsServers = ({ mcpServers }: HaftOptions, { server }: Settings): boolean =>
  mcpServers === "served" ? (server?.tools ?? "own") !== "own" : mcpServers !== false;

function settingsLayers(options: HaftOptions, cwd: string, home: string, names: ToolNames) {
  if (options.settings === false) return [];
  return readSettingsFiles({
    root: projectRoot(cwd),
    home,
    names,
    ...(options.withoutUserSettings ? { withoutUser: true } : {}),
    ...(options.settings === undefined ? {} : { extra: resolve(cwd, options.settings) }),
    ...(options.env?.XDG_CONFIG_HOME ? { configHome: options.env.XDG_CONFIG_HOME } : {}),
  });
}

const cliRules = (rules: RuleTexts = {}): RuleSource[] =>
  (["deny", "ask", "allow"] as const).flatMap((behavior) =>
    (rules[behavior] ?? []).map((text): RuleSource => ({ behavior, origin: "cli", text })),
  );

/** What nobody listens for is still said: a hook that guards nothing must not fail in silence. */
const warn = ({ event, hook, text }: HookNotice): void =>
  process.emitWarning(`${event} hook "${hook}": ${text}`, "HaftHookWarning");

function askersOf(ask: HaftOptions["ask"]): NamedAsker[] {
  return typeof ask === "function" ? [{ name: "user", ask }] : [];
}

/** `read-only` leaves out every tool that could change something, by what it says it can do. */
function presetOf<T extends { readonly can?: readonly string[] }>(
  tools: HaftOptions["tools"],
  all: readonly T[],
): readonly T[] {
  return tools === "read-only" ? all.filter(({ can }) => can?.every((word) => word === "read")) : all;
}

function policyTool({ tool, source }: Entry, settings: Settings) {
  const { name, aliases, enabled, when } = tool;
  const autoExecute = settings.tools?.[name]?.autoExecute ?? tool.autoExecute;
  return {
    name,
    origin: source.origin,
    ...(aliases ? { aliases } : {}),
    ...(enabled === undefined ? {} : { enabled }),
    ...(when ? { when: when.bind(tool) } : {}),
    ...(autoExecute === undefined ? {} : { autoExecute }),
    ...(source.origin === "mcp" ? { server: source.name } : {}),
  };
}

function availabilityPolicy(settings: Settings, policy: Policy): AvailabilityPolicy {
  const { enableToolCalls, useTools, tools, toolPolicies } = settings;
  return {
    ...(enableToolCalls === undefined ? {} : { enableToolCalls }),
    ...(useTools === undefined ? {} : { useTools }),
    ...(tools ? { tools } : {}),
    filter: createToolFilter(toolPolicies),
    blanketDeny: (tool) => policy.blanketDeny(tool),
  };
}

function sessionIdOf(asked: string | undefined): string {
  if (asked === undefined) return newSessionId();
  if (isSessionId(asked)) return asked;
  throw invalidSettings(`"${asked}" cannot be a session id. Use letters, digits, _ . and -, at most 64.`);
}

const stateEnv = (options: HaftOptions) =>
  typeof options.stateDir === "string" ? { HAFT_STATE_DIR: resolve(options.stateDir) } : (options.env ?? process.env);

const invalidSettings = (message: string): HaftError => new HaftError({ code: "validation_failed", message });
