import { linkSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Bench, benches, stateOf } from "../../../test/support/journal.ts";
import { viewWorks } from "../../../test/support/view.ts";

const fresh = benches();

/** `d/a2` is another name of `a`. */
function prepared(): Bench {
  const bench = fresh({ variants: ["user"] });
  mkdirSync(join(bench.root, "d"));
  for (const name of ["a", "b"]) writeFileSync(join(bench.root, name), `old ${name}\n`);
  linkSync(join(bench.root, "a"), join(bench.root, "d/a2"));
  return bench;
}

const numberOf = ({ root }: Bench, names: readonly string[]): number =>
  new Set(names.map((name) => statSync(join(root, name)).ino)).size;

describe.skipIf(!viewWorks("user"))("names of one file in a view", () => {
  it.each([
    ["echo more >> a; cat a d/a2", "more"],
    ["echo more >> a; ln a n", "more"],
    ["echo more >> a; ln d/a2 n", "more"],
    ["ln d/a2 n; echo more >> a", "more"],
    ["ln d/a2 n; echo more >> n; cat n", "more"],
    ["chmod 600 a; ln d/a2 n", ""],
  ])("W01 stay one file after %s, and undo keeps them so", { tags: ["smoke"] }, async (command, line) => {
    const bench = prepared();
    const before = stateOf(bench.root);
    expect((await bench.shell(command)).output).not.toMatch(/Not/);
    expect(numberOf(bench, ["a", "d/a2", ...(command.includes("ln ") ? ["n"] : [])])).toBe(1);
    expect(readFileSync(join(bench.root, "a"), "utf8")).toBe(`old a\n${line && `${line}\n`}`);
    expect((await bench.journal.undo()).losses).toEqual([]);
    expect(stateOf(bench.root)).toEqual(before);
    expect(numberOf(bench, ["a", "d/a2"])).toBe(1);
  });

  it("W01 say that a renamed file is one of its own, and undo makes it one with the others again", async () => {
    const bench = prepared();
    const before = stateOf(bench.root);
    expect((await bench.shell("mv a x; mv b y")).output).toMatch(
      /^\[Not carried over: .*hard links.* Affected: x\.\]$/m,
    );
    await bench.journal.undo();
    expect([stateOf(bench.root), numberOf(bench, ["a", "d/a2"])]).toEqual([before, 1]);
  });

  it.each(["ln -f b a; echo more >> b", "cp -p b t; echo more >> t; ln -f t a"])(
    "W01 are two files if one of them got another file, after %s",
    async (command) => {
      const bench = prepared();
      utimesSync(join(bench.root, "b"), 1e9, 1e9);
      await bench.shell(command);
      expect(readFileSync(join(bench.root, "a"), "utf8")).toBe("old b\nmore\n");
      expect(readFileSync(join(bench.root, "d/a2"), "utf8")).toBe("old a\n");
    },
  );
});
