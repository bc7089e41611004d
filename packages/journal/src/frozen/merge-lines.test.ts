import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { mergeLines } from "./merge-lines.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-lines-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const merge = (...texts: [string, string, string]) =>
  mergeLines(...(texts.map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]))?.toString();

/** The same by git; `undefined` at a conflict. */
function byGit(base: string, ours: string, theirs: string): string | undefined {
  const paths = Object.entries({ ours, base, theirs }).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  try {
    return execFileSync("git", ["merge-file", "-p", "-q", ...paths], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return undefined;
  }
}

const text = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 12 }).map((lines) => lines.join("\n"));

describe("a three-way merge of lines", () => {
  it("takes changes in different lines from both sides, byte for byte", () => {
    expect(merge("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD")).toBe("A\nb\nc\nD");
    expect(merge("a\r\nb\r\nc\r\n", "a\r\nb\r\nc\r\nd\r\n", "ä\r\nb\r\nc\r\n")).toBe("ä\r\nb\r\nc\r\nd\r\n");
    expect(merge("a\nb\n", "x\nb\n", "x\nb\n")).toBe("x\nb\n");
  });

  it("refuses changes in the same or neighbouring lines, and what is no text", () => {
    expect(merge("a\nb\n", "x\nb\n", "y\nb\n")).toBeUndefined();
    expect(merge("a\nb\nc\n", "x\nb\nc\n", "a\ny\nc\n")).toBeUndefined();
    expect(merge("a\n\0\nc\n", "x\n\0\nc\n", "a\n\0\ny\n")).toBeUndefined();
  });

  it("keeps the only side that changed, and treats both sides alike", () => {
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        expect(merge(base, ours, base)).toBe(ours);
        expect(merge(base, base, theirs)).toBe(theirs);
        expect(merge(base, ours, theirs)).toBe(merge(base, theirs, ours));
      }),
      { numRuns: runs(1000) },
    );
  });

  it("says what git says whenever both find no conflict", () => {
    let both = 0;
    fc.assert(
      fc.property(text, fc.nat(11), fc.nat(11), (base, one, other) => {
        const change = (at: number, word: string) =>
          base
            .split("\n")
            .map((line, index) => (index === at ? word : line))
            .join("\n");
        const [ours, theirs] = [change(one, "ours"), change(other, "theirs")];
        const own = merge(base, ours, theirs);
        const gits = byGit(base, ours, theirs);
        if (own === undefined || gits === undefined) return;
        both++;
        expect(own).toBe(gits);
      }),
      { numRuns: runs(100) },
    );
    expect(both).toBeGreaterThan(2);
  });
});
