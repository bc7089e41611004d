import type { Effect } from "@haft/core/tool";

/**
 * If a script contains an unknown part and opaque commands, notes that it shows these commands. Without any, the unknown part may start
 * anything.
 */
export function sayingWhatShows(effects: readonly Effect[]): readonly Effect[] {
  if (!effects.some((effect) => effect.do === "run" && effect.opaque === true)) return effects;
  return effects.map((effect) =>
    effect.do === "unknown" && effect.commandsShown === undefined ? { ...effect, commandsShown: true } : effect,
  );
}
