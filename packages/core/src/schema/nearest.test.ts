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
});
