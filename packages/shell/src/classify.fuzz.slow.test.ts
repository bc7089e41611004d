import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { classifyCommand } from "./index.ts";
import "../../../test/support/seed.ts";

// Random scripts around a program that leaves a mark. Every script that is allowed runs: the mark must not appear.
const RUNS = Number(process.env.HAFT_SHELL_SCRIPTS ?? 30_000);
const PROGRAM = "leave-mark";
let top: string;
let work: string;

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), "haft-fuzz-"));
  work = join(top, "work");
  mkdirSync(work);
  writeFileSync(join(work, "a"), "1\n");
  mkdirSync(join(top, "bin"));
  writeFileSync(join(top, "bin", PROGRAM), '#!/bin/sh\n: > "$MARK"\n');
  chmodSync(join(top, "bin", PROGRAM), 0o755);
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const mark = fc.constantFrom(PROGRAM, PROGRAM, `\`${PROGRAM}\``, `$(${PROGRAM})`);
const pieces = fc.constantFrom(
  ...[
    "ls",
    "echo",
    "cat",
    "a",
    "b",
    "x",
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
    "{ ",
    "}",
    "; }",
    "$(",
    "`",
  ],
  ...[
    '"',
    "'",
    "\\",
    "$",
    "${x",
    "${x:-",
    "${x#",
    "$((",
    "))",
    "((",
    "[[ ",
    " ]]",
    "$'",
    '$"',
    "<<E\n",
    "\nE\n",
    "<<'E'\n",
  ],
  ...[
    "<<-E\n\t",
    '<<"E"\n',
    "<<\\E\n",
    "<<E",
    "E",
    "\n\tE\n",
    "<<<",
    "<",
    ">&2",
    "2>&1",
    "< a",
    "> /dev/null",
    "#",
    "# ",
    "\\\n",
  ],
  ...[
    "case x in ",
    "x)",
    "(x)",
    ";;",
    ";&",
    " esac",
    "for i in ",
    "; do ",
    "; done",
    "if ",
    "; then ",
    "; fi",
    "while ",
    "until ",
  ],
  ...[
    "function f ",
    "f()",
    "f",
    "time ",
    "! ",
    "coproc ",
    "x=",
    "x=(",
    "x+=",
    "a[",
    "]",
    "=",
    "=(",
    "$x",
    "$@",
    "$#",
    "${#",
    "${!",
  ],
  ...[
    "*",
    "?",
    "[a]",
    "@(",
    "!(",
    "|&",
    "<(",
    ">(",
    "{a,b}",
    "{1..3}",
    "~",
    "\t",
    "1",
    "<&",
    "-",
    "--",
    "-n",
    "export ",
    "declare ",
  ],
  ...[
    "local ",
    "read x",
    "read -r x",
    "exit",
    "return",
    "break",
    '"$(',
    '"`',
    "\\`",
    "\\$",
    '\\"',
    "'\\''",
    "select ",
    "in",
    "do",
  ],
  ...[
    "done",
    "then",
    "fi",
    "else",
    "elif ",
    "{",
    "[ ",
    "test ",
    "eval",
    "set --",
    "%",
    "^",
    "!",
    "!!",
    "$[",
    "~+",
    "-e",
    "-c",
  ],
  ...[
    "bash -c ",
    "find .",
    "xargs ",
    "xargs -0 ",
    "env ",
    "exec ",
    "1>",
    "{fd}>",
    "%s",
    "wait ",
    "jobs ",
    "[0]=",
    "+(",
    "<>",
  ],
);
const scripts = fc
  .tuple(fc.array(pieces, { maxLength: 6 }), mark, fc.array(pieces, { maxLength: 6 }), fc.boolean())
  .map(([before, one, after, isSpaced]) => [...before, one, ...after].join(isSpaced ? " " : ""));

/** The scripts of which one left the mark. All run in a folder of their own, and nothing in it may change either. */
function marking(list: readonly string[]): string[] {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const marks = join(top, "marks");
  mkdirSync(marks, { recursive: true });
  const lines = list.map(
    (one, index) =>
      `MARK=${marks}/${index} timeout 2 bash --noprofile --norc -c ${quote(one)} </dev/null >/dev/null 2>&1`,
  );
  writeFileSync(join(top, "all.sh"), `${lines.join("\n")}\n`);
  const env = { PATH: `${join(top, "bin")}:/usr/bin:/bin`, HOME: work };
  spawnSync("bash", ["--noprofile", "--norc", join(top, "all.sh")], { cwd: work, env, timeout: 120_000 });
  return list.filter((_, index) => existsSync(join(marks, String(index))));
}

describe("a run of the allowed scripts", () => {
  it("G07 no allowed script starts a program that its analysis did not see", { timeout: 180_000 }, () => {
    const allowed = [...new Set(fc.sample(scripts, RUNS))].filter((script) => classifyCommand(script) === "allow");
    expect(allowed.length).toBeGreaterThan(RUNS / 400);
    expect(marking(allowed.slice(0, Math.max(400, RUNS / 50)))).toEqual([]);
    expect(readdirSync(work)).toEqual(["a"]);
    expect(readFileSync(join(work, "a"), "utf8")).toBe("1\n");
  });

  it("G07 the oracle would notice", { tags: ["smoke"] }, () => {
    expect(marking([PROGRAM, "ls", `x=(x)\`${PROGRAM}\``, `exit < /nowhere; ${PROGRAM}`])).toHaveLength(3);
  });
});
