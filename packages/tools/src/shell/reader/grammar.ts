import type { Effect, ReadEffect } from "@haft/core/tool";
import type { Need } from "../look/look.ts";
import { isOneWord, only, text, type Value } from "../word/value.ts";
import { type OptionTable, type Parsed, parseOptions } from "./options.ts";
import { isFree, placesOf, type Standpoint } from "./place.ts";
import { privateMeant } from "./shown/private.ts";

/** What a command is known to do at most, or why nothing is known. */
export type Judgement =
  | {
      readonly effects: readonly Effect[];
      /** It holds as long as a look finds each of these. */
      readonly needs?: readonly Need[];
    }
  | {
      readonly why: string;
      /** What it changes all the same: at least this. */
      readonly changes?: readonly Effect[];
    };

/** One way to judge the arguments of a program (its name not among them). */
export type Judge = (args: readonly Value[], at: Standpoint) => Judgement;

/** A command that only reads, described by its options and operands. */
export interface ReaderGrammar {
  readonly options: OptionTable;
  /** What operands are: paths read, paths read with everything below, mere text, or not allowed. */
  readonly operands: "read" | "tree" | "text" | "none";
  /** So many operands at the front are text (a pattern, a filter) ... */
  readonly leading?: number;
  /** ... unless one of these options brings it. */
  readonly leadingUnless?: readonly string[];
  /** Only so many operands are paths; what follows is text. */
  readonly paths?: number;
  readonly least?: number;
  readonly most?: number;
  /** What is read when no path is named; default: standard input only. */
  readonly alone?: "read" | "tree";
  /** With one of these options `alone` and the operands mean everything below. */
  readonly treeWith?: readonly string[];
  /** These say by patterns which files of a tree are read. */
  readonly patterns?: readonly string[];
  /** No option of the program, listed or not, writes or executes anything. */
  readonly harmless?: boolean;
  /** No option or operand names a file either, so anything may stand there. */
  readonly blind?: boolean;
  /** A separate text of an option may not look like an option: the program may take it for one. */
  readonly gluing?: boolean;
  /** What it opens where there is no file of this name: what stands behind the name then. */
  readonly endings?: (name: string) => readonly string[];
  /** Options end at the first operand. */
  readonly strict?: boolean;
  /** A last look: the reason why this call is not a reader after all. */
  readonly refuse?: (parsed: Parsed) => string | undefined;
}

export const opaque = (why: string): Judgement => ({ why });

/** Judges arguments by a grammar. */
export function judgeReader(grammar: ReaderGrammar, args: readonly Value[], at: Standpoint): Judgement {
  const rules = {
    permute: !grammar.strict,
    harmless: grammar.harmless ?? false,
    bare: grammar.harmless === true && !mayReadFolder(grammar),
    blind: grammar.blind ?? false,
    gluing: grammar.gluing ?? false,
  };
  const parsed = parseOptions(args, grammar.options, rules);
  if (typeof parsed === "string") return opaque(parsed);
  const refusal = grammar.refuse?.(parsed) ?? checkCount(grammar, parsed);
  if (refusal !== undefined) return opaque(refusal);

  const deep = grammar.operands === "tree" || (grammar.treeWith !== undefined && parsed.has(...grammar.treeWith));
  const effects: Effect[] = [];
  for (const { name, takes, value } of parsed.given) {
    if (value === undefined) continue;
    const meant = deep && grammar.patterns?.includes(name) ? privateMeant(only(value) ?? "") : undefined;
    if (meant !== undefined) readInto(effects, { kind: "text", texts: [meant] }, at);
    if (takes !== "read" && takes !== "tree") continue;
    const problem = readInto(effects, value, at, takes === "tree");
    if (problem !== undefined) return opaque(problem);
  }
  if (grammar.operands === "text") return { effects };
  const skip = grammar.leadingUnless && parsed.has(...grammar.leadingUnless) ? 0 : (grammar.leading ?? 0);
  if (!parsed.operands.slice(0, skip).every(isOneWord)) {
    return opaque("It is not known which argument is the first path.");
  }
  const paths = parsed.operands.slice(skip, grammar.paths === undefined ? undefined : skip + grammar.paths);
  for (const value of paths.flatMap((path) => [path, ...withEndings(path, grammar)])) {
    const problem = readInto(effects, value, at, deep);
    if (problem !== undefined) return opaque(problem);
  }
  if (paths.length > 0 || (grammar.alone === undefined && !deep)) return { effects };
  const problem = readInto(effects, { kind: "text", texts: ["."] }, at, deep || grammar.alone === "tree");
  return problem === undefined ? { effects } : opaque(problem);
}

/** Whether it reads the folder in which it starts where no operand says otherwise. */
const mayReadFolder = ({ operands, treeWith, alone }: ReaderGrammar): boolean =>
  operands === "tree" || treeWith !== undefined || alone !== undefined;

/** A name that a wildcard gives is there. */
const withEndings = (path: Value, { endings }: ReaderGrammar): readonly Value[] =>
  endings === undefined || path.kind !== "text"
    ? []
    : path.texts.flatMap((name) => endings(name).map((ending) => text(name + ending)));

/** Adds the reading of whatever `value` names. `-` and devices that hold nothing are free. */
export function readInto(effects: Effect[], value: Value, at: Standpoint, tree = false): string | undefined {
  const name = only(value);
  if (name === "-" || name === "" || (name !== undefined && isFree(name))) return undefined;
  const places = placesOf(value, at);
  if (typeof places === "string") return places;
  effects.push(...places.map((place) => reading(place.path, place.as, tree || place.tree === true)));
  return undefined;
}

/** Whatever a link in a tree may lead to. */
export const ANYTHING: ReadEffect = { do: "read", basis: "proved", path: "/", tree: true };

/** What links lead to may be anything. */
export const withAll = (judgement: Judgement): Judgement =>
  "why" in judgement ? judgement : { ...judgement, effects: [...judgement.effects, ANYTHING] };

/** A proved read. */
export const reading = (path: string, as: string | undefined, tree: boolean): ReadEffect => ({
  do: "read",
  basis: "proved",
  path,
  ...(as === undefined ? {} : { as }),
  ...(tree ? { tree: true } : {}),
});

function checkCount(grammar: ReaderGrammar, parsed: Parsed): string | undefined {
  const count = parsed.operands.length;
  const most = grammar.operands === "none" ? 0 : grammar.most;
  if (most !== undefined && (count > most || !parsed.operands.every(isOneWord))) {
    return most === 0 ? "It takes no operand as a reader." : `With more than ${most} operands it may write.`;
  }
  return count < (grammar.least ?? 0) ? "An operand is missing." : undefined;
}
