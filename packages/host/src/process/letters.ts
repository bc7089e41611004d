/** Variables that set the character encoding. */
const SAYS_LETTERS: ReadonlySet<string> = new Set(["LC_ALL", "LC_CTYPE", "LANG"]);

/** UTF-8 or a single-byte encoding. A locale named only by an East Asian language may be neither. */
const PLAIN_LETTERS =
  /^(C|POSIX)?$|^[\w@]+\.(utf-?8|iso-?8859-?\d+)(@\w+)?$|^(?!zh|ja|ko)[a-z]{2,3}(_[A-Z]{2})?(@\w+)?$/i;

/**
 * Whether a variable makes the shell read text in another encoding than the analysis did. In GBK, Big5 and similar encodings
 * a backslash may be the second byte of a character, and then quotes nothing.
 */
export const saysOtherLetters = (name: string, value: string): boolean =>
  SAYS_LETTERS.has(name) && !PLAIN_LETTERS.test(value);

/** An environment in which UTF-8 text is read as UTF-8. */
export const inPlainLetters = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, saysOtherLetters(name, value) ? "C.UTF-8" : value]),
  );
