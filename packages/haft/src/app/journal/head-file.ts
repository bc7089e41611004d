import { homedir } from "node:os";
import { type JournalSettings, mergeSettings } from "@haft/core/policy";
import { readSettingsFiles } from "../settings/settings-files.ts";
import { projectRoot, real } from "../workspace.ts";

/** Which settings count. */
interface Where {
  readonly cwd: string;
  readonly settings?: string;
  readonly withoutUserSettings: boolean;
}

/** The file in which the settings keep heads of the records; `undefined` where there is none, or a program takes them. */
export function headFile(where: Where): string | undefined {
  const to = headTaker(where);
  return typeof to === "string" ? to : undefined;
}

/** The file or program that the settings hand the heads of the records to. */
export function headTaker(where: Where): JournalSettings["head"] {
  const layers = readSettingsFiles({
    root: projectRoot(real(where.cwd)),
    home: real(homedir()),
    ...(where.withoutUserSettings ? { withoutUser: true } : {}),
    ...(where.settings === undefined ? {} : { extra: where.settings }),
  });
  return mergeSettings(layers, { trusted: false }).settings.journal?.head;
}
