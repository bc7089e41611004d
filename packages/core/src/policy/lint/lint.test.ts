import { expect, it } from "vitest";
import type { RuleSource } from "../index.ts";
import { lintRules } from "./index.ts";

const rule = (
  behavior: RuleSource["behavior"],
  text: string,
  origin: RuleSource["origin"] = "project",
): RuleSource => ({
  behavior,
  origin,
  text,
  file: "s.json",
});
const lint = (...rules: RuleSource[]) =>
  lintRules(rules).map(({ rule: text, severity, message }) => `${severity} ${text}: ${message}`);

it("F29 rules that never decide are named with the rule that comes first", () => {
  expect(lint(rule("allow", "Bash(ls *)"), rule("deny", "Bash"))).toEqual([
    'warning Bash(ls *): The allow rule "Bash(ls *)" never decides: the deny rule "Bash" (s.json) always comes first.',
  ]);
  expect(lint(rule("allow", "mcp__git__x"), rule("ask", "mcp__git"))).toHaveLength(1);
  expect(lint(rule("allow", "Bash(sudo ls)"))).toEqual([
    'warning Bash(sudo ls): "Bash(sudo ls)" never decides: sudo is forbidden in every mode.',
  ]);
  expect(lint(rule("allow", "Edit(a)"), rule("ask", "Edit(a)"))).toHaveLength(1);
});

it("F29 repeated, broken and misplaced rules are named", () => {
  expect(lint(rule("deny", "Read(.env)"), rule("deny", "Read(.env)"))).toEqual([
    "warning Read(.env): The deny rule is duplicated.",
  ]);
  expect(lint(rule("deny", "write"))[0]).toMatch(/^error write/);
  expect(lint(rule("deny", "Read(/secrets/**)", "user"))[0]).toMatch(/is relative to the folder of the settings file/);
});

it("F29 rules that work together are left alone", () => {
  const rules = [
    rule("allow", "Bash(git *)"),
    rule("ask", "Bash(git push *)"),
    rule("deny", "Read(/secrets/**)"),
    rule("allow", "Read"),
  ];
  expect(lint(...rules)).toEqual([]);
});

it("F29 a letter of another script in a word of a rule is named with its number", () => {
  expect(lint(rule("deny", "Bash(gіt push *)"))).toEqual([
    'warning Bash(gіt push *): In "gіt" the letter "і" (U+0456) is of another script, so the rule only matches that spelling.',
  ]);
  for (const text of ["Bash(гм *)", "run(ср *)", "Read(sеcrets/**)", "Bash(ｒｍ *)", "mcp__x__gеt(*)"])
    expect([text, lint(rule("deny", text)).length]).toEqual([text, 1]);
  for (const text of ["Bаsh(rm *)", "mcp__gіthub", "Ｒｅａｄ(x)"])
    expect(lint(rule("deny", text))[0]).toMatch(/^error .* In ".*" the letter ".*" \(U\+/);
  for (const text of ["Read(данные/**)", "Bash(echo Привет *)", "Read(café/naïve/**)", "Bash(echo 日本語 x)"])
    expect([text, lint(rule("deny", text))]).toEqual([text, []]);
});
