import { homedir } from "node:os";
import type { JournalSettings } from "@haft/core/policy";
import { mergeSettings } from "@haft/core/policy/settings";
import { stateFolder, trustStore } from "@haft/service";
import { readSettingsFiles } from "../settings/settings-files.ts";
import { projectRoot, real } from "../workspace.ts";

/** Selects the settings that count. */
interface Where {
  readonly cwd: string;
  readonly settings?: string;
  readonly withoutUserSettings: boolean;
  /** Apply the folder's settings even though nobody has trusted it. */
  readonly trust: boolean;
}

/** The file in which the settings keep heads of the records. `undefined` where there is none, or a program receives them. */
export function headFile(where: Where): string | undefined {
  const to = headTaker(where);
  return typeof to === "string" ? to : undefined;
}

/** The file or program to which the settings deliver the heads of the records. */
export function headTaker(where: Where): JournalSettings["head"] {
  const [cwd, home] = [real(where.cwd), real(homedir())];
  const layers = readSettingsFiles({
    root: projectRoot(cwd),
    home,
    ...(where.withoutUserSettings ? { withoutUser: true } : {}),
    ...(where.settings === undefined ? {} : { extra: where.settings }),
  });
  // Same trust rule as in the session that delivered heads. Otherwise no head is found, and a truncated record goes unnoticed.
  const trusted = where.trust || trustStore(stateFolder(home)).isTrusted(cwd);
  return mergeSettings(layers, { trusted }).settings.journal?.head;
}
