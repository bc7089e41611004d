/** Variables that say in which letters text is written. */
const SAYS_LETTERS: ReadonlySet<string> = new Set(["LC_ALL", "LC_CTYPE", "LANG"]);

/** UTF-8, or one byte for each letter. What is named after a language of East Asia alone may be neither. */
const PLAIN_LETTERS =
  /^(C|POSIX)?$|^[\w@]+\.(utf-?8|iso-?8859-?\d+)(@\w+)?$|^(?!zh|ja|ko)[a-z]{2,3}(_[A-Z]{2})?(@\w+)?$/i;

/**
 * Whether a variable has the shell read text in other letters than it was judged in: in GBK, Big5 and their kin a backslash may be the
 * second half of a letter, and then quotes nothing.
 */
export const saysOtherLetters = (name: string, value: string): boolean =>
  SAYS_LETTERS.has(name) && !PLAIN_LETTERS.test(value);

/** An environment in which what was written as UTF-8 is read as that. */
export const inPlainLetters = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, saysOtherLetters(name, value) ? "C.UTF-8" : value]),
  );
