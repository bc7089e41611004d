// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are words of a shell

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runs } from "../../../../../test/support/runs.ts";
import { createHaft } from "../create-haft.ts";

// Every script below runs COMMAND somewhere: in a word of a command that only reads, inside statements that only read.
const COMMAND = "touch pwned";

/** Words that run what stands for `@`, at any depth. */
const WORDS = [
  "$(@)",
  '"$(@)"',
  "${x:-$(@)}",
  '"${x:-${y:-$(@)}}"',
  "${PATH/a/$(@)}",
  "${PATH#$(@)}",
  "${PATH:$(@)0}",
  "$((a[$(@)]))",
  "${a[$(@)]}",
  "{a,$(@)}",
  "a{1..$(@)}",
  "{b,{c,$(@)}}",
  "'a'\"$(@)\"b",
  "~$(@)",
  "$'a'$(@)",
  "$(case x in x) @;; esac)",
  "$(# a comment )\n@\n)",
  "$(cat <<E\n$(@)\nE\n)",
] as const;

/** Statements that only read but for the word `@`. */
const STATEMENTS = [
  "ls @",
  "x=@",
  "x=@ ls",
  "x+=@",
  "a=(1 @)",
  "a[0]=@",
  "export y=@",
  "declare y=@",
  "readonly z=@",
  "[[ -n @ ]]",
  "[[ a == @ ]]",
  "[[ a =~ @ ]]",
  "[ -n @ ]",
  "case @ in *) ls;; esac",
  "case a in @) ls;; esac",
  "for i in @; do ls; done",
  "cat <<< @",
  "read v <<< @",
  "cat <<E\n$(echo @)\nE",
  "echo ${v:=@}",
  "((a[0]=@))",
  "wc -l < README.md @",
  "git log -1 -- @",
  "sort @ | head -3",
  "set -- @",
  "bash -c 'ls' _ @",
] as const;

/** Frames around statements. */
const FRAMES = [
  "@",
  "ls; @",
  "ls && @",
  "@ || ls",
  "ls | @",
  "@ | cat",
  "(@)",
  "{ @; }",
  "! @",
  "if @; then ls; fi",
  "if ls; then @; fi",
  "while @; do break; done",
  "for i in a b; do @; done",
  "while read l; do @; done < README.md",
  "case a in b) ls;; *) @;; esac",
  "f() { @; }; f",
  "@ & wait",
  "time @",
  "ls # a comment\n@",
  "cat <<'E'\nx\nE\n@",
] as const;

const filled = (frame: string, inner: string): string => frame.replace("@", () => inner);

const hiding: fc.Arbitrary<string> = fc.letrec<{ script: string }>((tie) => ({
  script: fc
    .tuple(
      fc.constantFrom(...FRAMES),
      fc.constantFrom(...STATEMENTS),
      fc.constantFrom(...WORDS),
      fc.oneof({ maxDepth: 2 }, fc.constantFrom(COMMAND, `ls \`${COMMAND}\``), tie("script")),
    )
    .map(([frame, statement, word, inner]) => filled(frame, filled(statement, filled(word, inner)))),
})).script;

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-hidden-")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("G07 a command is never allowed for being hidden in a word, at any place of the word", {
  tags: ["smoke"],
  timeout: 60_000,
}, async () => {
  const options = { cwd: folder, home: folder, stateDir: false, settings: false, env: {}, trusted: true } as const;
  await using haft = await createHaft(options);
  const isAllowed = async (command: string) => (await haft.explain("Bash", { command })).decision?.decision === "allow";

  for (const frame of FRAMES) expect([frame, await isAllowed(filled(frame, "ls"))]).toEqual([frame, true]);
  for (const statement of STATEMENTS)
    for (const word of WORDS) {
      const script = filled(statement, filled(word, COMMAND));
      expect([script, await isAllowed(script)]).toEqual([script, false]);
    }
  await fc.assert(
    fc.asyncProperty(hiding, async (script) => !(await isAllowed(script))),
    { numRuns: runs(1_000) },
  );
});
