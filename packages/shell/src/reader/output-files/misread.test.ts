import { describe, expect, it } from "vitest";
import { analyseShell } from "../../index.ts";
import { misreadNames } from "./misread.ts";

/** Whether a name in the workspace is one that the command takes for something else. */
function isMisread(command: string, name: string): boolean {
  const { effects } = analyseShell(command, { cwd: "/work", home: "/home/me" });
  return misreadNames(effects).some(({ opens }) => opens(`/work/${name}`));
}

describe("names that are taken for something else", () => {
  it.each([
    ["find . -type f | xargs wc -l", "a --files0-from="],
    ["git ls-files | xargs wc -l", "a '--files0-from="],
    ["git ls-files | xargs du", 'a "--files0-from='],
    ["find . -type f | xargs sha256sum", "a -c"],
    ["find . -type f | xargs grep x", "a -f"],
    ["find . -type f | xargs cat", "a "],
    ["find . -type f | xargs cat", "a .."],
    ["wc -l *", "--files0-from=.env"],
    ["grep x *", "-r"],
  ])("G07 %s takes a part of %j for an option or another place", (command, name) => {
    expect(isMisread(command, name)).toBe(true);
  });

  it.each([
    ["find . -type f | xargs wc -l", "a b"],
    ["find . -type f | xargs wc -l", "a - b.txt"],
    ["find . -type f | xargs ls -l", "a -l"],
    ["wc -l -- *", "--files0-from=.env"],
    ["wc -l a.txt", "a -c"],
  ])("G07 %s is not held up by %j", (command, name) => {
    expect(isMisread(command, name)).toBe(false);
  });
});
