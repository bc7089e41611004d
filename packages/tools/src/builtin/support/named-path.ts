import { type EffectContext, resolve } from "@haft/core/tool";

/**
 * The absolute path that an input names: from the current folder, where `~` is the user's home, as a model that writes
 * it means. A folder that is really called so is named `./~`.
 */
export function namedPath({ cwd, home }: Pick<EffectContext, "cwd" | "home">, path: string): string {
  return path === "~" || path.startsWith("~/") ? resolve(home, path.slice(2)) : resolve(cwd, path);
}
