import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { packageFolders } from "./support/sources.ts";

/** All others are private: the build moves them into `haft`. */
const PUBLISHED = ["core", "haft", "workers"];

interface Packed {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

it("every published package brings its README, the licence, and the changes of its version", () => {
  const npm = ["pack", "--dry-run", "--json", "--ignore-scripts", ...PUBLISHED.map((name) => `-w=packages/${name}`)];
  const said: unknown = JSON.parse(execFileSync("npm", npm, { encoding: "utf8", stdio: "pipe" }));
  const packed = (Array.isArray(said) ? said : Object.values(said as object)) as Packed[];
  expect(packed.map(({ name }) => name).toSorted()).toEqual(["@haft/core", "@haft/workers", "haft"]);
  for (const { files } of packed)
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["CHANGELOG.md", "LICENSE", "README.md", "package.json"]),
    );
  const licence = readFileSync("LICENSE", "utf8");
  for (const name of PUBLISHED) {
    expect(readFileSync(`packages/${name}/LICENSE`, "utf8")).toBe(licence);
    expect(readFileSync(`packages/${name}/README.md`, "utf8").length).toBeGreaterThan(200);
    const { version } = JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8"));
    expect(readFileSync(`packages/${name}/CHANGELOG.md`, "utf8")).toContain(`\n## ${version}\n`);
  }
});

it("publishes no other package", () => {
  const isPrivate = (name: string) =>
    JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8")).private === true;
  expect(packageFolders.filter((name) => !isPrivate(name))).toEqual(PUBLISHED);
});
