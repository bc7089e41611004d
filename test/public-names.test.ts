// What the packages give away: more of it is a decision, and everything of it is described.
import { describe, expect, test } from "vitest";
import { type PublicName, publicNames } from "./support/public-names.ts";
import { doorsOf, packageFolders, readSources } from "./support/sources.ts";

// The others are private: what they give is moved into `haft`.
const PUBLISHED = ["core", "workers", "haft"];
const sources = readSources(...packageFolders.map((name) => `packages/${name}/src`));

interface Door {
  /** What one writes in an import. */
  readonly entry: string;
  readonly names: ReadonlyMap<string, PublicName>;
}

const doors = PUBLISHED.flatMap(doorsOf).map(([entry, file]): Door => ({ entry, names: publicNames(sources, file) }));

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

  test.each(doors)("of $entry are all described", ({ names }) => {
    expect(names.size).toBeGreaterThan(0);
    expect(
      [...names.values()].filter(({ isDescribed }) => !isDescribed).map(({ name, file }) => `${file}: ${name}`),
    ).toEqual([]);
  });
});

test("names are found in every way to export them, and what no comment describes is told", () => {
  const found = publicNames(
    new Map([
      [
        "a/index.ts",
        'export * from "./b.ts";\nexport { c as d, type E } from "./c.ts";\nexport { own };\nconst own = 1;',
      ],
      ["a/b.ts", "/** Described. */\nexport function b(x: string): void;\nexport function b() {}\nconst hidden = 1;"],
      ["a/c.ts", "export const c = 1;\n/** A type. */\nexport interface E {}"],
    ]),
    "a/index.ts",
  );
  expect([...found.values()].map(({ name, isType, isDescribed }) => [name, isType, isDescribed])).toEqual([
    ["b", false, true],
    ["d", false, false],
    ["E", true, true],
    ["own", false, false],
  ]);
});
