import { mkdir, symlink, writeFile } from "node:fs/promises";
import { staticTraits } from "@haft/core/tool";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { ls } from "./ls.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await mkdir(`${world.folder}/zoo/deep`, { recursive: true });
  await mkdir(`${world.folder}/empty`);
  await writeFile(`${world.folder}/b.txt`, "12345");
  await writeFile(`${world.folder}/a\n.log`, "");
  await symlink("b.txt", `${world.folder}/link`);
});
afterAll(() => world.close());

describe("Ls", () => {
  it("K12 lists folders first, then files with sizes, and does not go deeper", async () => {
    const { text, output } = await world.use(ls, {});
    expect(text.split("\n")).toEqual([
      `${world.folder}:`,
      "empty/",
      "zoo/",
      '"a\\n.log" (0)',
      "b.txt (5)",
      "link (link)",
    ]);
    expect(output).toMatchObject({ path: world.folder, count: 5, truncated: false });
  });

  it("K12 leaves out what ignore names", async () => {
    const { output } = await world.use(ls, { ignore: ["*.log", "zoo"] });
    expect(output.entries.map((entry) => entry.path)).toEqual(["empty", "b.txt", "link"]);
  });

  it("K12 an empty folder, a file and a missing folder are told apart", async () => {
    expect((await world.use(ls, { path: "empty" })).text).toBe(`${world.folder}/empty is empty.`);
    expect(await failure(world.use(ls, { path: "b.txt" }))).toMatchObject({
      code: "not_directory",
      message: `${world.folder}/b.txt is a file, not a folder.`,
    });
    expect(await failure(world.use(ls, { path: "none" }))).toMatchObject({ code: "file_not_found" });
  });

  it("K12 a folder with more than 1,000 entries is cut, and that is said", async () => {
    await mkdir(`${world.folder}/many`);
    await Promise.all(Array.from({ length: 1005 }, (_, index) => writeFile(`${world.folder}/many/${index}`, "")));
    const { output, text } = await world.use(ls, { path: "many" });
    expect(output).toMatchObject({ count: 1005, truncated: true });
    expect(text).toContain("[5 entries are left out.");
  });

  it("K12 is of kind read and changes nothing", () => {
    expect(staticTraits(ls.can, ls.override)).toMatchObject({ kind: "read", isReadOnly: true });
  });
});
