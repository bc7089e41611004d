// The public names of the packages: adding one is a decision, and each has a docstring.
import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { blocksOf, docPages } from "./support/doc-blocks.ts";
import { type PublicName, publicNames } from "./support/public-names.ts";
import { importsOf, packageFolders, publishedDoorsOf, readSources } from "./support/sources.ts";

// The others are private: what they give is moved into `haft`.
const PUBLISHED = ["core", "workers", "haft"];
/** The most names of all doors together. Lower them when they fall; a higher one is a decision. */
const MOST_NAMES = 140;
/** The names of other programs' shapes, which those programs have chosen. */
const MOST_COMPAT_NAMES = 139;
const sources = readSources(...packageFolders.map((name) => `packages/${name}/src`));

interface Door {
  /** The specifier in an import. */
  readonly entry: string;
  readonly names: ReadonlyMap<string, PublicName>;
}

const doors = PUBLISHED.flatMap(publishedDoorsOf).map(
  ([entry, file]): Door => ({ entry, names: publicNames(sources, file) }),
);

describe("the public names", () => {
  // After a decision for more of them: npx vitest run test/public-names.test.ts -u
  test("are those that were decided on", async () => {
    const lines = doors.map(({ entry, names }) =>
      [entry, ...[...names.values()].map(({ name, isType }) => `  ${name}${isType ? " (type)" : ""}`).sort()].join(
        "\n",
      ),
    );
    await expect(`${lines.join("\n\n")}\n`).toMatchFileSnapshot("public-names.txt");
  });

  test("are few", () => {
    const isCompat = ({ entry }: Door) => entry.startsWith("@haft/core/compat/");
    const distinct = (some: readonly Door[]) => new Set(some.flatMap(({ names }) => [...names.keys()])).size;
    expect(distinct(doors.filter((door) => !isCompat(door)))).toBe(MOST_NAMES);
    expect(distinct(doors.filter(isCompat))).toBe(MOST_COMPAT_NAMES);
  });

  test.each(doors)("of $entry are all described", ({ names }) => {
    expect(names.size).toBeGreaterThan(0);
    expect(
      [...names.values()].filter(({ isDescribed }) => !isDescribed).map(({ name, file }) => `${file}: ${name}`),
    ).toEqual([]);
  });
});

test("docs and examples use published doors only", () => {
  const blocks = docPages().flatMap((page) => blocksOf(page).map(({ given, text }) => `${given}\n${text}`));
  const scripts = globSync("examples/**/*.mjs").map((path) => readFileSync(path, "utf8"));
  const used = [...blocks, ...scripts, ...readSources("examples").values()].flatMap(importsOf);
  const ours = new Set(used.filter((name) => /^(?:haft|@haft\/.+)(?:\/|$)/.test(name)));
  expect(ours.size).toBeGreaterThan(10);
  expect([...ours].filter((name) => !doors.some(({ entry }) => entry === name))).toEqual([]);
});

test("names are found in every way to export them, and what no comment describes is told", () => {
  const found = publicNames(
    new Map([
      [
        "a/index.ts",
        'export * from "./b.ts";\nexport { c as d, type E } from "./c.ts";\nexport { own };\nconst own = 1;\n/** All. */\nexport * as all from "./b.ts";',
      ],
      ["a/b.ts", "/** Described. */\nexport function b(x: string): void;\nexport function b() {}\nconst hidden = 1;"],
      ["a/c.ts", "export const c = 1;\n/** A type. */\nexport interface E {}"],
    ]),
    "a/index.ts",
  );
  expect([...found.values()].map(({ name, isType, isDescribed }) => [name, isType, isDescribed])).toEqual([
    ["b", false, true],
    ["all", false, true],
    ["d", false, false],
    ["E", true, true],
    ["own", false, false],
  ]);
});
