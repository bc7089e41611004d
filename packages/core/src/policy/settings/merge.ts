import type { RuleSource } from "../rule/rule.ts";
import type { SourcedToolPolicy, ToolSetting } from "../toolset/index.ts";
import { bashRules } from "./bash-rules.ts";
import { defined } from "./defined.ts";
import {
  hasErrors,
  type LayerSettings,
  type MergedSettings,
  SETTINGS_PRECEDENCE,
  type Settings,
  type SettingsLayer,
  type SettingsProblem,
} from "./model.ts";
import { HOOK_EVENTS } from "./schema.ts";
import { tightenOnly } from "./tighten.ts";

/** Used when a file is broken: no tool exists, and a call to one is not allowed either. */
const LOCKED: Settings = { enableToolCalls: false, defaultMode: "dontAsk", toolPolicies: [{ allow: [] }] };

/**
 * Merges layers. Single values come from the strongest layer that sets them: managed, cli, local, project, user; of two
 * layers of one origin the first. Lists of rules, directories and hooks add up. All tool policies apply one after the
 * other, but only the strongest profile. Project settings only tighten until the folder is trusted; dropped keys are
 * reported as a notice. The same holds for a local file that came with the repository: give it the origin `project`. A
 * project never switches off the question before dangerous commands, trusted or not.
 *
 * If any layer has an error, nothing is allowed: no allow rule, no tool, mode `dontAsk`.
 */
export function mergeSettings(
  layers: readonly SettingsLayer[],
  options: { readonly trusted: boolean },
): MergedSettings {
  const problems = layers.flatMap((layer) => layer.problems);
  if (hasErrors(problems)) {
    const rules = layers.flatMap((layer) => layer.rules).filter((rule) => rule.behavior !== "allow");
    return { settings: LOCKED, rules, inert: [], problems };
  }
  const ordered = [...layers].sort((a, b) => rankOf(a) - rankOf(b));
  const base = combine(
    ordered.filter((layer) => layer.origin !== "project"),
    options.trusted,
  );
  const held = ordered.map((layer) => restrain(layer, base, options.trusted));
  const kept = held.map(({ layer }) => layer);
  const settings = combine(kept, options.trusted);
  return {
    settings,
    rules: [...kept.flatMap(({ rules }) => rules), ...bashRules(kept, settings)],
    inert: held.flatMap(({ inert = [] }) => inert),
    problems: [...problems, ...held.flatMap(({ notices }) => notices)],
  };
}

const rankOf = (layer: SettingsLayer): number => SETTINGS_PRECEDENCE.indexOf(layer.origin);

interface Restrained {
  readonly layer: SettingsLayer;
  /** Its rules without effect. */
  readonly inert?: readonly RuleSource[];
  readonly notices: readonly SettingsProblem[];
}

/** A project's layer without the keys that it may not set. Other layers pass unchanged. */
function restrain(layer: SettingsLayer, base: Settings, trusted: boolean): Restrained {
  if (layer.origin !== "project") return { layer, notices: [] };
  if (trusted) return withoutOwn(layer);
  const { settings, dropped } = tightenOnly(layer.settings, base);
  const allows = layer.rules.filter((rule) => rule.behavior === "allow");
  const cure = "Look at the file, then run `haft trust` to let this folder's settings allow more.";
  const notice = (path: readonly string[], what: string, line = layer.lineOf?.(path)): SettingsProblem => ({
    severity: "notice",
    file: layer.file,
    path,
    ...(line === undefined ? {} : { line }),
    message: `${what} is ignored: the folder is not trusted.`,
    cure,
  });
  return {
    layer: { ...layer, settings, rules: layer.rules.filter((rule) => rule.behavior !== "allow") },
    inert: allows,
    notices: [
      ...allows.map((rule) => notice(["permissions", "allow"], `The rule allow ${rule.text}`, rule.line)),
      ...dropped.map((path) => notice(path, `"${path.join(".")}"`)),
    ],
  };
}

/** Keys that a project cannot set, trusted or not: they would loosen what only the user may loosen. */
const NEVER_OF_PROJECTS: readonly {
  readonly path: readonly [keyof LayerSettings, ...string[]];
  readonly why: string;
}[] = [
  { path: ["bash", "confirmDangerousCommands"], why: "a project cannot disable the question" },
  { path: ["web", "privateHosts"], why: "a project cannot open private networks" },
  { path: ["web", "browser", "logins"], why: "a project cannot store logins" },
  { path: ["web", "search"], why: "a project cannot choose who is asked" },
];

function withoutOwn(layer: SettingsLayer): Restrained {
  const found = NEVER_OF_PROJECTS.filter(({ path }) => {
    const value = valueAt(layer.settings, path);
    return value !== undefined && value !== true;
  });
  const notices = found.map(
    ({ path, why }): SettingsProblem => ({
      severity: "notice",
      file: layer.file,
      path,
      message: `"${path.join(".")}" is ignored: ${why}.`,
      cure: "Set it in your user settings if you want it.",
    }),
  );
  const settings = found.reduce((rest, { path }) => without(rest, path), layer.settings);
  return { layer: found.length === 0 ? layer : { ...layer, settings }, notices };
}

const valueAt = (value: unknown, [key, ...rest]: readonly string[]): unknown =>
  key === undefined ? value : valueAt((value as Readonly<Record<string, unknown>> | undefined)?.[key], rest);

