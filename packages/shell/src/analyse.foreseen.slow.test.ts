import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isWithin, type ReadEffect } from "@haft/core/tool";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyseShell } from "./index.ts";
import "../../../test/support/seed.ts";

const top = mkdtempSync(join(tmpdir(), "haft-foreseen-"));
const cwd = join(top, "w");
const env = { PATH: `${top}/bin:/usr/bin:/bin`, HOME: "/home/u", x: "from/env", OLDPWD: "/old" };
const analyse = (script: string, folder = cwd) =>
  analyseShell(script, { cwd: folder, home: "/home/u", env: { ...env, PWD: folder } });
type Analysis = ReturnType<typeof analyse>;
const readsOf = ({ effects }: Analysis) => effects.filter((effect): effect is ReadEffect => effect.do === "read");

beforeAll(() => {
  for (const folder of ["bin", "w", "w/sub", "w/k", "logs"]) mkdirSync(join(top, folder));
  for (const file of ["a", "b.txt", "c d", "sub/l", "-n"]) writeFileSync(join(cwd, file), "");
  const teller = `#!/bin/sh\nprintf '%s\\0' "$(($# + 2))" "$PWD" "\${0##*/}" "$@" >> "$TOLD"\n`;
  writeFileSync(join(top, "bin/cat"), teller);
  chmodSync(join(top, "bin/cat"), 0o755);
  for (const name of ["head", "sed", "grep", "date", "sort"]) linkSync(join(top, "bin/cat"), join(top, "bin", name));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** The programs that each script starts: folder, name and arguments. */
function started(scripts: readonly string[]): string[][][] {
  const input = join(top, "scripts");
  writeFileSync(input, scripts.map((script) => `${script}\0`).join(""));
  const loop = `i=0; while IFS= read -r -d '' s <&8; do
    TOLD=${top}/logs/$i timeout -s KILL 2 bash --noprofile --norc -c "$s" </dev/null >/dev/null 2>&1; ((i++)); done 8< ${input}`;
  spawnSync("bash", ["--noprofile", "--norc", "-c", loop], { cwd, env });
  return scripts.map((_, index) => {
    const log = join(top, "logs", String(index));
    const told = existsSync(log) ? readFileSync(log, "utf8").split("\0") : [""];
    rmSync(log, { force: true });
    const all: string[][] = [];
    for (let at = 0; at < told.length - 1; at += Number(told[at]) + 1)
      all.push(told.slice(at + 1, at + 1 + Number(told[at])));
    return all;
  });
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
/** No option of these does harm, and a wildcard may become one. */
const HARMLESS = /^(cat|head|grep)$/;

/** The programs that bash started and the analysis did not foresee: written out, each must be allowed and read nothing else. */
function unforeseen(script: string, ran: readonly (readonly string[])[]): string[] {
  const foreseen = readsOf(analyse(script));
  return ran.flatMap(([folder, program = "", ...words]) => {
    const written = (list: readonly string[]) => analyse([program, ...list].map(quoted).join(" "), folder);
    const whole = written(words);
    const alone = whole.opaque && HARMLESS.test(program) ? written(words.filter((word) => !/^-./.test(word))) : whole;
    if (alone.opaque) return [`${program} ${words.join(" ")}`];
    const isForeseen = ({ path, tree }: ReadEffect) =>
      foreseen.some((one) => (one.path === path && (one.tree || !tree)) || (one.tree && isWithin(one.path, path)));
    return readsOf(alone).flatMap((one) => (isForeseen(one) ? [] : [`${program} reads ${one.path}`]));
  });
}

const oneOf = (list: string) => fc.constantFrom(...list.trim().split(/\s*\|\|\|\s*|\s*\n\s*/));
const name = oneOf("x\ny\nz\ni\na");
const literal = oneOf("a\nb.txt\nsub/l\n/etc/shadow\n-n\n-f\nsub\n'a b'\n''\n3\n'*'\n08\n..\n'-n a'");
const value = fc.oneof(
  literal,
  literal,
  oneOf(
    '"$x"\n$y\n"$1"\n"$*"\n"${x%/*}"\n"${x:-b}"\n"${z:=/etc}"\n"${y:1}"\n"${x@Q}"\n$((i + 1))\n"$(echo a)"\n"${@:2}"\n"${q:-$@}"',
  ),
);
const fill = (pattern: string) =>
  fc
    .tuple(name, name, literal, value, fc.constantFrom("1", "2"))
    .map(([one, other, text, held, n]) =>
      pattern
        .replaceAll("NAME", one)
        .replaceAll("OTHER", other)
        .replaceAll("TEXT", text)
        .replaceAll("VALUE", held)
        .replaceAll("N", n),
    );
const patterns = (list: string) => oneOf(list).chain(fill);
const setting = patterns(`NAME=VALUE
NAME=TEXT
NAME=TEXT OTHER=$x
a=(TEXT VALUE)
a+=(VALUE)
NAME+=VALUE
local NAME=VALUE
local NAME
readonly NAME=TEXT
declare -g NAME=VALUE
export NAME=TEXT
unset NAME
set -- TEXT VALUE
set -- "$@" TEXT
shift
cd sub
cd ..
cd -
read NAME <<< TEXT
mapfile -t a <<< TEXT
set -e
set -f
: $((1 / 0))
: $((i++))
((i = N))
: "\${y:0:-9}"
: "\${y:08}"
: "\${NAME:=TEXT}"
NAME=TEXT f
NAME=TEXT true
getopts ab NAME TEXT
pushd k
unset -f g`);
const reading = patterns(`cat "$NAME"
cat "$NAME"
cat "$NAME/l"
cat "sub/$NAME"
cat $NAME
cat "$1"
cat p"$1"
cat "\${NAME:-a}"
cat "$(pwd)/$NAME"
cat "./\${a[@]}"
cat "$OLDPWD/s"
cat -- "$NAME"
cat sub/*
cat ./*.txt
head -n N "$NAME"
head -n"$NAME" a
grep "a\${q:-$@}" a
grep -e"$NAME" -- -fa
sed -n "$((i))p" "$NAME"
sed $NAME 1d a
date "+$NAME"
sort -k"$NAME" a
time cat "$NAME"
command cat "$NAME"
[ -n "$NAME" ]`);
const going = oneOf('return\nbreak\ncontinue\nexit\ntrue\nfalse\ng\ng TEXT\ng "$x"\nf\nf TEXT').chain(fill);
const simple = fc.oneof({ weight: 5, arbitrary: setting }, { weight: 5, arbitrary: reading }, going);
const FORMS = [
  "for NAME in VALUE TEXT; do S; T; done",
  "for NAME; do S; T; done",
  "for NAME in ./*.txt; do S; T; done",
  "if S; then T; else U; fi",
  "while S; do T; break; done",
  "case $x in a) S;& *) T;; esac",
  "( S; T )",
  "{ S; T; }",
  "S && T || U",
  "S | T",
  "{ S; T; } &",
  "g() { S; T; }",
  'select NAME in VALUE; do cat "$REPLY"; S; break; done <<< TEXT',
  "ls | while read NAME; do S; T; done",
  ': "$(S; T)"',
];
const compound = fc.tuple(fc.constantFrom(...FORMS).chain(fill), simple, simple, simple).map(([form, s, t, u]) =>
  form
    .replace(/\bS\b/, () => s)
    .replace(/\bT\b/, () => t)
    .replace(/\bU\b/, () => u),
);
const statement = fc.oneof({ weight: 2, arbitrary: simple }, compound);
const lines = (maxLength: number) =>
  fc
    .array(fc.tuple(statement, fc.constantFrom("\n", "\n", "; ")), { minLength: 1, maxLength })
    .map((all) => all.flat().join("").replace(/; $/, ""));
const scripts = fc
  .tuple(literal, literal, literal, lines(3), lines(3), lines(5), reading)
  .map(([x, y, z, g, f, main, end]) => {
    const start = `x=${x}; y=${y}\nz=${z}; i=1\na=(a ${x})\n`;
    const free = (body: string) => body.replace(/(^|[ ;\n])f(?= |;|\n|$)/g, "$1g");
    const tame = free(g).replace(/(^|[ ;\n])g(?!\w|\()/g, "$1:");
    return `${start}g() {\n${tame}\n}\nf() {\n${free(f)}\n}\n${main}\nf TEXT\n${end}\ncat "$x/t"\n`;
  });

describe("bash's behaviour in a script whose every command only reads", () => {
  it("G07 is among what was foreseen", { timeout: 60_000 }, () => {
    const known = [...new Set(fc.sample(scripts, 4_000))].filter((script) => !analyse(script).opaque).slice(0, 400);
    expect(known.length).toBeGreaterThan(100);
    const ran = started(known);
    expect(ran.flat().length).toBeGreaterThan(100);
    expect(known.flatMap((one, index) => unforeseen(one, ran[index]!).map((what) => [what, one]))).toEqual([]);
  });

  it("G07 and the run would tell", { tags: ["smoke"] }, () => {
    const sly = 'x=a; cd sub; cat "$x" -; sed -n 1p "l m"';
    const [ran = []] = started([sly]);
    expect(ran).toEqual([
      [join(cwd, "sub"), "cat", "a", "-"],
      [join(cwd, "sub"), "sed", "-n", "1p", "l m"],
    ]);
    expect(unforeseen("cat b", ran)).toHaveLength(2);
  });

  it.each([
    ["a line that was typed in", 'REPLY=a; select i in x; do cat "$REPLY"; break; done <<< /etc/shadow'],
    ["the folder before", 'cd /etc; cd /w; cat "$OLDPWD/shadow"'],
    ["more words in the place of none", 'set -- x -f /etc/shadow; grep "a${q:-$@}" a'],
    ["more words in the place of some", 'set -- x -f /etc/shadow; grep "a${HOME+$@}" a'],
    ["the next word behind an option", `awk -F"$q" '{print}' 'BEGIN{system("id")}'`],
    ["the next word where a command failed", `awk -F"$(git rev-parse HEAD)" '{print}' 'BEGIN{system("id")}'`],
    ["the end of the options", 'rg -e"$q" -- --pre=./run a'],
    ["the folder in the place of an operand", `cd /etc; grep -rEm"$q" 5 '${cwd}/|.'`],
    ["what xargs starts", 'ls | xargs -n"$(wc -l < a)" cat'],
    ["other members of an array", 'a=(x /etc/shadow); ls | while read a; do cat "./${a[@]}"; done'],
    ["other members of a list", 'a=(x /etc/shadow); for a in ./*.txt; do cat "${a[@]}"; done'],
    ["what stands before a list", 'a=(a /etc/shadow); cat "./${a[@]}"'],
    ["what stands behind a list", 'a=(./*.txt); cat "${a[@]}/../../etc/shadow"'],
    ["members beside a name", 'a=(x /etc/shadow); for f in ./*.txt; do a=$f; cat "${a[@]}"; done'],
  ])("G07 %s is not taken for known", (_, script) => {
    expect(analyse(script).opaque).toBe(true);
  });

  it("G07 an offset that is no number ends the line", () => {
    expect(readsOf(analyse('y=/etc/shadow; : "${y:08}"; y=a\ncat "$y"')).map(({ path }) => path)).toContain(
      "/etc/shadow",
    );
  });

  it("G01 a word that is glued to an option stays free if nothing can come of it", () => {
    for (const one of [
      'cut -d"$d" -f2 a',
      'n=3; head -n"$n" a',
      'awk -F"," "{print}" a',
      'grep --include="*.$q" -r a .',
    ])
      expect([one, analyse(one).opaque]).toEqual([one, false]);
  });
});
