import { basename, type Change, type Effect } from "@haft/core/tool";
import { isFree, type Place, placesOf, type Standpoint } from "../place/place.ts";
import { reading, writing } from "../place/place-effects.ts";
import { only, type Value } from "../word/value.ts";
import { ANYTHING, type Judgement, opaque } from "./grammar.ts";
import { type OptionTable, options, type Parsed, parseOptions } from "./options.ts";

/** Places that the command filled with files from elsewhere, perhaps links: names below them are no longer certain. */
interface WriterJudgement {
  readonly judgement: Judgement;
  readonly fills?: readonly string[];
}

type Writer = (parsed: Parsed, at: Standpoint) => WriterJudgement;

interface WriterGrammar {
  readonly options: OptionTable;
  readonly judge: Writer;
}

/** File commands whose options and operands determine exactly what they change. Wildcards are not followed. */
const WRITERS: Readonly<Record<string, WriterGrammar>> = {
  mkdir: { options: options("-pv -m= --parents --verbose --mode="), judge: simply("create") },
  touch: {
    options: options("-acm -d= -t= -r=< --no-create --date= --time= --reference=<"),
    judge: simply("modify"),
  },
  rmdir: { options: options("-v --verbose --ignore-fail-on-non-empty"), judge: simply("delete") },
  rm: {
    options: options("-rRfivdI --recursive --force --verbose --dir --one-file-system --interactive[=]"),
    judge: (parsed, at) => simply("delete", parsed.has("-r", "-R", "--recursive"))(parsed, at),
  },
  tee: {
    options: options("-aip --append --ignore-interrupts"),
    judge: (parsed, at) => simply(parsed.has("-a", "--append") ? "modify" : "replace")(parsed, at),
  },
  mv: {
    options: options("-fnvuiT -t= --force --no-clobber --verbose --update --no-target-directory --target-directory="),
    judge: transfer(true),
  },
  cp: {
    options: options(
      "-rRapfnvuiLHPdxT -t= --recursive --archive --force --no-clobber --verbose --update --dereference --no-dereference --preserve[=] --one-file-system --no-target-directory --target-directory=",
    ),
    judge: transfer(false),
  },
};

/** Whether `name` is a command with predictable changes. */
export const isWriter = (name: string): boolean => Object.hasOwn(WRITERS, name);

/** The changes of a file command, or why they are not known. */
export function judgeWriter(name: string, args: readonly Value[], at: Standpoint): WriterJudgement {
  const grammar = WRITERS[name]!;
  const parsed = parseOptions(args, grammar.options);
  return typeof parsed === "string" ? { judgement: opaque(parsed) } : grammar.judge(parsed, at);
}

/** Every operand gets the same change. */
function simply(change: Change, tree = false): Writer {
  return (parsed, at) => {
    const effects: Effect[] = [];
    const reference = parsed.given.find(({ takes }) => takes === "read")?.value;
    for (const value of reference === undefined ? [] : [reference]) {
      const places = literal(value, at);
      if (typeof places === "string") return { judgement: opaque(places) };
      effects.push(...places.map(({ path, as }) => reading(path, as, false)));
    }
    for (const value of parsed.operands) {
      const places = literal(value, at);
      if (typeof places === "string") return { judgement: opaque(places) };
      for (const place of places) if (!isFree(place.path)) effects.push(writing(place, change, tree));
    }
    return { judgement: { effects } };
  };
}

/** `cp` and `mv`: sources, then a target that may be a folder for them. */
function transfer(moves: boolean): Writer {
  return (parsed, at) => {
    const into = parsed.given.find(({ name }) => name === "-t" || name === "--target-directory")?.value;
    const sources = into === undefined ? parsed.operands.slice(0, -1) : parsed.operands;
    const target = into ?? parsed.operands.at(-1);
    if (target === undefined || sources.length === 0)
      return { judgement: opaque("A source or the target is missing.") };
    const targets = literal(target, at);
    if (typeof targets === "string") return { judgement: opaque(targets) };
    const isFolder = into !== undefined || sources.length > 1 || (only(target) ?? "").endsWith("/");
    const isExact = parsed.has("-T", "--no-target-directory");
    const deep = moves || parsed.has("-r", "-R", "-a", "--recursive", "--archive");
    const effects: Effect[] = [];
    if (deep && parsed.has("-L", "--dereference")) effects.push(ANYTHING);
    const fills: string[] = [];
    for (const source of sources) {
      const places = literal(source, at);
      if (typeof places === "string") return { judgement: opaque(places) };
      for (const from of places) {
        // A moved file can be read under its new name.
        effects.push(reading(from.path, from.as, deep));
        if (moves) effects.push(writing(from, "delete", true));
        for (const to of targets) {
          const path = isFolder ? { path: join(to.path, basename(from.path)) } : to;
          // Only at run time is it known whether the target is a folder; the bound holds for both.
          const write = writing(path, "create", deep || !(isFolder || isExact));
          effects.push(moves ? { ...write, from: from.path } : write);
          if (moves || parsed.has("-r", "-R", "-a", "-d", "-P", "--recursive", "--archive", "--no-dereference"))
            fills.push(path.path);
        }
      }
    }
    return { judgement: { effects }, fills };
  };
}

const join = (folder: string, name: string): string => (folder === "/" ? `/${name}` : `${folder}/${name}`);

const literal = (value: Value, at: Standpoint): readonly Place[] | string =>
  value.kind === "text" && !value.texts.includes("") ? placesOf(value, at) : "It is not known which paths are changed.";
