import type { Mode } from "../decision.ts";
import { gateNamed, type ToolSetting } from "../toolset/index.ts";
import { defined } from "./defined.ts";
import {
  type BudgetSettings,
  DEFAULT_CONCURRENT,
  type LayerSettings,
  type SandboxLimits,
  type SandboxSettings,
  type SandboxTier,
  type Settings,
} from "./model.ts";

/** Which settings of a folder may count before a person trusts the folder, and which keys may not. */
export interface Tightened {
  readonly settings: LayerSettings;
  /** Paths of the keys that were dropped because they would, or might, loosen something. */
  readonly dropped: readonly (readonly string[])[];
}

type Drop = (...path: string[]) => undefined;

/** For each mode, the modes that allow nothing more. Modes that cannot be compared are in no list. */
const TIGHTER_MODES: Readonly<Record<Mode, readonly Mode[]>> = {
  plan: [],
  dontAsk: [],
  default: ["plan", "dontAsk"],
  acceptEdits: ["plan", "dontAsk", "default"],
  undoable: ["plan", "dontAsk", "default"],
  bypassPermissions: ["plan", "dontAsk", "default", "acceptEdits", "undoable"],
};

const TIER_STRENGTH: Readonly<Record<SandboxTier, number>> = { none: 0, readers: 1, auto: 2, srt: 3, bwrap: 3 };

/** The documented limits of a confined command. */
const DEFAULT_LIMITS: Readonly<Required<SandboxLimits>> = { processes: 4096, memoryMB: Number.POSITIVE_INFINITY };

/** The default sizes. A folder may lower them if no other setting gives a number. */
const DEFAULT_CHARS = { resultChars: 100_000, batchChars: 200_000 } as const;

/**
 * The part of an untrusted folder's settings that can only tighten `base`, the settings without that folder. Only
 * listed keys pass: a key that is not known to tighten is dropped, so that a new key is safe from the start.
 */
export function tightenOnly(project: LayerSettings, base: Settings): Tightened {
  const dropped: string[][] = [];
  const drop: Drop = (...path) => void dropped.push(path);
  const kept: LayerSettings = {
    policy: project.policy,
    bypassDisabled: project.bypassDisabled,
    defaultMode: tighterMode(project.defaultMode, base.defaultMode ?? "default", drop),
    enableToolCalls: only(false, project.enableToolCalls, base.enableToolCalls ?? true, () => drop("enableToolCalls")),
    useTools: fewerTools(project.useTools, base.useTools, drop),
    tools: tighterTools(project.tools, base.tools, drop),
    bash: tighterBash(project, base, drop),
    toolAgent: tighterAgent(project, base, drop),
    sandbox: tighterSandbox(project, base, drop),
    concurrency: only("strict", project.concurrency, base.concurrency ?? "effects", () => drop("concurrency")),
    maxConcurrent: atMost(project.maxConcurrent, base.maxConcurrent ?? DEFAULT_CONCURRENT, () => drop("maxConcurrent")),
    gates: closedGates(project.gates, base.gates, drop),
    flow: only("enforce", project.flow, base.flow ?? "enforce", () => drop("flow")),
    budgets: smallerBudgets(project.budgets, base.budgets, drop),
  };
  if (project.additionalDirectories?.length) drop("permissions", "additionalDirectories");
  const loosening = [
    "shell",
    "hooks",
    "mcpServers",
    "mcpRegistry",
    "lsp",
    "server",
    "discovery",
    "model",
    "dialect",
    "journal",
    "web",
    "channels",
    "sessions",
    "compaction",
    "batching",
  ] as const;
  for (const key of loosening) if (project[key] !== undefined) drop(key);
  return { settings: defined(kept), dropped };
}

/** Keeps `value` if it is the tight one; drops any other value that differs from the current one. */
function only<T>(tight: T, value: T | undefined, current: T | undefined, drop: () => void): T | undefined {
  if (value === undefined || value === tight) return value;
  if (value !== current) drop();
  return undefined;
}

function tighterMode(mode: Mode | undefined, current: Mode, drop: Drop): Mode | undefined {
  if (mode === undefined || mode === current) return undefined;
  return TIGHTER_MODES[current].includes(mode) ? mode : drop("permissions", "defaultMode");
}

function fewerTools(
  wanted: LayerSettings["useTools"],
  current: LayerSettings["useTools"],
  drop: Drop,
): LayerSettings["useTools"] {
  if (wanted === undefined) return undefined;
  if (!current) return wanted ?? undefined;
  if (wanted === null) return drop("useTools");
  const fewer = wanted.filter((name) => current.includes(name));
  if (fewer.length < wanted.length) drop("useTools");
  return fewer;
}

function tighterTools(
  tools: LayerSettings["tools"],
  current: LayerSettings["tools"],
  drop: Drop,
): LayerSettings["tools"] {
  const tighter = Object.entries(tools ?? {}).map(([name, setting]) => {
    const now = ownOf(current, name);
    return [
      name,
      unlessEmpty<ToolSetting>({
        enabled: only(false, setting.enabled, now?.enabled, () => drop("tools", name, "enabled")),
        autoExecute: only(false, setting.autoExecute, now?.autoExecute, () => drop("tools", name, "autoExecute")),
      }),
    ] as const;
  });
  return unlessEmpty(Object.fromEntries(tighter) as Readonly<Record<string, ToolSetting>>);
}

