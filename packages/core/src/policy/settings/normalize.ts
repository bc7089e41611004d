import type { Mode } from "../decision.ts";
import { builtinToolNames, type ToolNames, type ToolPolicy, type ToolSetting } from "../toolset/index.ts";
import { defined } from "./defined.ts";
import { modeNamed } from "./mode-name.ts";
import type {
  BashSettings,
  BudgetSettings,
  ChannelSettings,
  JournalSettings,
  LayerSettings,
  WrittenSettings,
} from "./model.ts";

/** The conditions of the common form. */
export interface NormalizeOptions {
  readonly names?: ToolNames;
  resolvePath?(path: string): string;
}

type WrittenTool = ToolSetting & BashSettings;

const policyKeys = ["profile", "allow", "deny"] as const;

/**
 * Normalizes checked settings: one spelling for each thing, names canonical, folders absolute, and no key that was not
 * written.
 */
export function normalizeSettings(value: object, options: NormalizeOptions = {}): LayerSettings {
  const written = value as WrittenSettings;
  const names = options.names ?? builtinToolNames;
  const { permissions, policy, bash, toolAgent, toolAgentSettings, sandbox, useTools, budgets } = written;
  const tools = written.tools as (Readonly<Record<string, WrittenTool>> & ToolPolicy) | undefined;
  const folder = (path: string) => options.resolvePath?.(path) ?? path;
  return defined({
    defaultMode: modeOf(permissions?.defaultMode),
    bypassDisabled: permissions?.disableBypassPermissionsMode === "disable" ? (true as const) : undefined,
    additionalDirectories: permissions?.additionalDirectories?.map(folder),
    policy: policyOf(policy, tools),
    tools: tools && toolSettings(tools, names),
    enableToolCalls: written.enableToolCalls,
    useTools: useTools?.map((name) => canonical(name, names)) ?? useTools,
    bash: bashSettings(bash, tools, names, folder),
    shell: written.shell,
    toolAgent: toolAgent ?? toolAgentSettings,
    hooks: written.hooks,
    mcpServers: written.mcpServers,
    mcpRegistry: written.mcpRegistry,
    lsp: written.lsp,
    server: written.server,
    sandbox: typeof sandbox === "string" ? { tier: sandbox } : sandbox,
    model: written.model,
    dialect: written.dialect,
    concurrency: written.concurrency,
    maxConcurrent: written.maxConcurrent,
    batching: written.batching,
    gates: written.gates,
    discovery: written.discovery,
    flow: written.flow,
    journal: written.journal && journalSettings(written.journal, folder),
    web: written.web,
    channels: written.channels && channelSettings(written.channels, folder),
    sessions: written.sessions,
    compaction: written.compaction,
    budgets: budgets && budgetSettings(budgets, names),
  });
}

const modeOf = (name: string | undefined): Mode | undefined => (name === undefined ? undefined : modeNamed(name));

const canonical = (name: string, names: ToolNames): string => names.canonical(name) ?? name.trim();

/** `policy`, with the keys under `tools` from the older spelling. Setting the same thing in both is an error. */
function policyOf(policy: ToolPolicy | undefined, tools: ToolPolicy | undefined): ToolPolicy | undefined {
  const found = policyKeys.flatMap((key) => {
    const value = policy?.[key] ?? tools?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return found.length === 0 ? undefined : (Object.fromEntries(found) as ToolPolicy);
}

function toolSettings(
  tools: Readonly<Record<string, WrittenTool>>,
  names: ToolNames,
): Readonly<Record<string, ToolSetting>> {
  return Object.fromEntries(
    toolEntries(tools).map(([name, { enabled, autoExecute }]) => [
      canonical(name, names),
      defined({ enabled, autoExecute }),
    ]),
  );
}

/** The keys of `bash`, also accepted under `tools.bash`; the top level wins. */
function bashSettings(
  bash: BashSettings | undefined,
  tools: Readonly<Record<string, WrittenTool>> | undefined,
  names: ToolNames,
  folder: (path: string) => string,
): BashSettings | undefined {
  const [, entry] = toolEntries(tools ?? {}).find(([name]) => canonical(name, names) === "Bash") ?? [];
  const { enabled: _enabled, autoExecute: _autoExecute, ...nested } = entry ?? {};
  const all: BashSettings = { ...nested, ...bash };
  if (Object.keys(all).length === 0) return undefined;
  return defined({
    ...all,
    defaultWorkingDirectory: all.defaultWorkingDirectory && folder(all.defaultWorkingDirectory),
    allowedDirectories: all.allowedDirectories?.map(folder),
  });
}

const toolEntries = (tools: Readonly<Record<string, WrittenTool>>): [string, WrittenTool][] =>
  Object.entries(tools).filter(([key]) => !policyKeys.some((word) => word === key));

const journalSettings = (journal: JournalSettings, folder: (path: string) => string): JournalSettings =>
  typeof journal.head === "string" ? { ...journal, head: folder(journal.head) } : journal;

const channelSettings = (
  channels: Readonly<Record<string, ChannelSettings>>,
  folder: (path: string) => string,
): Readonly<Record<string, ChannelSettings>> =>
  Object.fromEntries(
    Object.entries(channels).map(([name, one]) => [
      name,
      one.file === undefined ? one : { ...one, file: folder(one.file) },
    ]),
  );

function budgetSettings(budgets: BudgetSettings, names: ToolNames): BudgetSettings {
  if (!budgets.tools) return budgets;
  const tools = Object.entries(budgets.tools).map(([name, size]) => [canonical(name, names), size] as const);
  return { ...budgets, tools: Object.fromEntries(tools) };
}
