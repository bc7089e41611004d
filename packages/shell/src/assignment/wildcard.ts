import type { Effect, ReadEffect } from "@haft/core/tool";
import { readInto } from "../place/place-effects.ts";
import type { Scope } from "../scope.ts";
import type { Session } from "../session.ts";
import type { Value } from "../word/value.ts";

/**
 * Adds the folders that the shell lists for the wildcards among these words, regardless of how the names are used. `done` is the known
 * effects of the command itself. Names that `find` and loops pass on one by one were listed at their source.
 */
export function addListed(
  words: readonly Value[],
  scope: Scope,
  session: Session,
  done: readonly Effect[] = [],
  of?: string,
): void {
  const at = { folders: scope.folders, moved: scope.moved, start: session.context.cwd };
  for (const word of words) {
    if (word.kind !== "name" || word.single) continue;
    const listed: Effect[] = [];
    const problem = readInto(listed, word, at);
    if (problem !== undefined && !done.some((one) => one.do === "run" && one.opaque)) session.unknown(problem);
    for (const folder of listed.filter((one): one is ReadEffect => one.do === "read")) {
      if (done.some((one) => one.do === "read" && one.path === folder.path)) continue;
      session.add({ ...folder, ...(of === undefined ? {} : { of }) });
    }
  }
}
