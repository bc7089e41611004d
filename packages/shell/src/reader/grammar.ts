import type { Effect, ReadEffect } from "@haft/core/tool";
import type { Need } from "../facts/fact.ts";
import type { Standpoint } from "../place/place.ts";
import { readInto } from "../place/place-effects.ts";
import { isOneWord, only, text, type Value } from "../word/value.ts";
import { type OptionTable, type Parsed, parseOptions } from "./options.ts";
import { privateMeant } from "./output-files/private.ts";

/** The most that a command may do, or why nothing is known. */
export type Judgement =
  | {
      readonly effects: readonly Effect[];
      /** It holds if a look confirms each of these. */
      readonly needs?: readonly Need[];
    }
  | {
      readonly why: string;
      /** Its changes in any case: at least these. */
      readonly changes?: readonly Effect[];
    };

/** A way to judge the arguments of a program (without its name). */
export type Judge = (args: readonly Value[], at: Standpoint) => Judgement;

/** A command that only reads, described by its options and operands. */
export interface ReaderGrammar {
  readonly options: OptionTable;
  /** The kind of the operands: paths read, paths read with everything below, plain text, or not allowed. */
  readonly operands: "read" | "tree" | "text" | "none";
  /** This many operands at the front are text (a pattern, a filter) ... */
  readonly leading?: number;
  /** ... unless one of these options supplies it. */
  readonly leadingUnless?: readonly string[];
  /** Only this many operands are paths; the rest is text. */
  readonly paths?: number;
  readonly least?: number;
  readonly most?: number;
  /** The paths read without an operand; default: standard input only. */
  readonly alone?: "read" | "tree";
  /** With one of these options `alone` and the operands mean everything below. */
  readonly treeWith?: readonly string[];
  /** Options whose patterns choose the files of a tree. */
  readonly patterns?: readonly string[];
  /** No option of the program, listed or not, writes or executes anything. */
  readonly harmless?: boolean;
  /** No option or operand names a file either, so any word is allowed. */
  readonly blind?: boolean;
  /** The separate text of an option may not look like an option: the program may read it as one. */
  readonly gluing?: boolean;
  /** The files that it tries if the named one does not exist: the endings added to the name. */
  readonly endings?: (name: string) => readonly string[];
  /** Options end at the first operand. */
  readonly strict?: boolean;
  /** A final check: the reason why this call is not a reader after all. */
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

/** Whether it reads its start folder if no operand names another. */
const mayReadFolder = ({ operands, treeWith, alone }: ReaderGrammar): boolean =>
  operands === "tree" || treeWith !== undefined || alone !== undefined;

/** A name that comes from a wildcard exists. */
const withEndings = (path: Value, { endings }: ReaderGrammar): readonly Value[] =>
  endings === undefined || path.kind !== "text"
    ? []
    : path.texts.flatMap((name) => endings(name).map((ending) => text(name + ending)));

/** Any file to which a link in a tree may lead. */
export const ANYTHING: ReadEffect = { do: "read", basis: "proved", path: "/", tree: true };

/** Links may lead to any file. */
export const withAll = (judgement: Judgement): Judgement =>
  "why" in judgement ? judgement : { ...judgement, effects: [...judgement.effects, ANYTHING] };

function checkCount(grammar: ReaderGrammar, parsed: Parsed): string | undefined {
  const count = parsed.operands.length;
  const most = grammar.operands === "none" ? 0 : grammar.most;
  if (most !== undefined && (count > most || !parsed.operands.every(isOneWord))) {
    return most === 0 ? "It takes no operand as a reader." : `With more than ${most} operands it may write.`;
  }
  return count < (grammar.least ?? 0) ? "An operand is missing." : undefined;
}
