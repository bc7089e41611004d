import type { CommandPattern } from "../pattern/command-pattern.ts";

/**
 * Whether a command could be what a pattern means because of words that show only in the run: `git $X` could be `git push`. Only
 * words that the pattern spells out count: with `* --force` every variable would be a question.
 */
export function couldBecome({ words, partialWord, isExact }: CommandPattern, argv: readonly string[]): boolean {
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
