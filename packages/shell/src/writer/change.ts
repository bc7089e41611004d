import { basename, type Change, type Effect, isWithin, type WriteEffect } from "@haft/core/tool";
import { isFree, type Place, placesOf, type Standpoint } from "../place/place.ts";
import { readInto, writing } from "../place/place-effects.ts";
import { headsOf, only, text, type Value } from "../word/value.ts";
import { type LooselyParsed, parseLoosely } from "./loose.ts";

/**
 * The changes that a program makes at least, according to its options and operands. This proves nothing: the program stays opaque and may
 * change more. It only lets rules find their matches.
 */
export interface Changer {
  /** See `parseLoosely`. */
  readonly options?: string;
  /** The operands that it changes. `into`: the last, or the names of the others in it. */
  readonly operands?: "all" | "first" | "second" | "last" | "into";
  /** Default: `modify`. */
  readonly change?: Change;
  /** It also changes everything below, always or with one of these options. */
  readonly tree?: true | readonly string[];
  /** With `into`: the others are gone afterwards, or get a second name through which they can be changed. */
  readonly sources?: "gone" | "named";
  /** The first operand is a text: always, or if it matches. */
  readonly leading?: true | RegExp;
  /** ... unless one of these options supplies it. */
  readonly leadingUnless?: readonly string[];
  /** It changes something only with one of these options. */
  readonly when?: readonly string[];
  /** With one of these it changes nothing. */
  readonly unless?: readonly string[];
  /** Without an operand, or always, it may change anything in the folder: the one of an option, or the current one. */
  readonly folder?: "alone" | "always";
  /** It removes this ending from its files, or adds it. */
  readonly ending?: string;
  /** It creates files with this beginning, and this ending for the first of them. */
  readonly series?: {
    readonly options: readonly string[];
    readonly operand?: number;
    readonly name: string;
    readonly first: string;
  };
  /** Without a given name the file is named after the URL, in the folder of an option. */
  readonly fetches?: { readonly with?: readonly string[]; readonly unless?: readonly string[] };
  /** Matches a word that contains the name of a written file, as in `w FILE` of sed. */
  readonly mentions?: RegExp;
  /** A word that names the file, as in `of=FILE` of dd. */
  readonly assigned?: string;
  /** It packs the operands after the first one into it, with everything below them. */
  readonly packs?: true;
  /** Options end at the first operand. */
  readonly strict?: true;
}

/** The changes of a call of such a program, at least. */
export function changesBy(changer: Changer, args: readonly Value[], from: Standpoint): readonly Effect[] {
  const at = { ...from, moved: [] };
  const parsed = parseLoosely(args, changer.options ?? "", changer.strict);
  const mentioned = mentions(changer, args).flatMap((name) => changed(text(name), at));
  if (changer.when !== undefined && !parsed.has(...changer.when))
    return [...mentioned, ...byOptions(parsed, at, false)];
  if (changer.unless !== undefined && parsed.has(...changer.unless)) return mentioned;
  const paths = operandsOf(changer, parsed);
  const folder = parsed.given.findLast(({ takes }) => takes === "folder")?.value;
  const isFree = paths.length === 0 && changer.folder === "alone";
  return [
    ...mentioned,
    ...byOptions(parsed, at, changer.operands !== "into" && changer.fetches === undefined),
    ...byOperands(changer, parsed, paths, folder, at),
    ...(folder === undefined && (isFree || changer.folder === "always") ? changed(text("."), at, "modify", true) : []),
    ...series(changer, parsed).flatMap((name) => changed(text(name), at, "create")),
    ...fetched(changer, parsed, folder, at),
    ...(changer.packs ? packed(parsed.operands.slice(1), at) : []),
  ];
}

/** Files that go into an archive are read. */
export function packed(paths: readonly Value[], at: Standpoint): readonly Effect[] {
  const effects: Effect[] = [];
  for (const path of paths) readInto(effects, path, at, true);
  return effects;
}

function byOptions(parsed: LooselyParsed, at: Standpoint, alsoFolders: boolean): readonly Effect[] {
  return parsed.given.flatMap(({ takes, value }) => {
    if (value === undefined) return [];
    if (takes === "file") return changed(value, at, "replace");
    return takes === "folder" && alsoFolders ? changed(value, at, "modify", true) : [];
  });
}

function operandsOf({ leading, leadingUnless }: Changer, parsed: LooselyParsed): readonly Value[] {
  const [first] = parsed.operands;
  if (leading === undefined || (leadingUnless !== undefined && parsed.has(...leadingUnless))) return parsed.operands;
  return leading === true || leading.test(only(first) ?? "") ? parsed.operands.slice(1) : parsed.operands;
}

function byOperands(
  changer: Changer,
  parsed: LooselyParsed,
  paths: readonly Value[],
  folder: Value | undefined,
  at: Standpoint,
): readonly Effect[] {
  const { change = "modify", tree, ending } = changer;
  const isDeep = tree === true || (tree !== undefined && parsed.has(...tree));
  switch (changer.operands) {
    case "all":
      return paths.flatMap((value) => [...changed(value, at, change, isDeep), ...withEnding(value, ending, at)]);
    case "first":
      return paths.slice(0, 1).flatMap((value) => changed(value, at, change, isDeep));
    case "second":
      return paths.slice(1, 2).flatMap((value) => changed(value, at, change, isDeep));
    case "last":
      return paths.slice(-1).flatMap((value) => changed(value, at, change, isDeep));
    case "into":
      return into(changer, paths, folder, at);
    default:
      return [];
  }
}

