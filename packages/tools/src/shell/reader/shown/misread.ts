import { basename, type Effect, type ReadEffect, type RunEffect } from "@haft/core/tool";
import { TELLS_FACTS } from "./deep.ts";
import { below, type LinkedTree } from "./links.ts";

/** `./x /etc/y`, cut at its blanks, is `./x` and `/etc/y`; quotes and backslashes are taken out of it. */
const LEADS_OUT = /\s[.'"\\]*$/;
/** Of `./x --files0-from=/etc/y` an option leads there. */
const TO_OPTION = /\s['"\\]*-\S*$/;
/** Programs that tell no more than facts, but print what stands in a file of names or sums that an option names. */
const OBEYS = /^(wc|du|file|\w*sum)$/;
const FIRST_WILD = /^[*?[]/;

/**
 * The folders with names that these effects may take for something else: cut at blanks they lead elsewhere, in the place of a wildcard
 * they are options. A name of that sort is put there for nothing but that.
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
