/** Makes two spellings of one file equal, as the platform's file system does. */
export interface PathFold {
  /** For real paths. */
  path(path: string): string;
  /** For the text of a pattern: must not lose a character. */
  pattern(text: string): string;
}

/**
 * How a platform compares names. macOS and Windows ignore case and the composition of characters. Windows also ignores
 * dots and spaces at the end of a name, and everything after a colon (`.git::$INDEX_ALLOCATION` is `.git`). Elsewhere a
 * name is its bytes.
 */
export function pathFold(platform: string): PathFold {
  if (platform === "darwin") return { path: foldCase, pattern: foldCase };
  if (platform === "win32")
    return { path: (path) => foldCase(path).split("/").map(bareName).join("/"), pattern: foldCase };
  return { path: asIs, pattern: asIs };
}

/** The same, but both forms of "é" are equal. For deny and ask rules, since nobody sees the difference in a rule. */
export const inAnyForm = ({ path, pattern }: PathFold): PathFold => ({
  path: (name) => composed(path(name)),
  pattern: (text) => composed(pattern(text)),
});

const IS_ASCII = /^[\0-\x7f]*$/;
// Most paths have no such characters, and the check costs less than composing them.
const composed = (text: string): string => (IS_ASCII.test(text) ? text : text.normalize("NFC"));

const asIs = (text: string): string => text;

// Upper case first: it joins characters such as "ſ" and "s" that lower case alone keeps apart.
const foldCase = (text: string): string => text.normalize("NFC").toUpperCase().toLowerCase();

function bareName(name: string): string {
  if (name === "" || name === "." || name === "..") return name;
  return name.replace(/:.*$/s, "").replace(/[. ]+$/, "") || name;
}
