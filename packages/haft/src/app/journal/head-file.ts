import { homedir } from "node:os";
import { type JournalSettings, mergeSettings } from "@haft/core/policy";
import { stateFolder, trustStore } from "@haft/tools";
import { readSettingsFiles } from "../settings/settings-files.ts";
import { projectRoot, real } from "../workspace.ts";

/** Which settings count. */
interface Where {
  readonly cwd: string;
  readonly settings?: string;
  readonly withoutUserSettings: boolean;
  /** Let the folder's settings count, though nobody has trusted it. */
  readonly trust: boolean;
}

/** The file in which the settings keep heads of the records; `undefined` where there is none, or a program takes them. */
export function headFile(where: Where): string | undefined {
  const to = headTaker(where);
  return typeof to === "string" ? to : undefined;
}

/** The file or program that the settings hand the heads of the records to. */
export function headTaker(where: Where): JournalSettings["head"] {
  const [cwd, home] = [real(where.cwd), real(homedir())];
  const layers = readSettingsFiles({
    root: projectRoot(cwd),
    home,
    ...(where.withoutUserSettings ? { withoutUser: true } : {}),
    ...(where.settings === undefined ? {} : { extra: where.settings }),
  });
  // As in the session that handed heads out: who looks for them elsewhere finds none, and misses what was cut off.
  const trusted = where.trust || trustStore(stateFolder(home)).isTrusted(cwd);
  return mergeSettings(layers, { trusted }).settings.journal?.head;
}
