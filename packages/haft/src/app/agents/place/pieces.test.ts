import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../../../test/support/runs.ts";
import { inFolder } from "./moved.ts";
import { newsInFolder, piecesInFolder } from "./pieces.ts";

// The second folder overlaps itself.
const FOLDERS = ["/state/my frozen/a1/app", "/a/a"];

/** Texts in which whole and broken paths of the folder touch everything. */
const texts = (folder: string) =>
  fc
    .array(
      fc.oneof(
        fc.constant(folder),
        fc.nat(folder.length).map((length) => folder.slice(0, length)),
        fc.constantFrom(" ", "\n", "/", ".", ".b", "x", "é", "😀", ":", "://", "~", "-", "'", "/src/a.ts"),
      ),
    )
    .map((parts) => parts.join(""));

it.each(FOLDERS)("S01 U06 output below %s is shown as if it came at once, however it is cut", (from) => {
  const move = { from, to: "/srv/app" };
  fc.assert(
    fc.property(texts(from), fc.array(fc.nat(20)), (text, sizes) => {
      const pieces = piecesInFolder(move);
      let shown = "";
      let at = 0;
      for (const size of sizes) {
        shown += pieces.next(text.slice(at, at + size));
        at = Math.min(at + size, text.length);
      }
      shown += pieces.next(text.slice(at)) + pieces.end();
      expect(shown).toBe(inFolder(move, text));
    }),
    { numRuns: runs(3_000) },
  );
});

it("S01 U06 output waits for no more than the beginning of a path", () => {
  const pieces = piecesInFolder({ from: "/state/a1", to: "/srv" });
  expect(pieces.next("Continue? [y/N] ")).toBe("Continue? [y/N] ");
  expect(pieces.next("in /state")).toBe("in ");
  expect(pieces.next("ment, ")).toBe("/statement, ");
  expect(pieces.next("/state/a1")).toBe("");
  expect(pieces.next("/b.ts")).toBe("/srv/b.ts");
  expect(pieces.next("/")).toBe("");
  expect(pieces.end()).toBe("/");
});

it("S08 words of an agent in pieces name the folder of its parent, and are whole before the whole text", () => {
  const told: string[] = [];
  const tell = newsInFolder({ from: "/state/a1", to: "/srv" }, (news) =>
    told.push("text" in news ? `${news.type} ${news.text}` : news.type),
  );
  for (const text of ["I wrote /sta", "te/a1/b.ts in /state"]) tell({ type: "text", text, isWhole: false });
  tell({ type: "text", text: "I wrote /state/a1/b.ts in /state", isWhole: true });
  expect(told).toEqual(["text I wrote ", "text /srv/b.ts in ", "text /state", "text I wrote /srv/b.ts in /state"]);
});
