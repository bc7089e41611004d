import { GATES, gateNamed, type LayerSettings, type SettingsLayer, type SettingsProblem } from "@haft/core/policy";

/** Keys that files may hold but this version does not read, each with its other spelling. */
const IDLE: readonly (readonly [key: keyof LayerSettings, spelling?: string])[] = [["flow"]];

/** Warns about requested settings without an effect, because their author relies on them. */
export function idleKeys({ file, settings, lineOf }: SettingsLayer): readonly SettingsProblem[] {
  const keys = IDLE.flatMap(([key, spelling]) => {
    if (settings[key] === undefined) return [];
    return spelling !== undefined && lineOf?.([key]) === undefined ? [[spelling]] : [[key]];
  });
  const gates = Object.keys(settings.gates ?? {}).filter((name) => name !== "userType" && !gateNamed(name));
  return [...keys, ...gates.map((name) => ["gates", name])].map((path) => {
    const line = lineOf?.(path);
    return {
      severity: "warning",
      file,
      path,
      ...(line === undefined ? {} : { line }),
      message: `${path.join(".")} has no effect yet.`,
      cure:
        path[0] === "gates"
          ? `Remove it; the gates that count are: ${GATES.map(({ name }) => name).join(", ")}, userType.`
          : "Remove it until it has.",
    };
  });
}
