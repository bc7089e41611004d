import { basename, type RunEffect } from "../../../tool/index.ts";
import type { RuleRef } from "../../decision.ts";
import { pastOptions, programName } from "../../pattern/command-forms.ts";
import type { CommandPattern } from "../../pattern/command-pattern.ts";
import type { RuleIndex } from "../../rule/rule-index.ts";

/** The rules that could mean a command because some of its words are known only at run time: `git $X` could be `git push`. */
export function couldBeMeant(
  effect: RunEffect,
  commands: RuleIndex["commands"],
  ignoresCase: boolean,
): readonly RuleRef[] {
  const [program = "", ...words] = effect.wrappers?.some(addsWords) ? withAdded(effect.argv) : effect.argv;
  if (!words.some(isOpenWord)) return [];
  const argv = [programName(program, ignoresCase), ...words];
  const past = pastOptions({ ...effect, argv }, ignoresCase).filter((left) => !isOpenValue(argv, left));
  return commands
    .startingWith(argv[0]!)
    .flatMap(({ pattern, ref }) =>
      couldBecome(pattern, argv) || (!pattern.isExact && past.some((left) => couldBecome(pattern, left))) ? [ref] : [],
    );
}

/** Only words that a pattern spells out count: otherwise `* --force` would make every variable a question. */
function couldBecome({ words, partialWord, isExact }: CommandPattern, argv: readonly string[]): boolean {
  if (isExact && argv.length > words.length) return false;
  let isOpened = false;
  for (const [index, word] of words.entries()) {
    if (argv[index] === word) continue;
    if (index === 0 || !couldStart(argv[index], word)) return false;
    isOpened = true;
  }
  if (partialWord === "") return isOpened;
  const last = argv[words.length];
  return isOpened ? last !== undefined : couldStart(last, partialWord);
}

/** Whether a word is composed at run time, as far as its text shows: `$X`, `pu$(...)sh`, `p*`, `…` for an unknown part. */
export const isOpenWord = (word: string): boolean => OPEN.test(word);

const OPEN = /[$`*?[…]|\{\}/;

/** The text after the last open part, if the end of that part is visible. */
const TAIL = /(?<=[*?\])}`])[\w./-]+$/;

function couldStart(word: string | undefined, meant: string): boolean {
  if (word === undefined || !isOpenWord(word)) return false;
  const bare = word.replaceAll(/["'\\]/g, "");
  return meant.startsWith(bare.slice(0, bare.search(OPEN))) && meant.endsWith(TAIL.exec(bare)?.[0] ?? "");
}

/** Programs that append words to those of the command that they start. */
const addsWords = (wrapper: string): boolean => /^(?:xargs|parallel)$/.test(basename(wrapper));

const UNKNOWN_WORD = "…";

/** They pass the words after `:::` one at a time. */
function withAdded(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => /^::::?\+?$/.test(word));
  return [...(end < 0 ? argv : argv.slice(0, end)), UNKNOWN_WORD];
}

/** After a short option an unknown word is its value if further words follow: `git -C "$folder" log`. */
const isOpenValue = (argv: readonly string[], left: readonly string[]): boolean =>
  left.length > 2 && isOpenWord(left[1]!) && /^-\w$/.test(argv.at(-left.length) ?? "");
