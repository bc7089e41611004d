import { basename, type Effect } from "@haft/core/tool";
import type { Standpoint } from "../place/place.ts";
import { concat, only, text, type Value } from "../word/value.ts";
import { type Changer, changed, changesBy, packed } from "./change.ts";
import { fileChangers } from "./file-tables.ts";
import { changesByFind } from "./find.ts";
import { changesByGit } from "./git.ts";
import { parseLoosely } from "./loose.ts";
import { textChangers } from "./text-tables.ts";

type Changes = (args: readonly Value[], at: Standpoint) => readonly Effect[];

/** Programs that need more than a table. */
const OWN: Readonly<Record<string, Changes>> = {
  git: changesByGit,
  find: changesByFind,
  gfind: changesByFind,
  tar: changesByTar,
  bsdtar: changesByTar,
  npx: behind("-p= -c= --package= --call="),
  bunx: behind("-p= --package="),
  pnpx: behind("-p= --package="),
};

/**
 * The changes that an unproved program call makes at least. It assumes that a program is the usual one of its name, wherever it is. Pure;
 * nothing if nothing is known.
 */
export const changesOf = (name: string, args: readonly Value[], at: Standpoint): readonly Effect[] =>
  said(name, args, at).map((effect) => (effect.do === "write" ? { ...effect, unread: true } : effect));

function said(name: string, args: readonly Value[], at: Standpoint): readonly Effect[] {
  const program = basename(name).replace(/^(gcc|g\+\+|clang|clang\+\+)-\d+$/, "$1");
  if (Object.hasOwn(OWN, program)) return OWN[program]!(args, at);
  return changersOf(program).flatMap((changer) => changesBy(changer, args, at));
}

const changersOf = (program: string): readonly Changer[] =>
  [fileChangers, textChangers].find((table) => Object.hasOwn(table, program))?.[program] ?? [];

/** A program that fetches the program named after its own options. */
function behind(options: string): Changes {
  return (args, at) => {
    const [program, ...rest] = parseLoosely(args, options, true).operands;
    const name = only(program)?.replace(/(.)@[^/]*$/, "$1");
    return name === undefined ? [] : said(name, rest, at);
  };
}

const TAR =
  "-C=>> -f= -b= -F= -g= -I= -K= -L= -N= -T= -V= -X= --directory=>> --file= --exclude= --one-top-level=>> --strip-components= --transform= --listed-incremental=> --index-file=> --to-command= --use-compress-program=";

/** It unpacks into a folder, or writes the archive. */
function changesByTar(args: readonly Value[], at: Standpoint): readonly Effect[] {
  const [first, ...rest] = args;
  const bundle = only(first) ?? "";
  // The first word contains options even without a dash, each with its text in the next words.
  const words = /^[A-Za-z]+$/.test(bundle) ? [...spread(bundle, rest)] : args;
  const parsed = parseLoosely(words, TAR);
  const textOf = (...names: readonly string[]) => parsed.given.findLast(({ name }) => names.includes(name))?.value;
  const archive = textOf("-f", "--file");
  const folders = parsed.given.flatMap(({ takes, value }) => (takes === "folder" && value ? [value] : []));
  if (parsed.has("-x", "--extract", "--get"))
    return (folders.length === 0 ? [text(".")] : folders).flatMap((folder) => changed(folder, at, "modify", true));
  const packs = parsed.has("-c", "-r", "-u", "-A", "--create", "--append", "--update", "--concatenate", "--delete");
  if (!packs) return [];
  // Which operand counts from which folder is not determined.
  const from = [text(""), ...folders.map((folder) => concat(folder, text("/")))];
  return [
    ...(archive === undefined ? [] : changed(archive, at, "replace")),
    ...from.flatMap((folder) =>
      packed(
        parsed.operands.map((one) => concat(folder, one)),
        at,
      ),
    ),
  ];
}

function spread(bundle: string, rest: readonly Value[]): readonly Value[] {
  const left = [...rest];
  const options = [...bundle].flatMap((letter) => {
    const takes = /[CfbFgIKLNTVX]/.test(letter) ? left.shift() : undefined;
    return [text(`-${letter}`), ...(takes === undefined ? [] : [takes])];
  });
  return [...options, ...left];
}
