/**
 * The words of a text, in lower case and in order. Identifiers are split into their parts: `camelCase`, `snake_case`,
 * `kebab-case`, `HTTPServer`, `v2Beta`. In prose a word like `TypeScript` is a name and stays whole. Scripts without
 * spaces give pairs of characters.
 */
export function wordsOf(text: string, kind: "identifier" | "prose" = "identifier"): string[] {
  const parts = IS_ASCII.test(text)
    ? (text.match(kind === "prose" ? ASCII_PROSE : ASCII_IDENTIFIER) ?? [])
    : foreignParts(text.normalize("NFKC"), kind);
  const all = kind === "prose" ? parts.flatMap(wholeAndParts) : parts;
  return all.map((part) => part.toLowerCase());
}

/** `Next.js` is a product, not a file: it becomes both `nextjs` and `next`. */
export const withProducts = (text: string): string => text.replaceAll(/\b([A-Z][a-z]{1,30})\.js\b/g, "$1js $1");

/** A name like `arXiv` or `iPhone` may also be two words, like `outFile`: both readings are kept. */
const wholeAndParts = (part: string): string[] =>
  SMALL_FIRST.test(part) ? [part, ...part.split(/(?=\p{Lu})/u)] : [part];

const SMALL_FIRST = /^\p{Ll}{1,2}\p{Lu}\p{Ll}+$/u;

const IS_ASCII = /^[\0-\x7f]*$/;

/**
 * Numeronyms, whose letters mean nothing without the number (`k8s`, `i18n`); acronyms, one (up to the capital that
 * starts the next word) or many (`URLs`); words with a capital or none; digits.
 */
const ASCII_IDENTIFIER =
  /(?<![A-Za-z0-9])[A-Za-z]{1,2}[0-9]{1,2}[A-Za-z]{1,2}(?![A-Za-z0-9])|[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
/** The same, with words that have a capital in the middle kept whole. */
const ASCII_PROSE =
  /(?<![A-Za-z0-9])[A-Za-z]{1,2}[0-9]{1,2}[A-Za-z]{1,2}(?![A-Za-z0-9])|(?<![A-Za-z])[a-z]{1,2}[A-Z][a-z]+(?![A-Za-z])|[A-Z]{2,}s(?![a-z])|(?<![A-Za-z])[A-Z][a-z]+[A-Z][A-Za-z]*|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;

const NUMERONYM = /^[A-Za-z]{1,2}[0-9]{1,2}[A-Za-z]{1,2}$/;

/** The expressions are local: creating them takes longer than loading all the rest, and most texts are ASCII. */
function foreignParts(text: string, kind: "identifier" | "prose"): string[] {
  // Letters and digits in an unbroken sequence; scripts without spaces are separate.
  const runs =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+/gu;
  const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
  const properName = /^(?:\p{Lu}\p{Ll}+\p{Lu}\p{L}*|\p{Ll}{1,2}\p{Lu}\p{Ll}+)$/u;
  const parts = /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lt}\p{Lm}\p{M}]+|\p{N}+/gu;
  return (text.match(runs) ?? []).flatMap((run) => {
    if (unspaced.test(run)) return pairs(run);
    if (NUMERONYM.test(run)) return [run];
    return kind === "prose" && properName.test(run) ? [run] : (run.match(parts) ?? []);
  });
}

function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Words that do not describe a tool's purpose. */
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
