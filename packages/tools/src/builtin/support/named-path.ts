import { type EffectContext, resolve } from "@haft/core/tool";

/**
 * The absolute path that an input names, relative to the current folder. `~` means the user's home, as models expect.
 * Use `./~` for a folder of that name.
 */
export function namedPath({ cwd, home }: Pick<EffectContext, "cwd" | "home">, path: string): string {
  return path === "~" || path.startsWith("~/") ? resolve(home, path.slice(2)) : resolve(cwd, path);
}
