import { expect, it } from "vitest";
import { lineFinder } from "./line-finder.ts";

it("V09 finds the line of a key and of a list's element, past comments, braces in strings and bare keys", () => {
  const lineOf = lineFinder(`{
  // a comment with { and "
  permissions: {
    'allow': [
      "Bash(npm test)", /* two
      lines */ "Read(a{b)",
    ],
    "deny": ["x"],
  },
  mode: 5,
}`);
  expect(lineOf(["permissions"])).toBe(3);
  expect(lineOf(["permissions", "allow", "0"])).toBe(5);
  expect(lineOf(["permissions", "allow", "1"])).toBe(6);
  expect(lineOf(["permissions", "deny", "0"])).toBe(8);
  expect(lineOf(["mode"])).toBe(10);
  expect(lineOf(["nowhere"])).toBeUndefined();
});
