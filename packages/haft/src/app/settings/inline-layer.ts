import { resolve } from "node:path";
import { modes, parseSettings, type SettingsLayer, type ToolNames, type WrittenSettings } from "@haft/core/policy";
import { idleKeys } from "./idle-keys.ts";

/** Settings passed in by a program, validated like those of a file. Relative folders resolve against `cwd`. */
export function inlineLayer(settings: WrittenSettings, cwd: string, names: ToolNames): SettingsLayer {
  const layer = parseSettings(settings, {
    origin: "cli",
    file: "createHaft({ settings })",
    names,
    modes,
    resolvePath: (path) => (path.startsWith("~/") ? path : resolve(cwd, path)),
  });
  return { ...layer, problems: [...layer.problems, ...idleKeys(layer)] };
}
