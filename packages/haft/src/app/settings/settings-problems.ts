import type { SettingsProblem } from "@haft/core/policy";

/** Problems as text for a person: place, message and cure. Errors first. */
export function settingsProblemsText(problems: readonly SettingsProblem[]): string {
  const rank = { error: 0, warning: 1, notice: 2 };
  return [...problems]
    .sort((a, b) => rank[a.severity] - rank[b.severity])
    .map(
      ({ severity, file, line, message, cure }) => `${file}${line ? `:${line}` : ""}: ${severity}: ${message} ${cure}`,
    )
    .join("\n");
}
