/**
 * The stem of an English word: `navigating`, `navigation` and `navigate` become one. Made for searching, not for
 * reading: a stem need not be a word. Expects lower case; returns words of other scripts and short ones unchanged.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length < 4) return word;
  const single = withoutPlural(word);
  const plain = withoutEnding(single);
  return withoutTail(plain);
}

/** Forms that no rule finds, and words that a rule would change into another word. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    news: "news",
    setting: "setting",
    settings: "setting",
    doc: "doc",
    docs: "doc",
    documentation: "doc",
    container: "container",
    containers: "container",
    stats: "statistic",
    conversion: "convert",
    conversions: "convert",
    description: "describ",
    descriptions: "describ",
    analysis: "analyz",
    analyses: "analyz",
    removal: "remov",
    retrieval: "retriev",
    approval: "approv",
    sent: "send",
    found: "find",
    made: "mak",
    built: "build",
    written: "writ",
    wrote: "writ",
    ran: "run",
    shown: "show",
    drawn: "draw",
    taken: "tak",
    took: "tak",
    gone: "go",
    went: "go",
    kept: "keep",
    left: "leav",
    lost: "los",
    people: "person",
    children: "child",
    indices: "index",
    indexes: "index",
    matrices: "matrix",
    vertices: "vertex",
    dbs: "db",
    ids: "id",
    ips: "ip",
    prs: "pr",
    vms: "vm",
    media: "media",
  }),
);

const VOWEL = /[aeiouy]/;

/** Whether a word has the form of a plural: several things, or a verb that is not an imperative. */
export const isPlural = (word: string): boolean => word.length > 3 && withoutPlural(word) !== word;

function withoutPlural(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  if (/(?:ss|sh|ch|x|zz)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

/** Removes `-ing` and `-ed` if a word with a vowel remains, and undoes a doubled letter before them. */
function withoutEnding(word: string): string {
  const [, before = "", ending] = /^(.+?)(ing|ed)$/.exec(word) ?? [];
  if (ending === undefined || before.length < 3 || !VOWEL.test(before)) return word;
  return before.length > 3 && /([bdfgkmnprt])\1$/.test(before) ? before.slice(0, -1) : before;
}

/** Removes the endings that make nouns, adverbs and adjectives of verbs, and the silent `e`. */
function withoutTail(word: string): string {
  let rest = word.replace(/is(?=(?:e|ation|at)?$)/, (tail) => (word.length > 7 ? "iz" : tail));
  rest = rest.replace(/b(?:ility|ly)$/, "ble");
  if (rest.endsWith("ly") && rest.length > 5) rest = rest.slice(0, -2);
  if (/[ts]ion$/.test(rest) && rest.length > 6) rest = rest.slice(0, -3);
  if (rest.endsWith("ment") && measure(rest.slice(0, -4)) > 1) rest = rest.slice(0, -4);
  if (rest.endsWith("er") && rest.length > 8) rest = rest.slice(0, -2);
  if (rest.endsWith("e") && rest.length > 3) rest = rest.slice(0, -1);
  if (rest.endsWith("at") && measure(rest.slice(0, -2)) > 1) rest = rest.slice(0, -2);
  if (rest.endsWith("y") && rest.length > 3 && !VOWEL.test(rest.at(-2) ?? "")) rest = `${rest.slice(0, -1)}i`;
  return rest;
}

/** How many times vowels are followed by consonants: roughly the number of remaining syllables. */
const measure = (word: string): number => word.match(/[aeiouy]+[^aeiouy]+/g)?.length ?? 0;
