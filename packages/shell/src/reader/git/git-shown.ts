/** Options that make git also show files beyond the given paths. */
const BEYOND = /^(--full-diff|--follow|--no-index|-L.*|-[CM].*|--find-(copies|renames).*|--no-literal-pathspecs)$/;
/** Words that git does not read as a pattern or as a way up. */
const LITERAL = /^(?!:|-|\/)(?!.*(^|\/)\.\.(\/|$))[\w@%+=,./ -]+$/;

/** The paths whose current content a git command stores, as written. `undefined`: all tracked files. Empty: it stores nothing. */
export function storedPaths(argv: readonly string[], verb: string): readonly string[] | undefined {
  const words = argv.slice(argv.indexOf(verb) + 1);
  if (!STORING.test(verb)) return [];
  if (verb === "stash")
    return /^(list|show|pop|apply|drop|clear|branch|create|store)$/.test(words[0] ?? "") ? [] : undefined;
  const cut = words.indexOf("--");
  const takesAll = words.some((word) =>
    /^(-[a-z]*[auA][a-z]*|--(all|update|no-ignore-removal|include|only|patch))$/.test(word),
  );
  if (takesAll) return undefined;
  // An operand of commit may be its message.
  if (verb === "commit") return cut < 0 ? [] : literally(words.slice(cut + 1));
  return literally(cut < 0 ? words.filter((word) => !word.startsWith("-")) : words.slice(cut + 1));
}

const STORING = /^(add|stage|commit|stash)$/;
const literally = (words: readonly string[]): readonly string[] | undefined =>
  words.every((word) => LITERAL.test(word)) ? words : undefined;

/**
 * The paths to which a git command limits the stored content that it shows, as written: after `--`, or as `REVISION:PATH`. `undefined`: it
 * may show any file.
 */
export function shownPaths(argv: readonly string[], verb: string): readonly string[] | undefined {
  const cut = argv.indexOf("--");
  const before = cut < 0 ? argv : argv.slice(0, cut);
  if (before.some((word) => BEYOND.test(word))) return undefined;
  const after = cut < 0 ? [] : argv.slice(cut + 1);
  if (after.length > 0) return after.every((word) => LITERAL.test(word)) ? after : undefined;
  // Without a way up it searches its working folder.
  if (verb === "grep") return argv.every((word) => !/^:|^\/|\.\.|[$`]/.test(word)) ? ["."] : undefined;
  if (verb !== "show" && verb !== "cat-file") return undefined;
  const operands = before.slice(before.indexOf(verb) + 1).filter((word) => !word.startsWith("-"));
  const paths = operands.map((word) => /^[\w@^~./{}-]+:(?:\.\/)?(.+)$/.exec(word)?.[1] ?? "");
  return paths.length > 0 && paths.every((path) => LITERAL.test(path)) ? [] : undefined;
}
