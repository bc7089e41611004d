import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyseShell } from "./index.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-shell-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const context = () => ({ cwd: folder, home: "/home/u" });
const bash = (script: string) =>
  spawnSync("bash", ["--noprofile", "--norc", "-s"], {
    input: script,
    cwd: folder,
    env: { PATH: "/usr/bin:/bin", HOME: "/home/u" },
    encoding: "utf8",
    timeout: 10_000,
  });

/** Which scripts bash finds well formed, asked in one process. */
function wellFormed(scripts: readonly string[]): boolean[] {
  const checks = scripts.map((script) => `bash -n -c ${quote(script)} </dev/null >/dev/null 2>&1; echo $?`);
  return bash(checks.join("\n"))
    .stdout.trim()
    .split("\n")
    .map((line) => line === "0");
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const pieces = fc.constantFrom(
  "ls",
  "a",
  " ",
  " ",
  "\n",
  ";",
  "&&",
  "||",
  "|",
  "&",
  "(",
  ")",
  "{",
  "}",
  "{ ",
  "; }",
  "$(",
  "`",
  '"',
  "'",
  "\\",
  "$",
  "${",
  "$((",
  "))",
  "<",
  ">",
  "2>&1",
  "<<X\n",
  "\nX\n",
  "if ",
  "; then ",
  "; fi",
  "for i in ",
  "; do ",
  "; done",
  "case a in ",
  "b) ",
  ";;",
  " esac",
  "[[ ",
  " ]]",
  "!",
  "#",
  "x=",
  "-n",
  "*",
  "f() ",
  "while ",
  "$'",
  "<(",
  "#!",
  "-eq",
  "@",
  "=",
  "\t",
);

describe("the parser against bash", () => {
  it("G06 a script that bash refuses is never taken for a reader", { timeout: 20_000 }, () => {
    const scripts = fc.sample(
      fc.array(pieces, { minLength: 1, maxLength: 9 }).map((parts) => parts.join("")),
      { numRuns: 500, seed: 7 },
    );
    const valid = wellFormed(scripts);
    const wrong = scripts.filter((script, index) => !valid[index] && !analyseShell(script, context()).opaque);
    expect(wrong).toEqual([]);
    expect(valid.filter(Boolean).length).toBeGreaterThan(20);
  });

  it("G06 ordinary scripts are understood, broken ones are not", { tags: ["smoke"] }, () => {
    const good = [
      "ls | wc -l",
      "if a; then b; else c; fi",
      "for ((i=0;i<3;i++)); do x; done",
      "case $x in a|b) y;; *) z;; esac",
      "f() { x; }; f",
      "cat <<'E'\n$(x)\nE",
      "cat <<-E\n\tx\n\tE",
      "a=(1 2 3); echo ${a[0]}",
      "[[ $a =~ ^b(c|d)$ ]]",
      "echo $'\\x41' $\"hi\"",
      "diff <(a) <(b)",
      "while read -r l; do x; done < f",
      "x 2>&1 >/dev/null &",
      "(cd a && b)",
      'echo "a $(b "c $(d)") e"',
      "echo ${x//a/b} ${x:1:2} ${x:-y}",
    ];
    const bad = [
      "if",
      "ls |",
      "echo 'a",
      'echo "a',
      "echo $(",
      "echo `a",
      "(ls",
      "ls)",
      "for i in; do",
      "case x in",
      "f() {",
      "a ;; b",
      "&& a",
      "echo ${",
      "cat <<E",
    ];
    expect(wellFormed(good).every(Boolean)).toBe(true);
    expect(good.filter((script) => analyseShell(script, context()).problem !== undefined)).toEqual([]);
    expect(bad.filter((script) => !analyseShell(script, context()).opaque)).toEqual([]);
  });

  it("G07 the paths that are reported are the words that bash makes", { timeout: 20_000 }, () => {
    const atom = fc.constantFrom(
      "a",
      "b.ts",
      "/",
      "..",
      ".",
      "\\ ",
      "\\a",
      "'c d'",
      '"e f"',
      '"g\\"h"',
      "'i\\j'",
      "$'k\\tl'",
      "$'\\x6d\\'n'",
      '""',
      "''",
      "~",
      "~/o",
      "\\~",
      "{p,q}",
      "{r",
      "s}",
      "\\*",
      "'*'",
      '"?"',
      "=",
      ":",
      "-",
      "\\-",
      "#",
      "!",
      '"!"',
      "\\\n",
      "$HOME",
      '"$HOME"',
      "${HOME}",
      "$PWD",
      "t\\\\",
      "'u'\\''v'",
      "é",
      "%",
      "^",
      ",",
      "@",
      "+",
      "$x",
      '"${x}y"',
      "]",
      "'$x'",
    );
    const words = fc.sample(
      fc.array(atom, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
      { numRuns: 600, seed: 11 },
    );
    const script = words.map((word) => `x=w; set -f; show ${word}\n echo @@`).join("\n");
    const shown = bash(`show() { for w; do printf '%s\\0' "$w"; done; }\n${script}`).stdout.split("@@\n");
    let compared = 0;
    for (const [index, word] of words.entries()) {
      const analysis = analyseShell(`x=w; cat -- ${word}`, context());
      const reads = analysis.effects.flatMap((effect) => (effect.do === "read" ? [effect.path] : []));
      if (analysis.opaque || analysis.effects.some((effect) => effect.do === "read" && effect.tree)) continue;
      const real = (shown[index] ?? "").split("\0").slice(0, -1);
      const expected = real.filter((one) => one !== "-" && one !== "").map((one) => resolve(folder, one));
      expect([word, reads]).toEqual([word, expected]);
      compared++;
    }
    expect(compared).toBeGreaterThan(300);
  });
});
