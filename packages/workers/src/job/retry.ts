import type { Effect } from "@haft/core/tool";
import type { Retry } from "./job.ts";

/**
 * The treatment of a call with these effects if its worker is lost. A read has no effect to double. Changes to files
 * that the tool itself makes are in the journal, so they can be undone before the call runs again. Everything else may
 * have happened without a trace: commands, sending, and effects that nothing enforces.
 */
export function retryOf(effects: readonly Effect[]): Retry {
  if (effects.every(isRead)) return "read";
  return effects.every((effect) => isRead(effect) || isJournaled(effect)) ? "view" : "once";
}

/** A command that is proved to only read counts as one: its effects beside `run` say what it does. */
const isRead = (effect: Effect): boolean =>
  effect.basis !== "claimed" &&
  (effect.do === "read" ||
    (effect.do === "connect" && !effect.sends) ||
    (effect.do === "state" && !effect.change) ||
    (effect.do === "run" && effect.basis === "proved" && effect.opaque !== true && effect.background !== true));

const isJournaled = (effect: Effect): boolean =>
  effect.do === "write" && effect.basis === "enforced" && effect.reversible !== false;
