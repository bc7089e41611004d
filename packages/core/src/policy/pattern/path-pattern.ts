import { normalize, toPosix } from "../../tool/index.ts";
import type { Behavior } from "../decision.ts";
import { compileSegment, type Segment } from "./segment.ts";

/** The start of a pattern: `//` root, `~/` home, `/` the settings that hold the rule, otherwise the current folder. */
export type Anchor = "root" | "home" | "source" | "cwd";

/** A path pattern as read from a rule, before it is tied to a workspace. */
export interface PathPattern {
  readonly source: string;
  readonly anchor: Anchor;
  /** Raw segments without empty ones; `**` matches any number of folders. */
  readonly segments: readonly string[];
  /** Matches only paths below a match, not the match itself: `dir/**`. */
  readonly belowOnly: boolean;
  /** Does not match paths below a match: an allow rule that ends in a wildcard stays in its segment. */
  readonly isExact: boolean;
}

/** Why a text cannot be a path pattern, and what to write instead. */
export interface PatternProblem {
  readonly message: string;
  readonly cure: string;
}

/** The bits of an integer hold the states of a match. This limits the wildcard segments of a pattern. */
const MOST_SEGMENTS = 29;

/**
 * Reads a gitignore-style path pattern. A bare file name matches at any depth below the anchor. A one-segment folder
 * (`dir/**`) is asymmetric. As deny or ask it means every folder of that name, as allow only the one in the current
 * folder. Every other shape means the same depth in all lists.
 */
export function parsePathPattern(text: string, behavior: Behavior): PathPattern | { readonly problem: PatternProblem } {
  const source = text.trim();
  const { anchor, rest, isAnchored } = readAnchor(source);
  const misuse = findMisuse(source, rest);
  if (misuse) return { problem: misuse };
  if (behavior === "allow" && /^\/{2,}$/.test(source))
    return {
      problem: {
        message: `"${source}" alone allows nothing.`,
        cure: "Write //** if you mean the whole machine.",
      },
    };

  const isFolder = rest.endsWith("/");
  const written = rest.split("/").filter((segment) => segment !== "" && segment !== ".");
  const segments = written.filter((segment, index) => segment !== "**" || written[index - 1] !== "**");
  const belowOnly = dropTrailingStars(segments) || (isFolder && behavior === "allow" && segments.length > 0);
  if (segments.length > MOST_SEGMENTS) return { problem: tooLong(source) };

  const isOneFolder = segments.length === 1 && (belowOnly || isFolder);
  const floats = !isAnchored && segments.length === 1 && segments[0] !== "**" && !(isOneFolder && behavior === "allow");
  const last = segments.at(-1);
  const compiled = segments.filter((segment) => segment !== "**").map(compileSegment);
  const broken = compiled.find((segment) => "problem" in segment);
  if (broken) return { problem: notAPattern(broken.problem) };
  return {
    source,
    anchor,
    segments: floats ? ["**", ...segments] : segments,
    belowOnly,
    isExact: behavior === "allow" && !belowOnly && last !== undefined && isWild(last),
  };
}

/** How far a path goes into a pattern. */
export type Reach =
  /** The path matches. */
  | "hit"
  /** The path does not match, everything below it does. */
  | "below"
  /** Something below the path may match. */
  | "partial"
  /** Neither the path nor anything below it can match. */
  | "miss";

/** A pattern tied to a folder. */
export interface LocatedPattern {
  /** The folded folder (or file) that every match begins with. */
  readonly base: string;
  /** The pattern after the base: compiled segments, `**` as itself. */
  readonly rest: readonly (Segment | "**")[];
  readonly isExact: boolean;
  /** Compares an absolute, folded path. */
  reach(path: string): Reach;
  /** Whether the path and everything below it match. */
  covers(path: string): boolean;
}

/** Ties a pattern to the folder that it counts from. Leading segments without wildcards become part of the base. */
export function locatePattern(pattern: PathPattern, folder: string, fold: (text: string) => string): LocatedPattern {
  const compiled = pattern.segments.map((segment) => (segment === "**" ? "**" : compiledSegment(fold(segment))));
  const firstWild = compiled.findIndex((segment) => segment === "**" || segment.literal === undefined);
  const fixed = compiled.slice(0, firstWild < 0 ? compiled.length : firstWild);
  const names = fixed.map((segment) => (segment === "**" ? "" : (segment.literal ?? "")));
  const base = normalize([fold(folder), ...names].join("/"));
  const rest = compiled.slice(fixed.length);
  const { belowOnly, isExact } = pattern;
  const reach = (path: string): Reach => {
    const below = namesBelow(base, path);
    if (below === undefined) return isAbove(path, base) ? "partial" : "miss";
    return walk(rest, below, belowOnly, isExact);
  };
  return {
    base,
    rest,
    isExact,
    reach,
    covers(path) {
      const found = reach(path);
      return found === "below" || (found === "hit" && !isExact);
    },
  };
}

