import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { classifyCommand } from "../index.ts";
import "../../../../test/support/seed.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-portable-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const isThere = (shell: readonly string[]) => spawnSync(shell[0]!, [...shell.slice(1), "-c", ":"]).status === 0;
const OTHERS = [["dash"], ["busybox", "sh"]].filter(isThere);
const END = "@end@";

/** The output of a shell for each script, and whether it fails. Each script has its own shell. */
function printedBy(shell: readonly string[], scripts: readonly string[], flags = "-c"): string[] {
  const lines = scripts.map((script) => `${shell.join(" ")} ${flags} ${quote(script)} a 'b c'; printf %s "$?${END}"`);
  const { stdout } = spawnSync("bash", ["--noprofile", "--norc", "-s"], {
    input: `exec 2>/dev/null\n${lines.join("\n")}\n`,
    cwd: folder,
    env: { PATH: "/usr/bin:/bin", HOME: "/home/u" },
    encoding: "utf8",
    timeout: 30_000,
  });
  return stdout.split(END).slice(0, -1);
}

const atom = fc.constantFrom(
  ...["a", "b.ts", "x=y", "#", "~", "=~", ":~", "!", "{", "}", "{}", "{a,b}", "{1..3}", "}'", "'{", "[a]", "*", "?"],
  ...["'", '"', "\\", "\\\\", "\\'", '\\"', "\\$", "'c d'", '"e f"', '"g\\"h"', "'$y'", '"\'"', "'\"'", "$'k\\n'"],
  ...['$"m"', "$x", '"$x"', "${x}", "$1", "$10", '"$@"', "$*", "$#", "$RANDOM", "$UID", "$x[1]", "${#x}", "${##}"],
  ...["${x:-", "${x+", '"${x:-', "'}", '}"', "${x:-'}", "'\"'}", "${x%.*}", "${x##*/}", "${x:1}", "${x/a/b}", "${!x}"],
  ...[
    "$(",
    "`",
    ")",
    "$((",
    "))",
    "$((1+2))",
    "$[1+2]",
    "$(echo b)",
    '"$(echo "b c")"',
    "`echo b`",
    "`echo \\`echo c\\``",
  ],
);
const joint = fc.constantFrom(
  ...[
    " ",
    " ",
    " ",
    " ",
    "",
    "\n",
    ";",
    " ; ",
    "&&",
    " || ",
    "|",
    "|&",
    "&>",
    ">&",
    " 2>&1 ",
    "<<<",
    "(",
    ")",
    "{ ",
    "; }",
  ],
  ...[
    " # ",
    "; if true; then printf %s\\\\n ",
    "; fi",
    "; case a in a) printf q ",
    ";; esac",
    ";& b) printf r",
    "! ",
    "\\\n",
  ],
  ...[
    "; for i in ",
    "; do printf i; done",
    "; x=",
    "; x+=",
    "; x=(",
    "; x=1 :; printf %s $x ",
    "; export x=",
    "; function f { ",
    "; [[ a < b ]]",
  ],
  ...["; time ", "; source ", "; let i=1", "; touch pwned", "; touch pwned; printf %s ", "; printf %s "],
);
const scripts = fc
  .array(fc.tuple(joint, atom), { minLength: 1, maxLength: 7 })
  .map((parts) => `x=v.w; printf '<%s>' ${parts.map(([between, word]) => between + word).join("")}`);

/** Scripts that count as reading where `sh` runs them. */
const readers = (count: number): string[] =>
  [...new Set(fc.sample(scripts, 3000))]
    .filter((one) => classifyCommand(`sh -c ${quote(one)}`) === "allow")
    .slice(0, count);

describe("scripts for other shells", () => {
  it("G06 law: a script that sh may run unasked means the same to it as to bash", { timeout: 60_000 }, () => {
    const chosen = readers(100);
    expect(chosen.length).toBeGreaterThan(50);
    const meant = printedBy(["bash"], chosen);
    for (const shell of OTHERS) {
      const said = printedBy(shell, chosen);
      expect(said).toHaveLength(chosen.length);
      const other = chosen.flatMap((one, index) =>
        said[index] === meant[index] ? [] : [[one, said[index], meant[index]]],
      );
      expect([shell, other]).toEqual([shell, []]);
    }
    for (const shell of [["bash"], ...OTHERS])
      expect([shell, printedBy(shell, chosen, "-n -c").filter((one) => one !== "0")]).toEqual([shell, []]);
    expect(readdirSync(folder)).toEqual([]);
  });

  // Each of these starts `touch` in dash, and is a mere text to bash, or sets what decides on what follows.
  it.each([
    `echo "\${x:-'}"; touch pwned; echo "'}"`,
    `echo "\${x+'}"; touch pwned; echo "'}"`,
    `echo "\${x:='}"; touch pwned; echo "'}"`,
    `echo "\${x#'}"; touch pwned; echo "'}"`,
    "x=-delete :; find . $x",
    "alias cat=touch\ncat pwned",
    "pushd a",
    "command let i=1",
    "cat <<< a",
    "echo $RANDOM",
    "echo {a,b}",
    "ls &> /dev/null",
  ])("G06 asks before another shell than bash runs %j", (script) => {
    for (const start of ["sh -c", "dash -c", "env sh -c", "find . -exec sh -c", "echo a | xargs sh -c"]) {
      const end = start.startsWith("find") ? " \\;" : "";
      expect([start, classifyCommand(`${start} ${quote(script)}${end}`)]).toEqual([start, "ask"]);
    }
  });

  it.each([
    `echo "\${x:-y}" | wc -l`,
    `for f in a b; do wc -l "$f"; done`,
    `if [ -f a ]; then cat a; else ls; fi`,
    `cd src && git status --short`,
    `grep -c TODO a.ts > /dev/null 2>&1 || echo none`,
    `echo $((1 + 2)) "$(pwd)"`,
    `export X=1; ls`,
  ])("G06 lets another shell run %j, which all of them read alike", (script) => {
    for (const shell of ["sh", "dash", "bash"])
      expect([shell, classifyCommand(`${shell} -c ${quote(script)}`)]).toEqual([shell, "allow"]);
  });
});
