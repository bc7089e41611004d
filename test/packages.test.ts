import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

interface Packed {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

it("every published package brings its README and the licence", () => {
  const npm = ["pack", "--dry-run", "--json", "--ignore-scripts", "--workspaces"];
  const said: unknown = JSON.parse(execFileSync("npm", npm, { encoding: "utf8", stdio: "pipe" }));
  const packed = (Array.isArray(said) ? said : Object.values(said as object)) as Packed[];
  const published = packed.filter(({ name }) => name === "haft" || name.startsWith("@haft/"));
  expect(published.map(({ name }) => name).toSorted()).toEqual(["@haft/core", "@haft/tools", "@haft/workers", "haft"]);
  for (const { files } of published)
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
  const licence = readFileSync("LICENSE", "utf8");
  for (const name of ["core", "tools", "workers", "haft"]) {
    expect(readFileSync(`packages/${name}/LICENSE`, "utf8")).toBe(licence);
    expect(readFileSync(`packages/${name}/README.md`, "utf8").length).toBeGreaterThan(200);
  }
});
