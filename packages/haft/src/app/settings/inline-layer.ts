import { resolve } from "node:path";
import { modes, parseSettings, type SettingsLayer, type ToolNames, type WrittenSettings } from "@haft/core/policy";
import { idleKeys } from "./idle-keys.ts";

/** Settings that a program hands over, held to the same as those of a file. Folders count from `cwd`. */
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
