import { fail } from "@haft/core/tool";

/** Longest pattern in characters. */
const MAX_LENGTH = 2000;

/**
 * A test for paths relative to the searched folder. `*` and `?` stay within a segment, `**` crosses segments, `[a-z]`
 * and `{a,b}` work as in shells, a backslash makes the next character literal. As in .gitignore, a pattern without a
 * slash matches the last segment at any depth.
 *
 * @throws HaftError `invalid_input` for an unbalanced bracket or brace: as a literal character it would match
 * nothing, which would look like an answer.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const clean = pattern.replace(/^(?:\.\/)+/, "").replace(/^\//, "");
  if (clean.length > MAX_LENGTH) fail("invalid_input", "The glob pattern is too long.", "Use a shorter one.");
  const anywhere = clean.includes("/") || pattern.startsWith("/") ? "" : "(?:.*/)?";
  const source = `^${anywhere}${translate(clean)}$`;
  try {
    const expression = new RegExp(source, "su");
    return (path) => expression.test(path);
  } catch {
    return broken(pattern);
  }
}

const broken = (pattern: string): never =>
  fail(
    "invalid_input",
    `"${pattern}" is not a valid glob pattern: a bracket or brace is not closed.`,
    "Close it, or put a backslash before one that is part of a name.",
  );

/**
 * A test for several globs at once, like `--glob`: at least one plain glob must match, and no glob that begins with `!` may
 * match the path or a folder above it.
 */
export function globFilter(globs: readonly string[] = []): (path: string) => boolean {
  const wanted = globs.filter((glob) => !glob.startsWith("!")).map(globMatcher);
  const unwanted = globs
    .filter((glob) => glob.startsWith("!"))
    .map((glob) => globMatcher(glob.slice(1).replace(/\/$/, "")));
  return (path) => {
    if (wanted.length > 0 && !wanted.some((fits) => fits(path))) return false;
    return unwanted.length === 0 || !withParents(path).some((one) => unwanted.some((fits) => fits(one)));
  };
}

/** The part of a glob for the file name: `src/*.ts` gives `*.ts`, a slash within braces gives `*`. */
export function lastSegment(glob: string): string {
  const last = glob.slice(glob.lastIndexOf("/") + 1);
  const isWhole = last.split("{").length === last.split("}").length;
  return last === "" || last === "**" || !isWhole ? "*" : last;
}

/**
 * Splits a glob into the folder of all its matches and the rest, so that the search can start there:
 * `src/app/*.ts` becomes `src/app` and `/*.ts`.
 */
export function splitGlob(pattern: string): { readonly base: string; readonly rest: string } {
  const segments = pattern.split("/");
  const firstMagic = segments.findIndex((segment) => /[*?[\]{}\\]/.test(segment));
  const count = Math.min(firstMagic < 0 ? segments.length - 1 : firstMagic, segments.length - 1);
  if (count === 0) return { base: "", rest: pattern };
  const base = segments.slice(0, count).join("/");
  // The slash anchors the rest to that folder instead of matching at any depth.
  return { base: base === "" ? "/" : base, rest: `/${segments.slice(count).join("/")}` };
}

function translate(glob: string): string {
  let source = "";
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at] ?? "";
    if (character === "*") {
      const stars = /^\*+/.exec(glob.slice(at))?.[0].length ?? 1;
      const isCrossing = stars > 1 && isEdge(glob[at - 1]) && isEdge(glob[at + stars]);
      const eatsSlash = isCrossing && glob[at + stars] === "/";
      source += isCrossing ? (eatsSlash ? "(?:[^/]+/)*" : ".*") : "[^/]*";
      at += stars - 1 + (eatsSlash ? 1 : 0);
    } else if (character === "?") {
      source += "[^/]";
    } else if (character === "[") {
      const set = bracketSet(glob, at) ?? broken(glob);
      source += set.source;
      at = set.end;
    } else if (character === "{") {
      source += "(?:";
      depth += 1;
    } else if (character === "}") {
      source += ")";
      depth -= 1;
    } else if (character === "," && depth > 0) {
      source += "|";
    } else if (character === "\\" && at + 1 < glob.length) {
      at += 1;
      source += literal(glob[at] ?? "");
    } else {
      source += literal(character);
    }
  }
  return source;
}

function withParents(path: string): string[] {
  const paths = [path];
  for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) paths.push(path.slice(0, cut));
  return paths;
}

const isEdge = (character: string | undefined): boolean =>
  character === undefined || character === "/" || character === "{" || character === "," || character === "}";

const literal = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");

function bracketSet(glob: string, start: number): { source: string; end: number } | undefined {
  const isNegated = glob[start + 1] === "!" || glob[start + 1] === "^";
  const first = start + (isNegated ? 2 : 1);
  const end = glob.indexOf("]", first + 1);
  if (end < 0) return undefined;
  const body = glob
    .slice(first, end)
    .replace(/[\\\]^[]/g, "\\$&")
    .replace(/^-|-$/g, "\\-");
  return { source: `(?!/)[${isNegated ? "^" : ""}${body}]`, end };
}