function into(
  { change = "create", sources }: Changer,
  paths: readonly Value[],
  folder: Value | undefined,
  at: Standpoint,
) {
  const from = folder === undefined && paths.length > 1 ? paths.slice(0, -1) : paths;
  // With one operand the target is the current folder, as with `ln FILE`.
  const target = folder ?? (paths.length > 1 ? paths.at(-1)! : text("."));
  const names = from.flatMap((source) => (source.kind === "text" ? source.texts.map(basename) : []));
  const isHere = only(target) === ".";
  const made = headsOf(target).flatMap((head) => names.map((name) => `${head}/${name}`));
  return [
    ...(isHere ? [] : changed(target, at, change, true)),
    ...(target.kind === "text" ? made.flatMap((name) => changed(text(name), at, change)) : []),
    ...(sources === "gone" ? from.flatMap((source) => changed(source, at, "delete")) : []),
    // Files elsewhere are judged where they are written.
    ...(sources === "named" ? from.flatMap((source) => changed(source, at, "modify", true)).filter(isBelow(at)) : []),
  ];
}

const isBelow =
  ({ start }: Standpoint) =>
  ({ path }: WriteEffect): boolean =>
    path !== start && isWithin(start, path);

function withEnding(value: Value, ending: string | undefined, at: Standpoint): readonly Effect[] {
  if (ending === undefined || value.kind !== "text") return [];
  const others = (name: string) => [name + ending, ...(name.endsWith(ending) ? [name.slice(0, -ending.length)] : [])];
  return value.texts.flatMap(others).flatMap((name) => changed(text(name), at, "create"));
}

function series({ series: made }: Changer, { given, operands }: LooselyParsed): readonly string[] {
  if (made === undefined) return [];
  const option = given.findLast(({ name }) => made.options.includes(name))?.value;
  const prefix = option ?? (made.operand === undefined ? undefined : operands[made.operand]);
  return (prefix === undefined ? [made.name] : headsOf(prefix)).map((head) => head + made.first);
}

function fetched({ fetches }: Changer, parsed: LooselyParsed, folder: Value | undefined, at: Standpoint) {
  if (fetches === undefined || (fetches.with && !parsed.has(...fetches.with))) return folderOf(folder, parsed, at);
  if (fetches.unless && parsed.has(...fetches.unless)) return [];
  const names = parsed.operands.flatMap((url) => {
    const path = (only(url) ?? "").replace(/^\w+:\/\/[^/]*|[?#].*$/g, "");
    return path === "" || path.endsWith("/") ? ["index.html"] : [basename(path)];
  });
  const heads = folder === undefined ? ["."] : headsOf(folder);
  return heads.flatMap((head) => names.flatMap((name) => changed(text(`${head}/${name}`), at, "create")));
}

/** `--output-dir D -o F` writes `D/F`. */
function folderOf(folder: Value | undefined, { given }: LooselyParsed, at: Standpoint): readonly Effect[] {
  if (folder === undefined) return [];
  const names = given.flatMap(({ takes, value }) => (takes === "file" && value?.kind === "text" ? value.texts : []));
  return headsOf(folder).flatMap((head) => names.flatMap((name) => changed(text(`${head}/${name}`), at, "create")));
}

function mentions({ mentions: pattern, assigned }: Changer, args: readonly Value[]): readonly string[] {
  const words = args.flatMap((value) => only(value) ?? []);
  const named = assigned === undefined ? [] : words.filter((word) => word.startsWith(assigned));
  const written = pattern === undefined ? [] : words.flatMap((word) => [...word.matchAll(pattern)]);
  return [
    ...named.map((word) => word.slice(assigned!.length)),
    ...written.flatMap((match) => match.slice(1).find((name) => name !== undefined) ?? []),
  ].filter((name) => name !== "");
}

/**
 * The change to the place that a word names. For a name that is known only at run time the folder counts: any file in it may be meant. A
 * tree is never reported as removed, because parts of it may remain.
 */
export function changed(value: Value, at: Standpoint, change: Change = "modify", tree = false): readonly WriteEffect[] {
  const name = only(value);
  if (name === "" || name === "-" || (name !== undefined && isFree(name))) return [];
  if (value.kind === "text") return placed(value, at).map((place) => writing(place, tree ? "modify" : change, tree));
  const heads = headsOf(value).map((head) => head.slice(0, head.lastIndexOf("/") + 1));
  const folders = value.kind === "name" ? heads.map((head) => head || ".") : heads.filter((head) => head !== "");
  return folders.length === 0 ? [] : placed(text(...folders), at).map((place) => writing(place, "modify", true));
}

function placed(value: Value, at: Standpoint): readonly Place[] {
  const places = placesOf(value, at);
  return typeof places === "string" ? [] : places;
}
