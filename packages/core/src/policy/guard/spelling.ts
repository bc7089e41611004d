/**
 * The spelling for looking up names that run on their own. A disk that ignores case can be mounted anywhere, and so can
 * a Windows disk: there `.git.`, `.git::$INDEX_ALLOCATION` and `GIT~1` are `.git`. On a Mac disk so is a name with
 * invisible characters. Nobody means another file by such a name.
 */
export function plainSpelling(path: string): string {
  if (IS_PLAIN.test(path)) return path.toLowerCase();
  return path.split("/").map(plainName).join("/");
}

/** No character that any disk drops, folds otherwise than ASCII, or uses for a stream; no dot or blank at an end. */
const IS_PLAIN = /^(?:\/|[!-.0-9;-~]*[!--0-9;-~](?=\/|$)|\.{1,2}(?=\/|$))*$/;

/** Characters that HFS+ ignores in names, see git's protection against the same. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

function plainName(name: string): string {
  if (name === "." || name === "..") return name;
  // Upper case first: it joins characters such as "ſ" and "s" that lower case alone keeps apart.
  const folded = name.replace(UNSEEN, "").normalize("NFC").toUpperCase().toLowerCase();
  return folded.replace(/:.*$/s, "").replace(/[. ]+$/, "") || folded;
}

/** Windows' short spelling of a long name, without its number: `git` for `.git`, `mcp.jso` for `.mcp.json`. */
export function shortSpelling(name: string): string {
  const bare = name.replace(/^\.+/, "");
  const cut = bare.lastIndexOf(".");
  const [base, end] = cut > 0 ? [bare.slice(0, cut), bare.slice(cut + 1)] : [bare, ""];
  const short = base.replace(/[. ]/g, "").slice(0, 6);
  return end === "" ? short : `${short}.${end.slice(0, 3)}`;
}

/** The name that a short name may stand for: the same without its number. `undefined` if it is not a short name. */
export function longOf(name: string): string | undefined {
  const [, base, end = ""] = /^([^~.]{1,6})~\d{1,6}(\.[^.]{1,3})?$/.exec(name) ?? [];
  return base === undefined ? undefined : `${base}${end}`;
}
