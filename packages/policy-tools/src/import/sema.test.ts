import { expect, it } from "vitest";
import { importSema } from "./sema.ts";

const run = (value: object) => importSema(JSON.stringify(value));

it("F29 Sema: the rules that a person's answers left behind become allow rules", () => {
  const allowedTools = [
    "Bash(npm run:*)",
    "Bash(make test)",
    "run_shell(go test:*)",
    "Skill(review)",
    "mcp__git__log",
    "fetch_url(example.com)",
  ];
  expect(run({ projects: { "/p": { allowedTools } } }).settings?.permissions?.allow).toEqual([
    "Bash(npm run:*)",
    "Bash(make test)",
    "Bash(go test:*)",
    "Skill(review)",
    "mcp__git__log",
    "WebFetch(domain:example.com)",
  ]);
});

it("F29 Sema: a rule that would come to mean more is left out", () => {
  const { settings, notes } = run({ allowedTools: ["Bash(echo * x)", "Bash", "*"], skipShellExecPermission: true });
  expect(settings).toEqual({});
  expect(notes).toHaveLength(4);
});

it("V09 Sema: a file with no list, or those of two projects, is refused", () => {
  expect(run({}).settings).toBeUndefined();
  expect(run({ a: { allowedTools: ["Skill(x)"] }, b: { allowedTools: [] } }).settings).toBeUndefined();
});
