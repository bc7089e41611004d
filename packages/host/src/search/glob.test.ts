import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { globFilter, globMatcher, lastSegment, splitGlob } from "./glob.ts";

describe("globMatcher", () => {
  it.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "deep/er/a.ts", true],
    ["/*.ts", "deep/a.ts", false],
    ["./*.ts", "a.ts", true],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/x/a.ts", false],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**/*.ts", "src/x/y/a.ts", true],
    ["src/**", "src/x/y", true],
    ["**/x/**", "a/x/b", true],
    ["a**b", "axxb", true],
    ["a**b", "dir/a/b", false],
    ["?.ts", "a.ts", true],
    ["?.ts", "ab.ts", false],
    ["[a-c].ts", "b.ts", true],
    ["[!a-c].ts", "b.ts", false],
    ["[!a].ts", "/.ts", false],
    ["*.{ts,tsx}", "a.tsx", true],
    ["{src,test}/**/*.{js,{m,c}js}", "test/deep/a.cjs", true],
    ["a\\{b\\[", "a{b[", true],
    ["\\*.ts", "*.ts", true],
    ["\\*.ts", "a.ts", false],
    ["--pre=/bin/sh", "--pre=/bin/sh", true],
    ["*.ts", ".hidden.ts", true],
    ["a?b", "a🎉b", true],
    ["*.ts", "a\nb.ts", true],
  ])("K09 %s on %j is %s", (glob, path, expected) => {
    expect(globMatcher(glob)(path)).toBe(expected);
  });

  it.each(["{a", "src/*.{ts,js", "a}", "a}{b", "[ab", "{[}]"])("K09 K10 the broken glob %s is refused", (glob) => {
    expect(() => globMatcher(glob)).toThrow(`"${glob}" is not a valid glob pattern`);
    expect(() => globFilter([`!${glob}`])).toThrow("not a valid glob pattern");
  });

  it("K09 an escaped name fits itself and nothing else", () => {
    const names = fc.string({ minLength: 1 }).filter((name) => !name.includes("/"));
    fc.assert(
      fc.property(names, names, (name, other) => {
        const fits = globMatcher(`/${[...name].map((character) => `\\${character}`).join("")}`);
        expect(fits(name)).toBe(true);
        expect(fits(other)).toBe(other === name);
      }),
    );
  });

  it("K09 any text is a glob or a clean error, and never hangs", () => {
    const glob = fc.array(fc.constantFrom("*", "**", "?", "[", "]", "!", "{", "}", ",", "/", "a", "\\", "-"), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(glob, (parts) => {
        try {
          expect(typeof globMatcher(parts.join(""))("a/a/a/a-a")).toBe("boolean");
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: "invalid_input" });
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("globFilter", () => {
  it("K10 takes one of the wanted and none of the unwanted, folders included", () => {
    const fits = globFilter(["*.ts", "*.js", "!vendor", "!*.min.js"]);
    expect(["a.ts", "x/a.js", "a.css", "vendor/a.ts", "x/vendor/y/a.ts", "a.min.js"].filter(fits)).toEqual([
      "a.ts",
      "x/a.js",
    ]);
    expect(globFilter()("anything")).toBe(true);
    expect(globFilter(["!a"])("b")).toBe(true);
  });
});

describe("splitGlob", () => {
  it.each([
    ["*.ts", "", "*.ts"],
    ["src/app/*.ts", "src/app", "/*.ts"],
    ["src/**/*.ts", "src", "/**/*.ts"],
    ["/etc/*.conf", "/etc", "/*.conf"],
    ["/*.conf", "/", "/*.conf"],
    ["a/b.txt", "a", "/b.txt"],
    ["{a,b}/c", "", "{a,b}/c"],
  ])("K09 %s starts in %j", (glob, base, rest) => {
    expect(splitGlob(glob)).toEqual({ base, rest });
  });
});

describe("lastSegment", () => {
  it.each([
    ["*.ts", "*.ts"],
    ["src/**/*.ts", "*.ts"],
    ["src/**", "*"],
    ["src/", "*"],
    ["{src/a,b}.ts", "*"],
    ["src/*.{ts,js}", "*.{ts,js}"],
  ])("K10 of %s is %s", (glob, expected) => {
    expect(lastSegment(glob)).toBe(expected);
  });
});
