import { createHost } from "@haft/host/process";
import { builtinTools } from "@haft/tools";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLineExplainer } from "../../../haft/src/app/explain/explain-line.ts";
import { type CaseFile, readCaseFile } from "./case-file.ts";
import { type CaseAnswer, type CaseReport, runCases } from "./run-cases.ts";

let run: (text: string) => Promise<CaseReport>;
let close: () => Promise<void>;
beforeAll(async () => {
  const host = createHost({ cwd: "/", home: "/home/u" });
  const explainer = createLineExplainer({ host, tools: await builtinTools(), root: "/w" });
  run = (text) =>
    runCases(
      readCaseFile(text) as CaseFile,
      (request) => explainer.explain(JSON.stringify(request), 1) as Promise<CaseAnswer>,
    );
  close = () => host.close();
});
afterAll(() => close());

describe("policy cases", () => {
  it("F29 passes what is decided as expected and says why for the rest", async () => {
    const { passed, failures } = await run(`{
      // Rules of their own make a file stand for itself.
      rules: { allow: ["Bash(npm *)"], deny: ["Bash(npm publish *)"] },
      projectRoot: "/w",
      cases: [
        { tool: "Bash", input: { command: "npm test" }, expect: "allow" },
        { tool: "Bash", input: { command: "npm publish" }, expect: "deny" },
        { tool: "Bash", input: { command: "npm publish" }, expect: "ask", note: "somebody will see it" },
        { tool: "Edit", input: { file_path: "/w/a", old_string: "a", new_string: "b" }, expect: "allow", mode: "acceptEdits" },
      ],
    }`);
    expect(passed).toBe(3);
    expect(failures).toMatchObject([
      {
        at: "cases[2]",
        call: "Bash npm publish",
        expected: "ask",
        got: "deny",
        rule: "Bash(npm publish *)",
        note: "somebody will see it",
      },
    ]);
  });

  it("F29 a rule is held to what it should match and what it should not", async () => {
    const { passed, failures } = await run(`{
      tests: [
        { rule: "Bash(git push *)", match: ["git push -f", "echo a && git push"], not_match: ["git pull", "git pushy"] },
        { rule: "Read(.env)", match: [{ tool: "Read", input: { file_path: "/w/a/.env" } }, "cat .env"] },
        { rule: "Bash(npm *)", as: "allow", match: ["npm test"], not_match: ["npx x"] },
        { rule: "Bash(ls*)", not_match: ["lsof"] },
      ],
      projectRoot: "/w",
    }`);
    expect(passed).toBe(8);
    expect(failures).toMatchObject([
      { at: "tests[3].not_match[0]", got: "hit", expected: "not hit by deny Bash(ls*)" },
    ]);
  });

  it("F29 a call that cannot be judged fails even where a deny was expected", async () => {
    const { failures } = await run('{ rules: {}, cases: [{ tool: "NoSuchTool", expect: "deny" }] }');
    expect(failures).toMatchObject([{ at: "cases[0]", reason: expect.stringContaining("NoSuchTool") }]);
  });

  it.each([
    ["{", "not JSON5"],
    ["{}", "nothing to test"],
    ['{ cases: [{ tool: "Bash", expect: "yes" }] }', "cases[0].expect"],
    ['{ cases: [{ tool: "Bash", expect: "ask", expected: "x" }] }', "cases[0]"],
    ["{ rule: [], cases: [] }", "The file"],
  ])("V09 refuses the file %s", (text, place) => {
    expect(readCaseFile(text)).toMatchObject({ problems: [expect.stringContaining(place)] });
  });
});
