/**
 * Converts path patterns in which `*` crosses folders to Haft's, in which it stays in one. A restriction never covers less
 * than was written, an allow never more.
 */

/** A path pattern in Haft's grammar. `all` matches every path. */
type PathSpecifier = { readonly specifier: string; readonly isWider: boolean } | { readonly all: true };

/**
 * The pattern for a deny or ask: everything that the wildcard matches, at any depth, and perhaps more. A path that leaves
 * the workspace by `..` is matched at its real location.
 */
export function restrictingPath(wildcard: string): PathSpecifier {
  const { anchor, rest } = readAnchor(wildcard.replaceAll("?", "*"));
  const segments: string[] = [];
  let isWider = wildcard.includes("?");
  const written = rest.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
  for (const [index, part] of written.entries()) {
    const star = part.indexOf("*");
    const isLast = index === written.length - 1;
    if (star < 0) segments.push(literal(part));
    else if (/^\*+$/.test(part)) segments.push("**");
    else if (/^\*+[^*]+$/.test(part)) segments.push("**", `*${literal(part.replace(/^\*+/, ""))}`);
    else {
      // The rest may be in the same folder or in one below, so everything from here on matches.
      const start = literal(part.slice(0, star));
      if (start === "") segments.push("**");
      else segments.push(`${start}*`);
      isWider ||= !isLast || !/^[^*]+\*+$/.test(part);
      break;
    }
  }
  // A leading `**` matches the same from any anchor.
  while (anchor === "" && segments[0] === "**") segments.shift();
  if (segments.length === 0 && anchor === "") return { all: true };
  return { specifier: `${anchor === "" ? "//**/" : anchor}${segments.join("/")}`, isWider };
}

/** The pattern for an allow, below the project's root. `undefined` if every possible pattern would match more. */
export function allowingPath(wildcard: string): string | undefined {
  const { anchor, rest } = readAnchor(wildcard);
  const parts = rest.split("/");
  if (anchor !== "" || parts.some((part) => part === "" || part === "." || part === "..")) return undefined;
  const segments = parts.flatMap((part, index) => allowingPart(part, index === parts.length - 1));
  return `/${segments.join("/")}`;
}

function allowingPart(part: string, isLast: boolean): string[] {
  // At least one folder, and any further ones.
  if (/^\*+$/.test(part)) return isLast ? ["**"] : ["*", "**"];
  if (/^\*+[^*?]+$/.test(part)) return ["**", `*${literal(part.replace(/^\*+/, ""))}`];
  if (/[*?]/.test(part))
    return [
      part
        .split(/([*?]+)/)
        .map((piece, index) => (index % 2 === 0 ? literal(piece) : piece))
        .join(""),
    ];
  // A name without a wildcard would also match everything below it; with a wildcard it matches only itself.
  return [isLast ? oneName(part) : literal(part)];
}

function readAnchor(wildcard: string): { readonly anchor: string; readonly rest: string } {
  const home = /^(?:~|\$HOME)(?=\/|$)/.exec(wildcard)?.[0];
  if (home !== undefined) return { anchor: "~/", rest: wildcard.slice(home.length + 1) };
  return wildcard.startsWith("/") ? { anchor: "//", rest: wildcard.slice(1) } : { anchor: "", rest: wildcard };
}

const literal = (text: string): string => text.replaceAll(/[\\[\]{}!]/g, "\\$&");

/** `a.ts` as `a.t[s]`: the same one name, as a pattern that stays in its folder. */
function oneName(name: string): string {
  const at = name.search(/[A-Za-z0-9_][^A-Za-z0-9_]*$/);
  if (at < 0) return `${literal(name.slice(0, -1))}[${name.slice(-1)}]`;
  return `${literal(name.slice(0, at))}[${name[at]}]${literal(name.slice(at + 1))}`;
}
