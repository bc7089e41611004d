import { parent } from "../../tool/index.ts";
import type { Origin, Workspace } from "../decision.ts";
import type { PathPattern } from "../pattern/path-pattern.ts";

/** The place of a rule, as far as `/path` depends on it. */
export interface RulePlace {
  readonly origin: Origin;
  readonly file?: string;
}

/**
 * The folders that a pattern counts from. Bare patterns count from `currentFolders`. `/path` in user settings of
 * unknown place counts from every folder that may contain such settings.
 */
export function anchorFolders(
  pattern: PathPattern,
  place: RulePlace,
  workspace: Workspace,
  currentFolders: readonly string[],
): readonly string[] {
  switch (pattern.anchor) {
    case "root":
      return ["/"];
    case "home":
      return [workspace.home];
    case "cwd":
      return currentFolders;
    case "source":
      return sourceFolders(place, workspace);
  }
}

/**
 * Project rules count from the project. A user's own rules or an explicit file count from the file's folder. All others
 * count from the folder in which the session started.
 */
function sourceFolders({ origin, file }: RulePlace, workspace: Workspace): readonly string[] {
  if (origin === "project") return [workspace.root];
  if (origin === "user")
    return file ? [parent(file)] : [".claude", ".config/haft"].map((name) => `${workspace.home}/${name}`);
  if (origin === "cli" && file?.startsWith("/")) return [parent(file)];
  return [workspace.startedIn];
}
