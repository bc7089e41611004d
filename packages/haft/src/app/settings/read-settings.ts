import type { MergedSettings, SettingsLayer, ToolNames } from "@haft/core/policy";
import { mergeSettings } from "@haft/core/policy/settings";
import type { HaftOptions } from "../haft.ts";
import { environmentLayer, inlineLayer } from "./inline-layer.ts";
import { readSettingsFiles } from "./settings-files.ts";
import type { SettingsSources } from "./settings-places.ts";

/** The sources of a session's settings. */
export interface SettingsRequest extends Pick<HaftOptions, "settings" | "env" | "host"> {
  readonly cwd: string;
  readonly names: ToolNames;
  /** Absent: no file is read. */
  readonly sources: SettingsSources | undefined;
  readonly trusted: boolean;
}

/** The settings of a session, and the layers that they are merged from. */
export interface ReadSettings {
  readonly layers: readonly SettingsLayer[];
  readonly merged: MergedSettings;
}

/** Reads and merges the settings of options, environment and files. */
export function readSettings({ settings, env, host, cwd, names, sources, trusted }: SettingsRequest): ReadSettings {
  const files = sources ? readSettingsFiles(sources) : [];
  const layers = [
    ...(typeof settings === "object" ? [inlineLayer(settings, cwd, names)] : []),
    ...environmentLayer(env ?? process.env, cwd, names),
    ...(host ? files.map(withoutFolders) : files),
  ];
  return { layers, merged: mergeSettings(layers, { trusted }) };
}

/** A folder that a file adds to the workspace is one of this machine. */
function withoutFolders({ settings, ...layer }: SettingsLayer): SettingsLayer {
  const { additionalDirectories: _, bash, ...rest } = settings;
  const { allowedDirectories: __, ...shell } = bash ?? {};
  return { ...layer, settings: { ...rest, ...(bash ? { bash: shell } : {}) } };
}
