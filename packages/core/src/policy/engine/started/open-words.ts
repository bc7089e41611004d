import { basename, type RunEffect } from "../../../tool/index.ts";
import type { RuleRef } from "../../decision.ts";
import type { CommandPattern } from "../../pattern/command-pattern.ts";
import { pastOptions, programName } from "../../rule/command-forms.ts";
import type { RuleIndex } from "../../rule/rule-index.ts";

/** The rules that a command could be meant by because of words that show only in the run: `git $X` could be `git push`. */
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

/** Only words that a pattern spells out count: with `* --force` every variable would be a question. */
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

/** Whether a word is put together in the run, as far as it is shown: `$X`, `pu$(...)sh`, `p*`, `…` for what nobody knows. */
export const isOpenWord = (word: string): boolean => OPEN.test(word);

const OPEN = /[$`*?[…]|\{\}/;

/** What stands behind the last part that is open, where its end shows. */
const TAIL = /(?<=[*?\])}`])[\w./-]+$/;

function couldStart(word: string | undefined, meant: string): boolean {
  if (word === undefined || !isOpenWord(word)) return false;
  const bare = word.replaceAll(/["'\\]/g, "");
  return meant.startsWith(bare.slice(0, bare.search(OPEN))) && meant.endsWith(TAIL.exec(bare)?.[0] ?? "");
}

/** Programs that put words behind those of the command which they start. */
const addsWords = (wrapper: string): boolean => /^(?:xargs|parallel)$/.test(basename(wrapper));

const UNKNOWN_WORD = "…";

/** What they are given behind `:::` comes one word at a time. */
function withAdded(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => /^::::?\+?$/.test(word));
  return [...(end < 0 ? argv : argv.slice(0, end)), UNKNOWN_WORD];
}

/** Behind a short option what is not known is its value, where there are further words: `git -C "$folder" log`. */
const isOpenValue = (argv: readonly string[], left: readonly string[]): boolean =>
  left.length > 2 && isOpenWord(left[1]!) && /^-\w$/.test(argv.at(-left.length) ?? "");
