// What the packages give away: more of it is a decision, and everything of it is described.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type PublicName, publicNames } from "./support/public-names.ts";
import { readSources } from "./support/sources.ts";

const PACKAGES = ["core", "tools", "haft"];
const sources = readSources(...PACKAGES.map((name) => `packages/${name}/src`));

interface Door {
  /** What one writes in an import. */
  readonly entry: string;
  readonly names: ReadonlyMap<string, PublicName>;
}

const doors = PACKAGES.flatMap((folder): Door[] => {
  const { name, exports } = JSON.parse(readFileSync(`packages/${folder}/package.json`, "utf8"));
  return Object.entries<Record<string, string>>(exports).flatMap(([key, { "haft-source": file }]) =>
    // What is no module has no names.
    file === undefined
      ? []
      : [{ entry: `${name}${key.slice(1)}`, names: publicNames(sources, `packages/${folder}/${file.slice(2)}`) }],
  );
});

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
