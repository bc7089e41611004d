import type { Behavior, Mode } from "../decision.ts";
import { parseRule } from "../rule/parse.ts";
import type { RuleProblem, RuleSource } from "../rule/rule.ts";
import {
  builtinToolNames,
  checkToolPolicy,
  emptyProfile,
  isMcpName,
  type ProfileName,
  type ToolNames,
  type ToolPolicy,
} from "../toolset/index.ts";
import { modeNamed, PLAIN_MODES } from "./mode-name.ts";
import type { RuleTest, SettingsLayer, SettingsOrigin, SettingsProblem } from "./model.ts";
import { normalizeSettings } from "./normalize.ts";
import { SETTINGS_SCHEMA } from "./schema.ts";
import { checkShape } from "./shape.ts";

/** Context of the settings to parse. */
export interface ParseSettingsOptions {
  readonly origin: SettingsOrigin;
  /** The name that a person knows the file by; "command line" and the like without a file. */
  readonly file: string;
  /** Line of a place in the file, from 1, if the reader kept it. */
  lineOf?(path: readonly string[]): number | undefined;
  /** Known tool names. Default: those of the built-in tools. */
  readonly names?: ToolNames;
  /** Modes that this machine supports. Default: all but `undoable`, which needs views or copies of the workspace. */
  readonly modes?: readonly Mode[];
  /** Makes a folder absolute, relative to the place of these settings. Default: as written. */
  resolvePath?(path: string): string;
}

type Found = Omit<SettingsProblem, "file" | "line">;
type Raw = Readonly<Record<string, unknown>>;

/**
 * Strictly reads one place's settings, already parsed from JSON5. Unknown keys, wrong types, unknown names and
 * unreadable rules are errors with their place and hint. A layer with an error has no settings, and of its rules only
 * the sound deny and ask rules: a broken file opens nothing.
 */
export function parseSettings(value: unknown, options: ParseSettingsOptions): SettingsLayer {
  const { origin, file } = options;
  const at = (found: Found): SettingsProblem => {
    const line = options.lineOf?.(found.path);
    return { ...found, file, ...(line === undefined ? {} : { line }) };
  };
  const shapeProblems = checkShape(value, SETTINGS_SCHEMA).map((issue) => at({ ...issue, severity: "error" }));
  if (!isObject(value)) return { origin, file, settings: {}, rules: [], problems: shapeProblems };

  const { rules, problems: ruleProblems } = readRules(value, options, at);
  const isSound = shapeProblems.length === 0;
  const meaning = isSound ? checkMeaning(value, options).map(at) : [];
  const problems = [...shapeProblems, ...ruleProblems, ...meaning];
  if (problems.some((problem) => problem.severity === "error"))
    return { origin, file, settings: {}, rules: rules.filter((rule) => rule.behavior !== "allow"), problems };
  const tests = readTests(value, options);
  return {
    origin,
    file,
    settings: normalizeSettings(value, options),
    rules,
    problems,
    ...(options.lineOf ? { lineOf: options.lineOf } : {}),
    ...(tests.length > 0 ? { tests } : {}),
  };
}

function readTests({ permissions }: Raw, { lineOf }: ParseSettingsOptions): RuleTest[] {
  const { tests = [] } = (permissions ?? {}) as { readonly tests?: readonly RuleTest[] };
  return tests.map((test, index) => {
    const line = lineOf?.(["permissions", "tests", String(index)]);
    return line === undefined ? test : { ...test, line };
  });
}

