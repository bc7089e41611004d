import { appendFileSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkChain, linkedText, openChain } from "./chain.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-chain-")));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const path = () => join(base, "log.jsonl");
const text = () => readFileSync(path(), "utf8");

describe("a chain of lines", () => {
  it("every change, removal, repetition and insertion before its end is found", () => {
    const chain = openChain(path());
    const values = Array.from({ length: 12 }, (_, index) => ({ index, filler: "x".repeat(index * 9_000) }));
    for (const value of values) chain.append(value);
    chain.close();
    const lines = text().trimEnd().split("\n");
    expect(checkChain(text())).toMatchObject({ lines: 12, broken: [], torn: 0 });
    const inner = fc.integer({ min: 0, max: 10 });
    fc.assert(
      fc.property(inner, fc.constantFrom("change", "remove", "insert"), (index, how) => {
        const line = lines[index]!;
        const changed =
          how === "change"
            ? lines.with(index, line.replace(`"index":${index}`, `"index":${index + 100}`))
            : how === "remove"
              ? lines.toSpliced(index, 1)
              : lines.toSpliced(index + 1, 0, '{"index":5}');
        expect(checkChain(changed.join("\n")).broken.length).toBeGreaterThan(0);
      }),
    );
  });

  it("a missing end is found by a head that was kept elsewhere, and by nothing else", () => {
    const chain = openChain(path());
    for (const index of [1, 2, 3]) chain.append({ index });
    const head = chain.head();
    chain.close();
    const cut = text().split("\n").slice(0, 2).join("\n");
    expect(checkChain(cut)).toMatchObject({ broken: [] });
    expect(checkChain(cut, head)).toMatchObject({ hasHead: false });
    expect(checkChain(text(), head)).toMatchObject({ hasHead: true, head });
  });

  it("goes on behind another process's lines, and behind one that was torn", () => {
    const first = openChain(path());
    const second = openChain(path());
    first.append({ by: 1 });
    second.append({ by: 2 });
    first.append({ by: 1 });
    appendFileSync(path(), '{"torn":');
    second.close();
    const third = openChain(path());
    third.append({ by: 3 });
    expect(checkChain(text())).toMatchObject({ lines: 5, broken: [], torn: 1 });
    for (const chain of [first, third]) chain.close();
  });

  it("W08 lines that are written together are one link, in which nothing can be changed either", () => {
    const block = fc.array(fc.record({ filler: fc.string(), more: fc.integer({ min: 0, max: 70_000 }) }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        fc.array(block, { minLength: 2, maxLength: 6 }),
        fc.nat(),
        fc.boolean(),
        (blocks, which, isReopened) => {
          rmSync(path(), { force: true });
          let chain = openChain(path());
          for (const values of blocks) {
            chain.appendTexts(values.map(({ filler, more }) => JSON.stringify({ filler, more: "x".repeat(more) })));
            if (!isReopened) continue;
            chain.close();
            chain = openChain(path());
          }
          const [whole, head] = [text(), chain.head()];
          chain.close();
          const lines = whole.trimEnd().split("\n");
          expect(checkChain(whole)).toMatchObject({ lines: blocks.flat().length, broken: [], torn: 0, head });
          const index = which % (lines.length - blocks.at(-1)!.length);
          for (const changed of [
            lines.toSpliced(index, 1),
            lines.toSpliced(index + 1, 0, "{}"),
            lines.with(index, lines[index]!.replace("filler", "fuller")),
          ])
            expect(checkChain(`${changed.join("\n")}\n`).broken).not.toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("lines linked anew are a chain again", () => {
    const again = linkedText([{ t: "first" }, { t: "x", prev: "a".repeat(64) }, { t: "y" }]);
    expect(checkChain(again)).toMatchObject({ lines: 3, broken: [], torn: 0 });
  });
});
