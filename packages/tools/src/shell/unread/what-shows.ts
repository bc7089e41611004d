import type { Effect } from "@haft/core/tool";

/**
 * Notes, where a script holds something that is not followed and commands that are not either, that those are the commands which
 * it shows. Without any it may start whatever there is.
 */
export function sayingWhatShows(effects: readonly Effect[]): readonly Effect[] {
  if (!effects.some((effect) => effect.do === "run" && effect.opaque === true)) return effects;
  return effects.map((effect) =>
    effect.do === "unknown" && effect.commandsShown === undefined ? { ...effect, commandsShown: true } : effect,
  );
}
