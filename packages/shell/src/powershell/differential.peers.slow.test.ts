import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { loadGrammar, type SyntaxNode } from "../../test/support/grammar.ts";
import { analysePowerShell } from "../index.ts";
import "../../../../test/support/seed.ts";

// Our reading against a grammar of the whole language: whatever is called a reader has exactly the commands that the grammar sees.
let parse: (script: string) => SyntaxNode;

beforeAll(async () => {
  parse = await loadGrammar("powershell");
});

const pieces = fc.constantFrom(
  ...[
    "Get-ChildItem",
    "Get-Content",
    "Remove-Item",
    "gci",
    "ls",
    "git",
    "status",
    "-Path",
    "-Recurse",
    "-Filter",
    "a",
    "'b c'",
    '"d"',
  ],
  ...[
    "|",
    ";",
    "\n",
    "&&",
    "||",
    ",",
    "&",
    "(",
    ")",
    "{",
    "}",
    "$(",
    "@(",
    "@{",
    "$x",
    '"$x"',
    '"$(',
    '"',
    "'",
    "`",
    "#",
    "<#",
    "#>",
  ],
  ...[
    "% ",
    "? ",
    "Where-Object",
    "{ $_.Name }",
    "{ $_.Length -gt 5 }",
    "{ Remove-Item a }",
    "-eq",
    "1kb",
    "> out",
    "2>$null",
    "*>&1",
  ],
  ...[
    "=",
    ".",
    "::",
    "[int]",
    "--%",
    "--",
    "-",
    "if",
    "foreach",
    "function",
    "return",
    "~",
    "*",
    "\\",
    "/",
    ":",
    "“",
    "–",
    "+",
    "!",
  ],
);
const script = fc
  .tuple(fc.array(pieces, { minLength: 1, maxLength: 8 }), fc.constantFrom(" ", " ", ""))
  .map(([parts, glue]) => parts.join(glue));

// For ForEach-Object with a block the grammar has a node of its own.
const KNOWN_COMMANDS = ["command_name", "foreach_command"];

describe("PowerShell against its grammar", () => {
  it("L05 a reader has the commands that the grammar sees, and no more", { tags: ["smoke"] }, () => {
    let accepted = 0;
    fc.assert(
      fc.property(script, (text) => {
        const analysis = analysePowerShell(text, { cwd: "/w", home: "/h", platform: "linux" });
        if (analysis.opaque) return;
        // The grammar takes a command named % for an operator, as soon as it stands oddly.
        const root = parse(text.replace(/(^|[|;\n{(])\s*%(?=\s)/g, "$1 ForEach-Object"));
        if (root.hasError) return;
        accepted++;
        expect(analysis.commands).toHaveLength(root.descendantsOfType(KNOWN_COMMANDS).length);
        const active = [
          "invokation_expression",
          "assignment_expression",
          "sub_expression",
          "type_literal",
          "function_statement",
        ];
        expect(root.descendantsOfType(active).map(({ text: found }) => found)).toEqual([]);
      }),
      { numRuns: runs(6_000) },
    );
    expect(accepted).toBeGreaterThanOrEqual(runs(50));
  });

  it("L05 analysis is total and quick for any input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const { effects, commands } = analysePowerShell(text, { cwd: "/w", home: "/h", platform: "win32" });
        return commands.length <= 200 && effects.length <= 500;
      }),
    );
    for (const long of [
      `${"Get-Date; ".repeat(900)}`,
      "{".repeat(5_000),
      `Get-Content ${"'a',".repeat(2_000)}`,
      "(".repeat(1_000_000),
      `Get-Item a | ? { ${"($_.a -eq 1) -and ".repeat(400)}x }`,
      `Get-Item a | ? { ${"(".repeat(4_000)} }`,
    ]) {
      // The processor's time: on a busy machine the clock says little.
      const start = process.cpuUsage();
      analysePowerShell(long, { cwd: "/w", home: "/h", platform: "linux" });
      const { user, system } = process.cpuUsage(start);
      expect((user + system) / 1000).toBeLessThan(500);
    }
  });
});
