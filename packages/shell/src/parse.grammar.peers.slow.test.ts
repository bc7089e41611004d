import { readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { loadGrammar, type SyntaxNode } from "../test/support/grammar.ts";
import { analyseShell } from "./index.ts";
import "../../../test/support/seed.ts";

// Our reading against a grammar of the whole language by others: a script of which everything is known has exactly the commands that
// the grammar sees. Left out are scripts in which the two lists differ by design: functions are walked where they are called, what
// comes behind `exit` is not, and wrappers, `find -exec` and `xargs` start commands that are arguments to a grammar.
let parse: (script: string) => SyntaxNode;

beforeAll(async () => {
  parse = await loadGrammar("bash");
});

const BY_DESIGN = /\(\)|\bfunction\b|\b(exit|return|break|continue|exec|time)\b/;
/** Scripts that the other grammar parses unlike bash: odd ends of here-documents, a word that continues on the next line, `!` twice. */
const THEIR_SLIPS = /<<-?\s*\S*[\\'"]|<<[^\n]*\n(.*\n)*\w+ \n|[^ \t]\\\n|<<<\s*`|!\s+!/;
/** Their own nodes in the grammar, or tests. */
const DECLARES = /^(export|declare|typeset|readonly|local|unset|\[|test)$/;

const unquoted = (name: string): string => name.replace(/["'\\]/g, "");

/** The names of the commands by either reading, or nothing where they cannot be compared. */
function compare(script: string): { ours: string[]; theirs: string[] } | undefined {
  if (BY_DESIGN.test(script) || THEIR_SLIPS.test(script)) return undefined;
  const { opaque, commands } = analyseShell(script, { cwd: "/w/p", home: "/home/u" });
  if (opaque || commands.some(({ wrappers }) => wrappers.length > 0)) return undefined;
  const root = parse(script);
  if (root.hasError) return undefined;
  const theirs = root.descendantsOfType("command").flatMap((node) => node.childForFieldName("name")?.text ?? []);
  const plain = (names: readonly string[]) =>
    [...new Set(names.map(unquoted))].filter((name) => !DECLARES.test(name)).sort();
  return { ours: plain(commands.map(({ argv }) => argv[0]!)), theirs: plain(theirs) };
}

const listed = (name: string): string[] =>
  readFileSync(new URL(`../test/corpus/${name}.txt`, import.meta.url), "utf8")
    .split("\n")
    .map((line) => line.replace(/␤/g, "\n").replace(/␉/g, "\t").replace(/␍/g, "\r").replace(/␀/g, "\0"));

const comparedOf = (name: string) =>
  listed(name).flatMap((script) => {
    const both = compare(script);
    return both === undefined ? [] : [{ script, ...both }];
  });

const pieces = fc.constantFrom(
  ...["ls", "cat a", "echo", "pwd", "wc -l", "grep x", "head -3", "true", "X=1", "x", "'a b'", '"$X"', "$X", "*.ts"],
  ...[" ", " ", " ", "\n", "; ", " && ", " || ", " | ", " & ", "# c\n", "\\\n", "! ", "2>&1", " < a", " >/dev/null"],
  ...["$(", ")", "`", '"', "'", "${X:-", "}", "{ ", "; }", "(", " <<E\n", "\nE\n", " <<'E'\n", "<<<", "$((", "))"],
  ...[
    "if ",
    "; then ",
    "; else ",
    "; fi",
    "for i in ",
    "; do ",
    "; done",
    "while ",
    "case x in ",
    "a) ",
    ";; ",
    "esac",
  ],
  ...["<(", "[[ ", " ]]", " == ", "-n ", "$'", "{a,b}", "=(", "]", "[", "~", "#", "\t", "|&", "&>", ">|", "%", "rm a"],
);

describe("the parser against another grammar", () => {
  it.each(["usual", "unusual"])("G06 the commands of the list %s are the same to both", (name) => {
    const compared = comparedOf(name);
    expect(compared.length).toBeGreaterThan(250);
    expect(compared.filter(({ ours, theirs }) => ours.join("\n") !== theirs.join("\n"))).toEqual([]);
  });

  // The other grammar does not look into some expansions (`${x#$(rm a)}`): ours may see more.
  it("G06 in hostile commands nothing that the grammar sees is missed", { tags: ["smoke"] }, () => {
    const compared = comparedOf("asked");
    expect(compared.length).toBeGreaterThan(100);
    expect(compared.filter(({ ours, theirs }) => theirs.some((name) => !ours.includes(name)))).toEqual([]);
  });

  it("G06 scripts put together at random: no command that the grammar sees is missed", () => {
    let compared = 0;
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 14 }), (parts) => {
        const both = compare(parts.join(""));
        if (both === undefined) return;
        if (both.theirs.length > 0) compared++;
        expect(both.ours).toEqual(expect.arrayContaining(both.theirs));
      }),
      { numRuns: 8_000 },
    );
    expect(compared).toBeGreaterThan(60);
  });
});
