import { builtinToolNames, type RuleSource, type SettingsLayer, type ToolNames } from "@haft/core/policy";
import { lintRules } from "@haft/core/policy/lint";

/** One remark on the settings. */
export interface SettingsRemark {
  readonly severity: "error" | "warning" | "notice";
  readonly file: string;
  /** Counts from 1. */
  readonly line?: number;
  /** The rule concerned, if any. */
  readonly rule?: string;
  readonly message: string;
  readonly cure: string;
}

/**
 * Finds all errors and oddities in settings files: unreadable parts, and rules of all files together that never match,
 * never decide or are repeated. In the order of files and lines, errors first. Servers are those of the settings, plus the
 * given ones.
 */
export function lintSettings(
  layers: readonly SettingsLayer[],
  known: ToolNames = builtinToolNames,
  moreServers: readonly string[] = [],
): readonly SettingsRemark[] {
  const problems = layers.flatMap((layer) => layer.problems).map(({ path: _path, ...remark }) => remark);
  const findings = lintRules(
    layers.flatMap((layer) => layer.rules),
    known,
  ).map(
    ({ severity, message, cure, source: { file = "", line, text } }): SettingsRemark => ({
      severity,
      file,
      ...(line === undefined ? {} : { line }),
      rule: text,
      message,
      cure,
    }),
  );
  const servers = [...layers.flatMap(({ settings }) => Object.keys(settings.mcpServers ?? {})), ...moreServers];
  findings.push(...layers.flatMap(({ rules }) => rules.flatMap((rule) => misspelt(rule, servers))));
  // Reader and lint both check single rules. The lint's finding is kept, because it names the rule.
  const said = new Set(findings.map(placed));
  const files = new Map(layers.map(({ file }, index) => [file, index]));
  const rank = { error: 0, warning: 1, notice: 2 };
  return [...problems.filter((problem) => !said.has(placed(problem))), ...findings].sort(
    (a, b) =>
      rank[a.severity] - rank[b.severity] ||
      (files.get(a.file) ?? 0) - (files.get(b.file) ?? 0) ||
      (a.line ?? 0) - (b.line ?? 0),
  );
}

/** Server names are case-sensitive, so a name with different case matches no server. */
function misspelt({ text, file = "", line }: RuleSource, servers: readonly string[]): SettingsRemark[] {
  const name = /^mcp__((?:(?!__)[^*()])+)/i.exec(text)?.[1];
  if (name === undefined || servers.includes(name)) return [];
  const meant = servers.find((server) => server.toLowerCase() === name.toLowerCase());
  if (meant === undefined) return [];
  const message = `No server is called "${name}", so "${text}" matches nothing: the configured one is "${meant}".`;
  const cure = `Write ${text.replace(/^mcp__/i, "mcp__").replace(name, meant)}.`;
  return [{ severity: "warning", file, ...(line === undefined ? {} : { line }), rule: text, message, cure }];
}

const placed = ({ file, line, message }: SettingsRemark): string => `${file}\n${line}\n${message}`;
