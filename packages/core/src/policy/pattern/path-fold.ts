/** Makes two spellings of one file equal, as the platform's file system does. */
export interface PathFold {
  /** For real paths. */
  path(path: string): string;
  /** For the text of a pattern, in which no character may get lost. */
  pattern(text: string): string;
}

/**
 * How names compare on a platform. macOS and Windows ignore case (and the composition of characters), Windows also dots
 * and spaces at the end of a name and what follows a colon (`.git::$INDEX_ALLOCATION` is `.git`). Elsewhere a name is
 * its bytes.
 */
export function pathFold(platform: string): PathFold {
  if (platform === "darwin") return { path: foldCase, pattern: foldCase };
  if (platform === "win32")
    return { path: (path) => foldCase(path).split("/").map(bareName).join("/"), pattern: foldCase };
  return { path: asIs, pattern: asIs };
}

const asIs = (text: string): string => text;

// Upper case first: it joins characters such as "ſ" and "s" that lower case alone keeps apart.
const foldCase = (text: string): string => text.normalize("NFC").toUpperCase().toLowerCase();

function bareName(name: string): string {
  if (name === "" || name === "." || name === "..") return name;
  return name.replace(/:.*$/s, "").replace(/[. ]+$/, "") || name;
}