function readRules(
  value: Raw,
  options: ParseSettingsOptions,
  at: (found: Found) => SettingsProblem,
): { rules: RuleSource[]; problems: SettingsProblem[] } {
  const rules: RuleSource[] = [];
  const problems: SettingsProblem[] = [];
  const permissions = isObject(value.permissions) ? value.permissions : {};
  for (const behavior of ["deny", "ask", "allow"] as const) {
    const list: unknown = Object.hasOwn(permissions, behavior) ? permissions[behavior] : undefined;
    if (!Array.isArray(list)) continue;
    for (const [index, text] of list.entries()) {
      if (typeof text !== "string" || text.trim() === "") continue;
      const path = ["permissions", behavior, String(index)];
      const findings = findingsOf(text, behavior, options.names ?? builtinToolNames);
      problems.push(...findings.map(({ severity, message, cure }) => at({ severity, path, message, cure })));
      if (findings.some((finding) => finding.severity === "error")) continue;
      const line = options.lineOf?.(path);
      rules.push({ behavior, origin: options.origin, file: options.file, text, ...(line ? { line } : {}) });
    }
  }
  return { rules, problems };
}

function findingsOf(text: string, behavior: Behavior, names: ToolNames): readonly RuleProblem[] {
  const parsed = parseRule(text, behavior, names);
  return "problem" in parsed ? [parsed.problem] : parsed.rule.warnings;
}

/** Checks what a schema cannot see: names, modes that the machine lacks, duplicates. The shape is already checked. */
function checkMeaning(value: Raw, options: ParseSettingsOptions): Found[] {
  const names = options.names ?? builtinToolNames;
  return [
    ...checkPolicies(value, names),
    ...checkToolKeys(value, names),
    ...checkUseTools(value, names),
    ...checkBudgetKeys(value, names),
    ...checkMode(value, options.modes ?? PLAIN_MODES),
    ...checkServers(value),
    ...checkClients(value, names),
    ...(value.toolAgent && value.toolAgentSettings
      ? [error(["toolAgentSettings"], "toolAgentSettings is an alias of toolAgent; both are set.", "Keep one.")]
      : []),
  ];
}

function checkPolicies(value: Raw, names: ToolNames): Found[] {
  return ["policy", "tools"].flatMap((key) => {
    const policy = (value[key] ?? {}) as Raw;
    const lists = (["allow", "deny"] as const).flatMap((list) =>
      checkToolPolicy({ [list]: policy[list] } as ToolPolicy, names).map(({ entry, message, cure, severity }) => {
        const index = (policy[list] as readonly string[]).indexOf(entry);
        return { severity, path: [key, list, String(index)], message, cure };
      }),
    );
    const own: Found[] = [...checkProfile(policy, [key], names), ...checkExisting(policy.allow, [key, "allow"], names)];
    if (key === "policy") return [...lists, ...own];
    const twice = ["profile", "allow", "deny"].filter(
      (word) => Object.hasOwn(policy, word) && Object.hasOwn((value.policy ?? {}) as Raw, word),
    );
    const cure = 'Set it once, under "policy".';
    return [
      ...lists,
      ...twice.map((word) => error([key, word], `policy.${word} and tools.${word} are both set.`, cure)),
    ];
  });
}

/** A profile that leaves no tools is a mistake, and would look like a broken Haft. */
function checkProfile({ profile }: Raw, path: readonly string[], names: ToolNames): Found[] {
  const message = profile === undefined ? undefined : emptyProfile(profile as ProfileName, names);
  return message === undefined
    ? []
    : [error([...path, "profile"], message, "Use another profile, or a list of tools.")];
}

/** An allow list relies on each of its tools, so each has to exist. Denying a future tool is not a mistake. */
function checkExisting(list: unknown, path: readonly string[], names: ToolNames): Found[] {
  return ((list ?? []) as readonly string[]).flatMap((entry, index) =>
    checkPlanned(entry, [...path, String(index)], names),
  );
}

/** A warning instead of an error: settings of another agent or version name such tools and must load. */
function checkPlanned(entry: string, path: readonly string[], names: ToolNames): Found[] {
  const name = names.canonical(entry);
  if (name === undefined || !names.facts(name)?.isPlanned) return [];
  const message = `The tool "${name}" does not exist in this version: its settings have no effect.`;
  return [{ severity: "warning", path, message, cure: "Remove it, unless another version uses these settings." }];
}

