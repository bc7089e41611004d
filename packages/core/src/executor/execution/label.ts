import { type Effect, type Result, resolve } from "../../tool/index.ts";
import type { CallRun, EndedRun, Stage } from "../call-run.ts";
import type { Origins } from "../machine.ts";

/**
 * Labels a result with the strangers whose words it may contain: the call reached outside, or read a file with such
 * words. Files that such a call writes get the label too. A file that is written again without them belongs to the
 * workspace again.
 */
export const label: Stage<EndedRun> = ({ result, effects, running, entry, machine: { origins } }) => {
  if (!running || effects.length === 0) return;
  const named = result.output === undefined ? [] : (entry?.tool.sources?.(result.output) ?? []);
  const sources = [...new Set([...named, ...effects.flatMap((effect) => sourcesOf(effect, origins))])];
  if (origins && !result.error) for (const effect of effects) noteWrite(effect, sources, origins);
  if (sources.length === 0) return;
  return { result: { ...result, labels: { ...result.labels, integrity: "stranger", sources } } };
};

/** A long result is stored in a file, which gets the same label. */
export function noteSpill({ spilled, labels }: Result, { machine: { origins } }: CallRun): void {
  if (spilled && labels?.integrity === "stranger") origins?.note(spilled.path, labels.sources ?? [], false);
}

function sourcesOf(effect: Effect, origins: Origins | undefined): readonly string[] {
  if (effect.do === "call") return [`mcp:${effect.server}`];
  if (effect.do === "connect") return [effect.url ?? effect.host];
  if (effect.do === "read" && effect.shows !== "names") return origins?.of(effect.path, effect.tree === true) ?? [];
  // It is unknown what such a command reads, except for the files that it names.
  if (effect.do === "run" && effect.opaque && origins)
    return effect.argv.slice(1).flatMap((word) => origins.of(resolve(effect.cwd, word), false));
  // A modified file keeps its old content, and the result shows a diff to it.
  return effect.do === "write" && effect.change === "modify" && !effect.tree
    ? (origins?.of(effect.path, false) ?? [])
    : [];
}

function noteWrite(effect: Effect, sources: readonly string[], origins: Origins): void {
  // A folder that existed before also contains the workspace's own files, so a label for all of them would mean
  // nothing.
  if (effect.do !== "write" || effect.unread || (effect.tree && effect.change !== "create")) return;
  const own = [...sources, ...(effect.from === undefined ? [] : origins.of(effect.from, false))];
  if (effect.change === "delete" || own.length === 0) origins.forget(effect.path);
  else origins.note(effect.path, own, effect.tree === true);
}
