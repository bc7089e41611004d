import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { edit } from "./edit.ts";

let world: World;
const at = (name: string) => `${world.folder}/${name}`;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** Pieces of which files are made: line ends of all kinds, composed and decomposed letters, wide ones, stray bytes. */
const piece = fc.constantFrom(
  ...["\n", "\r\n", "\t", "  ", "a", "word", "é", "e\u0301", "漢字", "😀", "$&", "$1", "\\n", "“q”", "\u00a0", "}"].map(
    (text) => Buffer.from(text),
  ),
);
const stray = fc.constantFrom(Buffer.of(0xff), Buffer.of(0xc3), Buffer.of(0x80, 0x41));
const bytes = (unit: fc.Arbitrary<Buffer>) => fc.array(unit, { maxLength: 25 }).map((all) => Buffer.concat(all));
const bom = fc.constantFrom(Buffer.alloc(0), Buffer.from("\ufeff"));
const next = fc.array(piece, { minLength: 1, maxLength: 6 }).map((all) => Buffer.concat(all).toString());

describe("laws of an edit", () => {
  it("K05 every byte outside the passage stays, for any file", async () => {
    // Enough wide characters that some stray bytes leave it a damaged UTF-8 file and no other encoding.
    const mostly = fc.oneof({ weight: 12, arbitrary: piece }, { weight: 1, arbitrary: stray });
    const wide = Buffer.from("é漢字üöä—“”é漢字üöä\n");
    await fc.assert(
      fc.asyncProperty(bom, bytes(mostly), bytes(mostly), next, async (mark, before, after, new_string) => {
        const head = Buffer.concat([mark, wide, before, Buffer.from(" ")]);
        const tail = Buffer.concat([Buffer.from(" "), after, wide]);
        await writeFile(at("law"), Buffer.concat([head, Buffer.from("NEEDLE"), tail]));
        await world.use(edit, { file_path: "law", old_string: "NEEDLE", new_string });
        const now = await readFile(at("law"));
        expect(now.subarray(0, head.length)).toEqual(head);
        expect(now.subarray(now.length - tail.length)).toEqual(tail);
        const made = now.subarray(head.length, now.length - tail.length).toString();
        // New lines take the line end that the file has most; nothing else in the new text changes.
        expect(made.replaceAll("\r\n", "\n")).toBe(new_string.replaceAll("\r\n", "\n"));
      }),
      { numRuns: 60 },
    );
  });

  it("K05 a list of edits is the same as the edits one after the other", async () => {
    const word = fc.constantFrom("one", "two", "three", "$&", "a\nb", "");
    const wish = fc.record({
      old_string: fc.constantFrom("one", "two", "three", "a\nb"),
      new_string: word,
      replace_all: fc.boolean(),
    });
    const text = fc.array(fc.constantFrom("one", "two", "three", "a\nb"), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(text, fc.array(wish, { minLength: 1, maxLength: 4 }), async (words, edits) => {
        const start = words.join("\n");
        await writeFile(at("list"), start);
        await writeFile(at("single"), start);
        const together = await world.use(edit, { file_path: "list", edits }).then(
          () => "made",
          () => "refused",
        );
        let apart = "made";
        for (const each of edits)
          if (apart === "made")
            apart = await world.use(edit, { file_path: "single", ...each }).then(
              () => "made",
              () => "refused",
            );
        expect(together).toBe(apart);
        const now = await readFile(at("list"), "utf8");
        expect(now).toBe(together === "made" ? await readFile(at("single"), "utf8") : start);
      }),
      { numRuns: 60 },
    );
  });

  it("K05 places that touch are all replaced, places that overlap are never chosen among", async () => {
    await writeFile(at("touch"), "ababab");
    await world.use(edit, { file_path: "touch", old_string: "ab", new_string: "b", replace_all: true });
    expect(await readFile(at("touch"), "utf8")).toBe("bbb");
    expect(await failure(world.use(edit, { file_path: "touch", old_string: "bb", new_string: "x" }))).toMatchObject({
      code: "match_ambiguous",
    });
    expect(await readFile(at("touch"), "utf8")).toBe("bbb");
  });

  it.each([0o751, 0o1640, 0o2751, 0o6755])("K05 mode %o and owner stay, but for setuid and setgid", async (bits) => {
    await writeFile(at("mode"), "NEEDLE\n");
    await chmod(at("mode"), bits);
    const before = await stat(at("mode"));
    await world.use(edit, { file_path: "mode", old_string: "NEEDLE", new_string: "pin" });
    const { mode, uid, gid } = await stat(at("mode"));
    // Nobody has approved the new content as a program with its owner's rights.
    expect({ mode, uid, gid }).toEqual({ mode: before.mode & ~0o6000, uid: before.uid, gid: before.gid });
  });
});