function checkToolKeys(value: Raw, names: ToolNames): Found[] {
  const seen = new Map<string, string>();
  return Object.keys((value.tools ?? {}) as Raw).flatMap((key) => {
    if (key === "profile" || key === "allow" || key === "deny") return [];
    const name = names.canonical(key) ?? key.trim();
    const earlier = seen.get(name);
    seen.set(name, key);
    if (earlier === undefined) return checkName(key, ["tools", key], names);
    return [error(["tools", key], `tools.${earlier} and tools.${key} are the same tool.`, "Keep one of the two.")];
  });
}

function checkUseTools(value: Raw, names: ToolNames): Found[] {
  const list = (value.useTools ?? []) as readonly string[];
  return list.flatMap((name, index) => checkName(name, ["useTools", String(index)], names));
}

function checkBudgetKeys(value: Raw, names: ToolNames): Found[] {
  const tools = ((value.budgets ?? {}) as Raw).tools ?? {};
  return Object.keys(tools).flatMap((name) => checkName(name, ["budgets", "tools", name], names));
}

function checkName(name: string, path: readonly string[], names: ToolNames): Found[] {
  if (names.canonical(name)) return checkPlanned(name, path, names);
  if (isMcpName(name) && !name.includes("*")) return [];
  const near = names.nearest(name);
  const cure = near ? `Did you mean "${near}"?` : "`haft tools list --all` names them all.";
  return [error(path, `There is no tool "${name}".`, cure)];
}

function checkMode(value: Raw, available: readonly Mode[]): Found[] {
  const written = ((value.permissions ?? {}) as Raw).defaultMode as string | undefined;
  if (written === undefined) return [];
  const mode = modeNamed(written);
  if (mode && available.includes(mode)) return [];
  const message = `The mode "${written}" is not supported on this machine.`;
  return [error(["permissions", "defaultMode"], message, "`haft doctor` shows what is missing; use another mode.")];
}

function checkServers(value: Raw): Found[] {
  return Object.entries((value.mcpServers ?? {}) as Readonly<Record<string, Raw>>).flatMap(([name, server]) => {
    if (Object.hasOwn(server, "command") !== Object.hasOwn(server, "url")) return [];
    // This lets a person turn off a server of a project or a wider file without repeating its settings.
    if (server.enabled === false && !Object.hasOwn(server, "command")) return [];
    const cure = "Give exactly one of command and url.";
    return [error(["mcpServers", name], `The server "${name}" must have a command to start or a url.`, cure)];
  });
}

/** An unreadable rule or tool name of a client would leave open what it was meant to close. */
function checkClients(value: Raw, names: ToolNames): Found[] {
  const { clients = {} } = (value.server ?? {}) as { readonly clients?: Readonly<Record<string, Raw>> };
  return Object.entries(clients).flatMap(([client, profile]) => {
    const path = ["server", "clients", client];
    const lists = (["allow", "deny"] as const).flatMap((list) =>
      checkToolPolicy({ [list]: profile[list] } as ToolPolicy, names).map(({ message, cure, severity }) => ({
        severity,
        path: [...path, list],
        message,
        cure,
      })),
    );
    const rules = (profile.rules ?? {}) as Readonly<Partial<Record<"ask" | "deny", readonly string[]>>>;
    const findings = (["deny", "ask"] as const).flatMap((behavior) =>
      (rules[behavior] ?? []).flatMap((text) =>
        findingsOf(text, behavior, names).map(({ severity, message, cure }) => ({
          severity,
          path: [...path, "rules", behavior],
          message,
          cure,
        })),
      ),
    );
    return [
      ...lists,
      ...checkProfile(profile, path, names),
      ...checkExisting(profile.allow, [...path, "allow"], names),
      ...findings,
    ];
  });
}

const error = (path: readonly string[], message: string, cure: string): Found => ({
  severity: "error",
  path,
  message,
  cure,
});

const isObject = (value: unknown): value is Raw => typeof value === "object" && value !== null && !Array.isArray(value);
