import { parseRule } from "@haft/core/policy";
import { parseSettings } from "@haft/core/policy/settings";
import { builtinTools } from "@haft/tools";
import { expect, it } from "vitest";
import { lintSettings } from "./lint-settings.ts";

const layer = (file: string, permissions: object) =>
  parseSettings({ permissions }, { origin: "project", file, lineOf: (path) => Number(path.at(-1)) + 2 });

it("F29 rules of several files are looked at together, each remark with file, line and cure", () => {
  const remarks = lintSettings([
    layer("a.json", { deny: ["Bash"], allow: ["Read(src/**)", "Read(src/**)"] }),
    layer("b.json", { allow: ["Bash(ls *)"] }),
  ]);
  expect(remarks).toMatchObject([
    {
      severity: "warning",
      file: "a.json",
      line: 3,
      message: expect.stringContaining("duplicated"),
      cure: expect.any(String),
    },
    {
      severity: "warning",
      file: "b.json",
      line: 2,
      rule: "Bash(ls *)",
      message: expect.stringContaining("never decides"),
    },
  ]);
});

it("V09 an error comes first, and nothing is said twice", () => {
  const remarks = lintSettings([
    layer("a.json", { deny: ["Write(x)"] }),
    layer("b.json", { allow: ["read"], deny: ["Edit(../x)"] }),
  ]);
  expect(remarks.map(({ severity, file }) => [severity, file])).toEqual([
    ["error", "b.json"],
    ["error", "b.json"],
    ["warning", "a.json"],
  ]);
});

it("F29 sound settings have no remarks", () => {
  expect(lintSettings([layer("a.json", { allow: ["Bash(git status *)"], deny: ["Read(.env)"] })])).toEqual([]);
});

it("F29 rules may be about any field of a tool of ours that holds one value", async () => {
  const problems = (await builtinTools()).flatMap(({ name, input }) =>
    Object.entries((input.json as { properties?: Record<string, { type?: string }> }).properties ?? {})
      .filter(([field, { type }]) => /^[a-z]/i.test(field) && type !== "array")
      .map(([field]) => field)
      .map((field) => parseRule(`${name}(${field}:x)`, "deny"))
      .flatMap((parsed) => ("problem" in parsed ? [parsed.problem.message] : [])),
  );
  expect(problems.filter((message) => message.includes("no field"))).toEqual([]);
});

it("F29 a server in another case, of the settings or named besides, is said with its own name", () => {
  const rules = { deny: ["mcp__GitHub__push", "mcp__github__get", "mcp__NOTES", "mcp__other__x", "mcp__github__*"] };
  const file = parseSettings(
    { permissions: rules, mcpServers: { github: { command: "x" } } },
    { origin: "project", file: "a.json" },
  );
  expect(lintSettings([file], undefined, ["notes"])).toMatchObject([
    { severity: "warning", rule: "mcp__GitHub__push", cure: "Write mcp__github__push." },
    { severity: "warning", rule: "mcp__NOTES", cure: "Write mcp__notes." },
  ]);
});
