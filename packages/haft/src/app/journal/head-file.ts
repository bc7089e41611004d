import { homedir } from "node:os";
import { mergeSettings } from "@haft/core/policy";
import { readSettingsFiles } from "../settings/settings-files.ts";
import { projectRoot, real } from "../workspace.ts";

/** The file in which the settings keep heads of the records; `undefined` where there is none, or a program takes them. */
export function headFile(where: {
  readonly cwd: string;
  readonly settings?: string;
  readonly withoutUserSettings: boolean;
}): string | undefined {
  const layers = readSettingsFiles({
    root: projectRoot(real(where.cwd)),
    home: real(homedir()),
    ...(where.withoutUserSettings ? { withoutUser: true } : {}),
    ...(where.settings === undefined ? {} : { extra: where.settings }),
  });
  const { head } = mergeSettings(layers, { trusted: false }).settings.journal ?? {};
  return typeof head === "string" ? head : undefined;
}
