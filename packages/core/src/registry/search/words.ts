/**
 * The words of a text, in lower case and in order. Identifiers fall into their parts: `camelCase`, `snake_case`,
 * `kebab-case`, `HTTPServer`, `v2Beta`. Scripts that write no spaces give pairs of characters.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.normalize("NFKC").matchAll(RUN)) {
    if (UNSPACED.test(run)) words.push(...pairs(run));
    else for (const [part] of run.matchAll(PART)) words.push(part.toLowerCase());
  }
  return words;
}

/** Letters and digits without anything between; scripts without spaces stand apart. */
const RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+/gu;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** A capitalised or lower-case word, an acronym (up to the capital that starts the next word), or digits. */
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lt}\p{Lm}\p{M}]+|\p{N}+|\p{Lu}/gu;

function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Words that tell nothing of what a tool is for. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about again also am an and any are as at be because been being both but by can cannot could did do does doing " +
    "done each either else etc for from had has have having he her here him his how i if in instead into is it its " +
    "just let ll like me might more most much must my need no nor not now of on one only or other our out over own " +
    "please per re s same shall she should so some such t than that the their them then there these they thing this " +
    "those through to too up us use used uses using ve very via want was we were what when where whether which while " +
    "who whom whose why will with within without would yes yet you your tool tools mcp api"
  ).split(" "),
);

export const isStopWord = (word: string): boolean => STOP_WORDS.has(word);