function without<T extends object>(value: T, [key = "", ...rest]: readonly string[]): T {
  const { [key]: inner, ...others } = value as Record<string, unknown>;
  return (rest.length === 0 ? others : { ...others, [key]: without(inner as object, rest) }) as T;
}

/** Combines layers in order of strength. */
function combine(layers: readonly SettingsLayer[], trusted: boolean): Settings {
  const all = layers.map((layer) => layer.settings);
  const first = <K extends keyof LayerSettings>(key: K): LayerSettings[K] =>
    all.find((settings) => settings[key] !== undefined)?.[key];
  // Weakest first, so that stronger layers overwrite single keys.
  const keys = <T extends object>(pick: (settings: LayerSettings) => T | undefined): T | undefined => {
    const found = all.flatMap((settings) => pick(settings) ?? []).reverse();
    return found.length === 0 ? undefined : (Object.assign({}, ...found) as T);
  };
  const union = <T>(pick: (settings: LayerSettings) => readonly T[] | undefined): readonly T[] | undefined => {
    const lists = all.flatMap((settings) => (pick(settings) === undefined ? [] : [pick(settings) ?? []]));
    return lists.length === 0 ? undefined : distinct(lists.flat());
  };
  return defined({
    toolPolicies: toolPolicies(layers, trusted),
    defaultMode: first("defaultMode"),
    bypassDisabled: first("bypassDisabled"),
    additionalDirectories: union((settings) => settings.additionalDirectories),
    tools: toolSettings(all),
    enableToolCalls: first("enableToolCalls"),
    useTools: first("useTools"),
    bash: withLists(
      keys((settings) => settings.bash),
      {
        allowedDirectories: union((settings) => settings.bash?.allowedDirectories),
        dangerousCommandWhitelist: union((settings) => settings.bash?.dangerousCommandWhitelist),
      },
    ),
    shell: withLists(
      keys((settings) => settings.shell),
      { env: keys((settings) => settings.shell?.env) },
    ),
    toolAgent: keys((settings) => settings.toolAgent),
    hooks: hooks(all),
    mcpServers: keys((settings) => settings.mcpServers),
    mcpRegistry: first("mcpRegistry"),
    lsp: keys((settings) => settings.lsp),
    server: withLists(
      keys((settings) => settings.server),
      { clients: keys((settings) => settings.server?.clients) },
    ),
    sandbox: keys((settings) => settings.sandbox),
    model: first("model"),
    dialect: first("dialect"),
    concurrency: first("concurrency"),
    maxConcurrent: first("maxConcurrent"),
    batching: first("batching"),
    gates: keys((settings) => settings.gates),
    discovery: keys((settings) => settings.discovery),
    flow: first("flow"),
    journal: keys((settings) => settings.journal),
    web: withLists(
      keys((settings) => settings.web),
      {
        privateHosts: union((settings) => settings.web?.privateHosts),
        search: all.find(({ web }) => web?.search)?.web?.search,
        browser: withLists(
          keys((settings) => settings.web?.browser),
          { logins: union((settings) => settings.web?.browser?.logins) },
        ),
      },
    ),
    channels: keys((settings) => settings.channels),
    sessions: keys((settings) => settings.sessions),
    compaction: keys((settings) => settings.compaction),
    budgets: withLists(
      keys((settings) => settings.budgets),
      { tools: keys((settings) => settings.budgets?.tools) },
    ),
  });
}

/**
 * Each layer's lists form a separate filter. Only the strongest profile counts. The exception is a profile of an
 * untrusted project: it does not replace the next one, it only filters further.
 */
function toolPolicies(layers: readonly SettingsLayer[], trusted: boolean): SourcedToolPolicy[] {
  let isProfileSettled = false;
  return layers.flatMap(({ origin, file, settings: { policy } }) => {
    if (!policy) return [];
    const { profile, ...lists } = policy;
    const counts = profile !== undefined && !isProfileSettled;
    if (counts && (origin !== "project" || trusted)) isProfileSettled = true;
    return [{ origin, file, ...lists, ...(counts ? { profile } : {}) }];
  });
}

function toolSettings(all: readonly LayerSettings[]): Settings["tools"] {
  const names = distinct(all.flatMap((settings) => Object.keys(settings.tools ?? {})));
  if (names.length === 0) return undefined;
  const strongest = (name: string): ToolSetting =>
    Object.assign({}, ...all.map((settings) => settings.tools?.[name] ?? {}).reverse()) as ToolSetting;
  return Object.fromEntries(names.map((name) => [name, strongest(name)]));
}

function hooks(all: readonly LayerSettings[]): Settings["hooks"] {
  const events = HOOK_EVENTS.filter((event) => all.some((one) => one.hooks?.[event]));
  const onFailure = all.find((one) => one.hooks?.onFailure)?.hooks?.onFailure;
  if (events.length === 0 && onFailure === undefined) return undefined;
  const groups = events.map((event) => [event, distinct(all.flatMap((one) => one.hooks?.[event] ?? []))] as const);
  return { ...Object.fromEntries(groups), ...(onFailure === undefined ? {} : { onFailure }) };
}

/** Keeps the order and removes duplicates. Two values are equal if their JSON is. */
function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item] as const)).values()];
}

/** Lists inside a group of keys add up; its single values come from the strongest layer. */
const withLists = <T extends object>(value: T | undefined, lists: Partial<T>): T | undefined =>
  value && (defined({ ...value, ...lists }) as object as T);