function tighterBash({ bash }: LayerSettings, base: Settings, drop: Drop): LayerSettings["bash"] {
  if (!bash) return undefined;
  for (const key of ["defaultWorkingDirectory", "allowedDirectories", "dangerousCommandWhitelist"] as const)
    if (bash[key]?.length) drop("bash", key);
  const { enableSandbox: sandboxed = false, confirmDangerousCommands: confirmed = true } = base.bash ?? {};
  return unlessEmpty({
    enableSandbox: only(true, bash.enableSandbox, sandboxed, () => drop("bash", "enableSandbox")),
    confirmDangerousCommands: only(true, bash.confirmDangerousCommands, confirmed, () =>
      drop("bash", "confirmDangerousCommands"),
    ),
  });
}

function tighterAgent({ toolAgent }: LayerSettings, base: Settings, drop: Drop): LayerSettings["toolAgent"] {
  if (!toolAgent) return undefined;
  for (const key of ["providerId", "model", "models", "prices"] as const)
    if (toolAgent[key] !== undefined) drop("toolAgent", key);
  const now = base.toolAgent;
  return unlessEmpty({
    isolation: toolAgent.isolation,
    autoConfirmDangerous: only(false, toolAgent.autoConfirmDangerous, now?.autoConfirmDangerous, () =>
      drop("toolAgent", "autoConfirmDangerous"),
    ),
    maxToolCalls: atMost(toolAgent.maxToolCalls, now?.maxToolCalls, () => drop("toolAgent", "maxToolCalls")),
    maxAgents: atMost(toolAgent.maxAgents, now?.maxAgents, () => drop("toolAgent", "maxAgents")),
    timeoutMs: atMost(toolAgent.timeoutMs, now?.timeoutMs, () => drop("toolAgent", "timeoutMs")),
  });
}

function tighterSandbox({ sandbox }: LayerSettings, base: Settings, drop: Drop): LayerSettings["sandbox"] {
  if (!sandbox) return undefined;
  const current = base.sandbox?.tier ?? "readers";
  const { tier } = sandbox;
  const isStronger = tier !== undefined && TIER_STRENGTH[tier] > TIER_STRENGTH[current];
  if (tier !== undefined && tier !== current && !isStronger) drop("sandbox", "tier");
  return unlessEmpty({
    tier: isStronger ? tier : undefined,
    network: fewerHosts(sandbox.network, base.sandbox?.network, () => drop("sandbox", "network")),
    limits: smallerLimits(sandbox.limits, base.sandbox?.limits, drop),
  });
}

/** Returns all of them, because they replace the others' as a whole. */
function smallerLimits(limits: SandboxLimits = {}, current: SandboxLimits = {}, drop: Drop): SandboxLimits | undefined {
  const smaller = (key: keyof SandboxLimits) =>
    atMost(limits[key], current[key] ?? DEFAULT_LIMITS[key], () => drop("sandbox", "limits", key));
  const kept = unlessEmpty<SandboxLimits>({ processes: smaller("processes"), memoryMB: smaller("memoryMB") });
  return kept && { ...current, ...kept };
}

function fewerHosts(
  wanted: SandboxSettings["network"],
  current: SandboxSettings["network"],
  drop: () => void,
): SandboxSettings["network"] {
  if (wanted === undefined || wanted === false || wanted === current) return wanted;
  const isOpen = (host: string): boolean => current === true || (Array.isArray(current) && current.includes(host));
  if (wanted === true || !wanted.every(isOpen)) drop();
  return wanted === true ? undefined : wanted.filter(isOpen);
}

function closedGates(
  gates: LayerSettings["gates"],
  current: LayerSettings["gates"],
  drop: Drop,
): LayerSettings["gates"] {
  const closed = Object.entries(gates ?? {}).filter(([name, value]) => {
    // A closed gate hides tools, except one that hides tools while it is open.
    const isTighter = value === false && gateNamed(name)?.hides === undefined;
    if (!isTighter && value !== ownOf(current, name)) drop("gates", name);
    return isTighter;
  });
  return closed.length === 0 ? undefined : Object.fromEntries(closed);
}

function smallerBudgets(
  budgets: BudgetSettings | undefined,
  current: BudgetSettings | undefined,
  drop: Drop,
): BudgetSettings | undefined {
  if (!budgets) return undefined;
  const tools = Object.entries(budgets.tools ?? {}).flatMap(([name, size]) => {
    const smaller = atMost(size, ownOf(current?.tools, name), () => drop("budgets", "tools", name));
    return smaller === undefined ? [] : [[name, smaller] as const];
  });
  const size = (key: keyof typeof DEFAULT_CHARS) =>
    atMost(budgets[key], current?.[key] ?? DEFAULT_CHARS[key], () => drop("budgets", key));
  return unlessEmpty({
    resultChars: size("resultChars"),
    batchChars: size("batchChars"),
    tools: tools.length === 0 ? undefined : Object.fromEntries(tools),
  });
}

/** A number not above the current limit. Without a known limit, no number counts as lower. */
function atMost(value: number | undefined, limit: number | undefined, drop: () => void): number | undefined {
  if (value === undefined || (limit !== undefined && value <= limit)) return value;
  drop();
  return undefined;
}

/** Returns `undefined` instead of an empty object if every key was dropped. */
function unlessEmpty<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T | undefined {
  const left = defined(value);
  return Object.keys(left).length === 0 ? undefined : (left as object as T);
}

const ownOf = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record && Object.hasOwn(record, key) ? record[key] : undefined;
