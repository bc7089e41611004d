import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.ts";

describe("nearest", () => {
  it("finds what was meant: other case, other separators, a slip", () => {
    expect(nearest("filePath", ["limit", "file_path"])).toBe("file_path");
    expect(nearest("Raed", ["Read", "Write"])).toBe("Read");
    expect(nearest("paht", ["path", "pattern"])).toBe("path");
  });

  it("guesses nothing where nothing is near, least of all for very short names", () => {
    expect(nearest("colour", ["limit", "path"])).toBeUndefined();
    expect(nearest("ev", ["u", "ex"])).toBeUndefined();
    expect(nearest("Task", ["Bash", "Read", "Write"])).toBeUndefined();
    expect(nearest("Shell", ["Skill", "Sleep"])).toBeUndefined();
    expect(nearest("x", [])).toBeUndefined();
  });

  it("a name that is there is always its own nearest", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }), fc.nat(), (names, pick) => {
        const name = names[pick % names.length] ?? "";
        expect(nearest(name.toUpperCase(), names)).toBe(name);
      }),
    );
  });

  const word = fc.stringMatching(/^[a-z]{3,16}$/);

  it("one slip is found in any name of three letters or more: one left out, put in, replaced, or two swapped", () => {
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom("out", "in", "other", "swapped"), (name, place, slip) => {
        const at = place % (name.length - 1);
        const [head, letter, rest] = [name.slice(0, at), name[at] ?? "", name.slice(at + 1)];
        const slipped = {
          out: name.length > 3 ? head + rest : name,
          in: `${head}x${letter}${rest}`,
          other: `${head}x${rest}`,
          swapped: `${head}${rest[0]}${letter}${rest.slice(1)}`,
        };
        expect(nearest(slipped[slip], [name])).toBe(name);
      }),
    );
  });

  it("a name that shares less than two letters in three is never meant", () => {
    fc.assert(
      fc.property(word, word, (name, other) => {
        const common = [...new Set(name)].filter((letter) => other.includes(letter)).length;
        if (nearest(name, [other]) === undefined) return;
        expect(common).toBeGreaterThanOrEqual(Math.ceil(new Set(name).size - Math.max(1, name.length / 3)));
      }),
    );
  });
});
