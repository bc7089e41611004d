import { resolve } from "node:path";
import { modes, parseGates, type SettingsLayer, type ToolNames, type WrittenSettings } from "@haft/core/policy";
import { parseSettings } from "@haft/core/policy/settings";
import { idleKeys } from "./idle-keys.ts";

/** Settings passed in by a program, validated like those of a file. Relative folders resolve against `cwd`. */
export const inlineLayer = (settings: WrittenSettings, cwd: string, names: ToolNames): SettingsLayer =>
  layerOf(settings, "createHaft({ settings })", cwd, names);

/** The gates that the environment turns on or off (HAFT_GATES), and the type of the user. They are stronger than files. */
export function environmentLayer(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  names: ToolNames,
): readonly SettingsLayer[] {
  const userType = env.HAFT_USER_TYPE ?? env.USER_TYPE;
  const gates = { ...(userType ? { userType } : {}), ...parseGates(env.HAFT_GATES ?? "") };
  return Object.keys(gates).length > 0 ? [layerOf({ gates }, "HAFT_GATES", cwd, names)] : [];
}

function layerOf(settings: WrittenSettings, file: string, cwd: string, names: ToolNames): SettingsLayer {
  const layer = parseSettings(settings, {
    origin: "cli",
    file,
    names,
    modes,
    resolvePath: (path) => (path.startsWith("~/") ? path : resolve(cwd, path)),
  });
  return { ...layer, problems: [...layer.problems, ...idleKeys(layer)] };
}
