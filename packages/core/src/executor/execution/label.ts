import { type Effect, type Result, resolve } from "../../tool/index.ts";
import type { Flight, Stage } from "../flight.ts";
import type { Origins } from "../machine.ts";

/**
 * Says whose words a result may hold: a stranger's, if the call reached outside or read a file that holds some. What such
 * a call writes holds them, too; a file that is written anew without them is the workspace's own again.
 */
export const label: Stage = ({ result, effects, running, entry, machine: { origins } }) => {
  if (!result || !running || effects.length === 0) return;
  const named = result.output === undefined ? [] : (entry?.tool.sources?.(result.output) ?? []);
  const sources = [...new Set([...named, ...effects.flatMap((effect) => sourcesOf(effect, origins))])];
  if (origins && !result.error) for (const effect of effects) noteWrite(effect, sources, origins);
  if (sources.length === 0) return;
  return { result: { ...result, labels: { ...result.labels, integrity: "stranger", sources } } };
};

/** A long result is kept in a file: its label goes with it. */
export function noteSpill({ spilled, labels }: Result, { machine: { origins } }: Flight): void {
  if (spilled && labels?.integrity === "stranger") origins?.note(spilled.path, labels.sources ?? [], false);
}

function sourcesOf(effect: Effect, origins: Origins | undefined): readonly string[] {
  if (effect.do === "call") return [`mcp:${effect.server}`];
  if (effect.do === "connect") return [effect.url ?? effect.host];
  if (effect.do === "read" && effect.shows !== "names") return origins?.of(effect.path, effect.tree === true) ?? [];
  // Nobody knows what such a command reads, but the files that it names.
  if (effect.do === "run" && effect.opaque && origins)
    return effect.argv.slice(1).flatMap((word) => origins.of(resolve(effect.cwd, word), false));
  // What is changed and not replaced keeps what it held, and is shown as a difference to it.
  return effect.do === "write" && effect.change === "modify" && !effect.tree
    ? (origins?.of(effect.path, false) ?? [])
    : [];
}

function noteWrite(effect: Effect, sources: readonly string[], origins: Origins): void {
  // A folder that was there before holds the workspace's own files, too: a label for all of them would say nothing.
  if (effect.do !== "write" || effect.unread || (effect.tree && effect.change !== "create")) return;
  const own = [...sources, ...(effect.from === undefined ? [] : origins.of(effect.from, false))];
  if (effect.change === "delete" || own.length === 0) origins.forget(effect.path);
  else origins.note(effect.path, own, effect.tree === true);
}
