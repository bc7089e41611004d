import fc from "fast-check";
import ignore from "ignore";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { locatePattern, parsePathPattern, type Reach } from "./path-pattern.ts";

const asIs = (text: string) => text;
const reach = (pattern: string, path: string, behavior: "deny" | "allow" = "deny"): Reach => {
  const parsed = parsePathPattern(pattern, behavior);
  if ("problem" in parsed) throw new Error(parsed.problem.message);
  return locatePattern(parsed, "/ws", asIs).reach(path);
};

describe("path patterns", () => {
  it.each<[string, string, Reach]>([
    ["a.ts", "/ws/a.ts", "hit"],
    ["a.ts", "/ws/x/y/a.ts", "hit"],
    ["./a.ts", "/ws/x/a.ts", "miss"],
    ["a/b", "/ws/a/b/c", "hit"],
    ["a/b", "/ws/a", "partial"],
    ["a/b", "/ws", "partial"],
    ["a/b", "/", "partial"],
    ["a/b", "/other", "miss"],
    ["a/**", "/ws/x/a", "below"],
    ["a/**", "/ws/x/a/b", "hit"],
    ["**", "/ws", "below"],
    ["**", "/ws/x", "hit"],
    ["a/**/z", "/ws/a/z", "hit"],
    ["a/**/z", "/ws/a/b/c/z", "hit"],
    ["a/**/z", "/ws/a/b", "partial"],
    ["?.ts", "/ws/a.ts", "hit"],
    ["?.ts", "/ws/ab.ts", "partial"],
    ["[a-c]x", "/ws/bx", "hit"],
    ["[!a-c]x", "/ws/bx", "partial"],
    ["./[!a-c]x", "/ws/bx", "miss"],
    ["[]x]y", "/ws/]y", "hit"],
    ["\\[a]", "/ws/[a]", "hit"],
    ["\\!x", "/ws/!x", "hit"],
    ["a\\*b", "/ws/a*b", "hit"],
    ["./a//b/./c", "/ws/a/b/c", "hit"],
  ])("%s at %s: %s", (pattern, path, expected) => {
    expect(reach(pattern, path)).toBe(expected);
  });

  it.each(["", "!x", "a/../b", "~root/x", "$HOME/x", "*.{ts,js}", "[a", "a\\", `${"*/".repeat(40)}x`])(
    "%j is refused with a cure",
    (text) => {
      expect(parsePathPattern(text, "deny")).toMatchObject({ problem: { message: /./, cure: /./ } });
    },
  );

  it("stays quick on patterns made to be slow", () => {
    const path = `/ws/${"a/".repeat(500)}${"a".repeat(2_000)}`;
    const begin = performance.now();
    reach(`${"**/a*a*a*a*a*b/".repeat(14)}x`, path);
    expect(performance.now() - begin).toBeLessThan(patience(500));
  });
});

const name = fc.constantFrom("a", "b", "ab", ".env", "x.ts", "A");
const piece = fc.constantFrom("a", "b", "ab", "*", "?", "a*", "*.ts", ".env", "[ab]", "**");
const path = fc.array(name, { minLength: 1, maxLength: 5 });

describe("beside the ignore package", () => {
  it("deny patterns agree with gitignore", () => {
    // "**" as last segment, "./" and bare one-segment folders are Haft's own rules and stay out.
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 4 })
      .map((pieces) => pieces.join("/"))
      .filter((text) => !text.endsWith("**") && !/\*\*\/\*$/.test(text) && text !== "*");
    fc.assert(
      fc.property(pattern, path, (text, names) => {
        const expected = ignore({ ignorecase: false }).add(text).ignores(names.join("/"));
        expect(reach(text, `/ws/${names.join("/")}`) === "hit").toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it("a deny pattern matches every path that the same allow pattern matches", () => {
    const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("/"));
    fc.assert(
      fc.property(pattern, path, (text, names) => {
        const full = `/ws/${names.join("/")}`;
        if (reach(text, full, "allow") === "hit") expect(reach(text, full, "deny")).toBe("hit");
      }),
      { numRuns: 2_000 },
    );
  });

  it("a miss means that nothing below can match, whole folders are seen as such", () => {
    const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("/"));
    fc.assert(
      fc.property(pattern, path, path, (text, names, more) => {
        const folder = `/ws/${names.join("/")}`;
        const found = reach(text, folder);
        const below = reach(text, `${folder}/${more.join("/")}`);
        if (found === "miss") expect(below).toBe("miss");
        if (found === "hit" || found === "below") expect(below).toBe("hit");
      }),
      { numRuns: 2_000 },
    );
  });
});
