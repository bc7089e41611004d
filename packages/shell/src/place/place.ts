import { normalize } from "@haft/core/tool";
import { privateMeant } from "../reader/output-files/private.ts";
import type { Value } from "../word/value.ts";

/** A location that a word names. */
export interface Place {
  /** Absolute, without `.` and `..`. */
  readonly path: string;
  /** As named, if `..` follows a folder that may be a link: only the file system can resolve that. */
  readonly as?: string;
  /** Anything below `path` may be meant. */
  readonly tree?: true;
}

/** The folders from which relative names count, and earlier changes to names. */
export interface Standpoint {
  readonly folders: readonly string[] | undefined;
  readonly moved: readonly string[];
  /** The real start folder of the script: `..` through it can be resolved safely. */
  readonly start: string;
  /** The folder for user-specific data of programs. */
  readonly home?: string;
}

/** Devices that every command may use: they contain nothing. */
const FREE = /^\/dev\/(null|zero|stdin|stdout|stderr|fd\/\d+|u?random)$/;

/** Whether no rule could care about a path. */
export const isFree = (path: string): boolean => FREE.test(path);

/** Every place that a word may name, or why that is not known. Sort out `-` before. */
export function placesOf(named: Value, from: Standpoint): readonly Place[] | string {
  const value = patternOf(named);
  if (value.kind === "text") return resolveAll(value.texts, from);
  if (value.kind !== "name") return "A path is not known before the run.";
  if (/(^|\/)\.\.?(\/|$)/.test(value.rest) || value.heads.some((head) => mayClimb(firstSegment(head, value.rest)))) {
    return "A wildcard may lead out of its folder.";
  }
  const bases = value.heads.map((head) => head.slice(0, head.lastIndexOf("/") + 1));
  const places = resolveAll(
    bases.map((base) => (base === "" ? "." : base)),
    from,
  );
  const meant = value.heads.flatMap((head) => privateMeant(head + value.rest, value.rest.startsWith("**/")) ?? []);
  const secrets = meant.length === 0 ? [] : resolveAll(meant, from);
  if (typeof places === "string" || typeof secrets === "string") return "A path is not known before the run.";
  return [...secrets, ...places.map((place) => ({ ...place, tree: true }) as const)];
}

/** Whether a wildcard after a dot may match `..`. */
const mayClimb = (segment: string): boolean =>
  /^\.{1,2}$/.test(segment.replace(/\[[^\]]*\]?|[*?]/g, "")) && segment !== ".";

/** The path segment that contains the wildcard: `.*` and `[.]*` also match `..`. */
function firstSegment(named: string, rest: string): string {
  const head = named.slice(named.lastIndexOf("/") + 1);
  return head.startsWith(".") ? `${head}${rest.split("/")[0]}` : "";
}

/** Turns a name with unknown numbers, like `logs/2024-01-01.log`, into a pattern: no number leads elsewhere. */
function patternOf(value: Value): Value {
  if (value.kind !== "one" || value.like === undefined || value.lines) return value;
  const rest = value.like.slice(value.head.length).replace(/\d(?:[\d:._T-]*\d)?/g, "*");
  return { kind: "name", heads: [value.head], rest };
}

function resolveAll(names: readonly string[], from: Standpoint): readonly Place[] | string {
  const places: Place[] = [];
  for (const name of names) {
    if (name.startsWith("/")) places.push(placeAt(name, "", from.start));
    else if (from.folders === undefined) return "The working directory is not known at this point.";
    else for (const folder of from.folders) places.push(placeAt(folder, name, from.start));
  }
  const clash = places.find((place) =>
    from.moved.some((one) => one === place.path || place.path.startsWith(`${one}/`)),
  );
  return clash === undefined ? places : "A path lies where this script has put something else before.";
}

function placeAt(base: string, name: string, start: string): Place {
  const named = name === "" ? base : `${base}/${name}`;
  const path = normalize(named);
  if (!named.includes("..")) return { path };
  const plain = base === start && /^(\.\.?(\/|$))*(?!.*(^|\/)\.\.(\/|$))/.test(name);
  return plain ? { path } : { path, as: named };
}
