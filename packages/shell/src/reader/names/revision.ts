import { MAYBE_HASH, MAYBE_REF, only, type Revision, type Value } from "../../word/value.ts";
import { type OptionTable, options, type Parsed, parseOptions } from "../options.ts";

/** A git command that prints only revisions. */
interface Printer {
  readonly options: OptionTable;
  /** How many lines, and whether they may be names that somebody chose. */
  readonly prints: (parsed: Parsed) => Revision | undefined;
}

const HASHES: Revision = { ...MAYBE_HASH, lines: true };
const REFS: Revision = { ...MAYBE_REF, lines: true };

/** Options that choose commits. Not `--boundary` and similar ones: they print a mark in front, and one mark is a dash. */
const CHOICE =
  "-# -iFEP -n= --all --branches[=] --tags[=] --remotes[=] --max-count= --skip= --since= --after= --until= --before= --author= --committer= " +
  "--grep= --merges --no-merges --min-parents= --max-parents= --first-parent --reverse --follow --date-order --topo-order " +
  "--author-date-order --full-history --ancestry-path --diff-filter= -S= -G= --format= --pretty= --abbrev-commit --no-walk --not --date=";
const REF_CHOICE =
  "-ar -n= --all --remotes --list -l --sort= --format= --count= --merged=? --no-merged=? --contains=? --no-contains=? --points-at=?";
const NAME = /^(refname|%\(refname(:short|:lstrip=-?\d|:strip=-?\d)?\))$/;
const HASH = /^(format:|tformat:)?%[hHtT]$/;

const formatOf = ({ given }: Parsed): string | undefined => {
  const formats = given.filter(({ name }) => name === "--format" || name === "--pretty");
  return formats.length === 1 ? only(formats[0]?.value) : undefined;
};
const refs = (parsed: Parsed): Revision | undefined => (NAME.test(formatOf(parsed) ?? "") ? REFS : undefined);

/** Rev-parse prints a word unchanged if it is not a revision, and a range as several lines. */
const SHAPE = /^\w(?!.*\.\.)[\w./-]*([~^]\d*)*$/;
const areRevisions = ({ operands }: Parsed, count: number): boolean =>
  operands.length === count && operands.every((value) => SHAPE.test(only(value) ?? ""));

const PRINTERS: Readonly<Record<string, Printer>> = {
  "rev-parse": {
    options: options("-q --verify --quiet --short[=] --abbrev-ref[=]"),
    prints: (parsed) => (areRevisions(parsed, 1) ? (parsed.has("--abbrev-ref") ? MAYBE_REF : MAYBE_HASH) : undefined),
  },
  "merge-base": { options: options(""), prints: (parsed) => (areRevisions(parsed, 2) ? MAYBE_HASH : undefined) },
  describe: {
    options: options("--tags --always --abbrev= --exact-match --match= --long --all"),
    prints: () => MAYBE_REF,
  },
  "rev-list": {
    options: options(CHOICE),
    prints: (parsed) => (parsed.has("--format", "--pretty") ? undefined : HASHES),
  },
  log: { options: options(CHOICE), prints: (parsed) => (HASH.test(formatOf(parsed) ?? "") ? HASHES : undefined) },
  tag: {
    options: options(REF_CHOICE),
    // -n shows messages.
    prints: (parsed) => (parsed.has("-n") ? undefined : parsed.has("--format") ? refs(parsed) : REFS),
  },
  branch: {
    options: options(REF_CHOICE, "--show-current"),
    prints: (parsed) => (parsed.has("--show-current") ? MAYBE_REF : refs(parsed)),
  },
  "for-each-ref": { options: options(REF_CHOICE), prints: refs },
  "symbolic-ref": {
    options: options("-q --quiet --short"),
    // Others may lead to a name that does not exist.
    prints: ({ operands }) => (operands.length === 1 && only(operands[0]) === "HEAD" ? MAYBE_REF : undefined),
  },
};

/** The output of `git` with these words, if it contains only revisions: none has a blank or wildcard. */
export function printedRevision([verb, ...rest]: readonly Value[]): Revision | undefined {
  const name = only(verb) ?? "";
  if (!Object.hasOwn(PRINTERS, name)) return undefined;
  const { options: table, prints } = PRINTERS[name]!;
  const parsed = parseOptions(rest, table);
  return typeof parsed === "string" ? undefined : prints(parsed);
}
