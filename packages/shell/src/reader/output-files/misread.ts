import { basename, type Effect, type ReadEffect, type RunEffect } from "@haft/core/tool";
import { TELLS_FACTS } from "./deep.ts";
import { below, type LinkedTree } from "./links.ts";

/** `./x /etc/y`, split at its blanks, is `./x` and `/etc/y`; quotes and backslashes are removed. */
const LEADS_OUT = /\s[.'"\\]*$/;
/** In `./x --files0-from=/etc/y` an option leads there. */
const TO_OPTION = /\s['"\\]*-\S*$/;
/** Programs that only show facts, but print the content of a list of names or sums that an option names. */
const OBEYS = /^(wc|du|file|\w*sum)$/;
const FIRST_WILD = /^[*?[]/;

/**
 * The folders whose names these effects may misread: split at blanks the names lead elsewhere, and in the place of a wildcard they are
 * options. Such names exist only for that purpose.
 */
export function misreadNames(effects: readonly Effect[]): readonly LinkedTree[] {
  const runs = effects.filter((effect): effect is RunEffect => effect.do === "run");
  return runs.flatMap((run) => {
    const [program = "", ...words] = run.argv;
    const tellsFacts = TELLS_FACTS.has(basename(program));
    if (tellsFacts && !OBEYS.test(basename(program))) return [];
    const isCut =
      (run.wrappers ?? []).some((wrapper) => basename(wrapper) === "xargs") || words.some((word) => /[$`]/.test(word));
    const isWild = !words.includes("--") && words.some((word) => FIRST_WILD.test(word));
    if (!isCut && !isWild) return [];
    const roots = effects.filter(
      (effect): effect is ReadEffect => effect.do === "read" && effect.tree === true && effect.of === run.text,
    );
    return roots.map(({ path: root }) => ({
      root,
      opens: (path: string) =>
        (isCut && (TO_OPTION.test(basename(path)) || (!tellsFacts && LEADS_OUT.test(basename(path))))) ||
        (isWild && isOption(below(root, path))),
    }));
  });
}

const isOption = (segments: readonly string[]): boolean => segments.length === 1 && segments[0]!.startsWith("-");
