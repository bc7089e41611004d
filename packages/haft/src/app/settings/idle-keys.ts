import type { LayerSettings, SettingsLayer, SettingsProblem } from "@haft/core/policy";

/** Keys that files may hold, each with its other spelling, and that nothing reads in this version. */
const IDLE: readonly (readonly [key: keyof LayerSettings, spelling?: string])[] = [["discovery"], ["flow"]];
/** The gates that something reads. */
const GATES: readonly string[] = ["toolSearch", "agentSwarms", "coordinator", "WEB_BROWSER_TOOL"];

/** What a file asks for and will not get: who wrote it counts on it, so they are told. */
export function idleKeys({ file, settings, lineOf }: SettingsLayer): readonly SettingsProblem[] {
  const keys = IDLE.flatMap(([key, spelling]) => {
    if (settings[key] === undefined) return [];
    return spelling !== undefined && lineOf?.([key]) === undefined ? [[spelling]] : [[key]];
  });
  const gates = Object.keys(settings.gates ?? {}).filter((name) => !GATES.includes(name));
  return [...keys, ...gates.map((name) => ["gates", name])].map((path) => {
    const line = lineOf?.(path);
    return {
      severity: "warning",
      file,
      path,
      ...(line === undefined ? {} : { line }),
      message: `${path.join(".")} has no effect yet.`,
      cure:
        path[0] === "gates" ? `Remove it; the gates that count are: ${GATES.join(", ")}.` : "Remove it until it has.",
    };
  });
}