/**
 * Runs the names through the pattern as a small state machine: bit `n` of `states` says that `n` segments of the
 * pattern are used up. The time is names times segments, whatever the pattern.
 */
function walk(
  rest: readonly (Segment | "**")[],
  names: readonly string[],
  belowOnly: boolean,
  isExact: boolean,
): Reach {
  const end = 1 << rest.length;
  let states = skipStars(rest, 1);
  for (const name of names) {
    if ((states & end) !== 0 && !isExact) return "hit";
    let next = 0;
    for (let index = 0; index < rest.length; index++) {
      if ((states & (1 << index)) === 0) continue;
      const segment = rest[index];
      if (segment === "**") next |= 1 << index;
      else if (segment?.matches(name)) next |= 1 << (index + 1);
    }
    if (next === 0) return "miss";
    states = skipStars(rest, next);
  }
  if ((states & end) !== 0) return belowOnly ? "below" : "hit";
  return "partial";
}

/** `**` may also match nothing. */
function skipStars(rest: readonly (Segment | "**")[], states: number): number {
  let closed = states;
  for (let index = 0; index < rest.length; index++)
    if (rest[index] === "**" && (closed & (1 << index)) !== 0) closed |= 1 << (index + 1);
  return closed;
}

const NO_NAMES: readonly string[] = [];

function namesBelow(base: string, path: string): readonly string[] | undefined {
  if (path === base) return NO_NAMES;
  if (base === "/") return path.slice(1).split("/");
  if (!path.startsWith(base) || path[base.length] !== "/") return undefined;
  return path.slice(base.length + 1).split("/");
}

const isAbove = (path: string, base: string): boolean =>
  path === "/" || (base.startsWith(path) && base[path.length] === "/");

function readAnchor(source: string): { anchor: Anchor; rest: string; isAnchored: boolean } {
  if (/^[A-Za-z]:[\\/]/.test(source)) return { anchor: "root", rest: toPosix(source).slice(1), isAnchored: true };
  if (source.startsWith("//")) return { anchor: "root", rest: source.slice(2), isAnchored: true };
  if (source === "~" || source.startsWith("~/")) return { anchor: "home", rest: source.slice(2), isAnchored: true };
  if (source.startsWith("/")) return { anchor: "source", rest: source.slice(1), isAnchored: true };
  if (source === "." || source.startsWith("./")) return { anchor: "cwd", rest: source.slice(2), isAnchored: true };
  return { anchor: "cwd", rest: source, isAnchored: false };
}

/** `a/**`, `a/**` + `/*`: everything below. Removes the trailing wildcards and returns whether there were any. */
function dropTrailingStars(segments: string[]): boolean {
  if (segments.at(-1) === "*" && segments.at(-2) === "**") segments.pop();
  if (segments.at(-1) !== "**") return false;
  segments.pop();
  return true;
}

function compiledSegment(text: string): Segment {
  const segment = compileSegment(text);
  // Parsing has refused every broken segment. One that folding broke matches nothing rather than anything.
  return "problem" in segment ? { matches: () => false } : segment;
}

function isWild(text: string): boolean {
  const segment = compileSegment(text);
  return !("problem" in segment) && segment.literal === undefined;
}

function findMisuse(source: string, rest: string): PatternProblem | undefined {
  if (source === "")
    return { message: "The path pattern is empty.", cure: "Name a file or folder, or remove the parentheses." };
  if (source.startsWith("!"))
    return {
      message: "A path pattern cannot be negated.",
      cure: "Write the opposite rule in another list, or \\! for a name that begins with !.",
    };
  if (rest.split("/").includes(".."))
    return {
      message: 'A pattern with ".." never matches: paths are compared after ".." is resolved.',
      cure: "Write the absolute folder with // in front, or ~/ for your home.",
    };
  if (/^~[^/]/.test(source))
    return {
      message: `"${source}" never matches: only ~/ means a home folder.`,
      cure: "Write ~/ for your own home, // for an absolute path.",
    };
  if (/^\$\{?[A-Za-z_]/.test(source))
    return {
      message: "Variables are not expanded in rules.",
      cure: "Write ~/ for your home, // for an absolute path.",
    };
  return undefined;
}

const notAPattern = (what: string): PatternProblem => ({
  message: `Not a path pattern: ${what}.`,
  cure: "Write one rule per alternative, or put a backslash before a literal character.",
});

const tooLong = (source: string): PatternProblem => ({
  message: `"${source}" has more than ${MOST_SEGMENTS} segments.`,
  cure: "Shorten it with **.",
});
