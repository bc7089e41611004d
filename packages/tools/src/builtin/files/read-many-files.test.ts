import { mkdir, symlink, writeFile } from "node:fs/promises";
import { type Files, fail, staticTraits } from "@haft/core/tool";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorld, type World } from "../../../test/support/context.ts";
import { readManyFiles } from "./read-many-files.ts";

let world: World;
const at = (name: string) => `${world.folder}/${name}`;
const put = async (name: string, data: string | Uint8Array) => {
  await mkdir(at(name).replace(/\/[^/]*$/, ""), { recursive: true });
  await writeFile(at(name), data);
};
const use = (paths: string[], exclude?: string[]) =>
  world.use(readManyFiles, { paths, ...(exclude ? { exclude } : {}) });
const effects = (...paths: string[]) => readManyFiles.effects({ paths }, world.effectContext);

beforeEach(async () => {
  world = await createWorld();
  await put("a.txt", "one\ntwo\n");
  await put("src/b.ts", "b");
  await put("src/deep/c.ts", "c");
});
afterEach(() => world.close());

describe("ReadManyFiles", () => {
  it("K03 reads paths, globs and folders, each file once, behind a line with its path", async () => {
    const { text, output, titles } = await use(["src/deep/c.ts", "src/**/*.ts", "a.txt", "src"]);
    expect(text).toBe(
      [`--- ${at("src/deep/c.ts")} ---\nc`, `--- ${at("src/b.ts")} ---\nb`, `--- ${at("a.txt")} ---\none\ntwo`].join(
        "\n\n",
      ),
    );
    expect(output.files).toMatchObject([{ lines: 1 }, {}, { lines: 2, total: 2, truncated: false }]);
    expect(titles.at(-1)).toBe("Read 3 files");
    expect(await world.ports.files.seen(at("a.txt"))).toMatchObject({ whole: true });
  });

  it("K03 a link that leads in a circle is left out with the reason, and asks nobody", async () => {
    await symlink("circle", at("circle"));
    expect(await effects("circle", "a.txt")).not.toContainEqual(expect.objectContaining({ do: "unknown" }));
    const { text } = await use(["circle", "a.txt"]);
    expect(text).toContain("one\ntwo");
    expect(text).toMatch(/left out[\s\S]*circle/);
  });

  it("K03 an unreadable file is listed with the reason, and the rest is read", async () => {
    await put("bin", Buffer.of(0, 1, 2, 200));
    await put("pic", Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\0", "latin1"));
    await put("doc.pdf", "%PDF-1.4\n");
    const { text, output } = await use(["bin", "pic", "doc.pdf", "gone", "*.none", "a.txt"]);
    expect(output.files.map(({ path }) => path)).toEqual([at("a.txt")]);
    expect(Object.fromEntries(output.skipped.map(({ path, reason }) => [path.split("/").at(-1), reason]))).toEqual({
      bin: "a binary file",
      pic: "an image: Read shows it",
      "doc.pdf": expect.stringContaining("cannot be read as a PDF"),
      gone: "does not exist",
      "*.none": "no file matches",
    });
    expect(text).toContain(`--- left out ---\n*.none: no file matches\n${at("bin")}: a binary file`);
    // People see it too.
    expect(JSON.stringify(readManyFiles.toDisplay?.(output, { paths: [] }))).toContain("*.none: no file matches");
  });

  it("K03 ignore rules hold for globs, not for a file that is named; exclude holds for both", async () => {
    await mkdir(at(".git"));
    await put(".gitignore", "out/\n");
    await put("out/x.txt", "x");
    expect((await use(["**/*.txt"])).output.files).toMatchObject([{ path: at("a.txt") }]);
    expect((await use(["out/x.txt", "a.txt"])).output.files).toHaveLength(2);
    const { output } = await use(["**/*.ts", "a.txt"], ["**/deep/**", "a.txt"]);
    expect(output.files).toMatchObject([{ path: at("src/b.ts") }]);
    expect(output.skipped).toEqual([{ path: "**/deep/**, a.txt", reason: "2 files excluded" }]);
  });

  it("K03 all together stay within the bound, and a file that did not fit is named", async () => {
    for (const name of ["1", "2", "3", "4"]) await put(`big/${name}`, `${"x".repeat(99)}\n`.repeat(800));
    const { output, text } = await use(["big"]);
    const chars = output.files.reduce((sum, file) => sum + file.text.length, 0);
    expect(chars).toBeLessThanOrEqual(200_000);
    expect(chars).toBeGreaterThan(199_000);
    expect(text).toContain("[Lines 1 to 400 of 800. Read gives the rest.]");
    expect(output.files).toHaveLength(3);
    expect(output.files[2]).toMatchObject({ lines: 400, truncated: true });
    expect(text).toContain("/big/4: over the limit of 200000 characters");
    expect(output.skipped).toMatchObject([{ path: at("big/4") }]);
  });

  it("K03 more than 200 files are cut, and that is said", async () => {
    await Promise.all(Array.from({ length: 230 }, (_, index) => put(`many/${index}`, "x")));
    const { output } = await use(["many/*"]);
    expect(output.files).toHaveLength(200);
    expect(output.skipped).toMatchObject([
      { path: "many/*", reason: "29 more files match: use a narrower glob" },
      { reason: "over the limit of 200 files: read it in another call" },
    ]);
  });

  it("K03 several files are bounded by their folder, one by itself, those outside each by themselves", async () => {
    const bound = { do: "read", basis: "enforced" };
    expect(await effects("a.txt")).toEqual([{ ...bound, path: at("a.txt") }]);
    expect(await effects("src/b.ts", "src/deep/*.ts")).toEqual([{ ...bound, path: at("src"), tree: true }]);
    expect(await effects("a.txt", "src", "/etc/hostname", "/etc/*.d")).toEqual([
      { ...bound, path: world.folder, tree: true },
      { ...bound, path: "/etc/hostname" },
      { ...bound, path: "/etc", tree: true },
    ]);
  });

  it("K03 a file that a rule closes is reported, and the others are read", async () => {
    const { files } = world.ports;
    const { lines } = files;
    const closed: Partial<Files> = {
      lines: async (path, window) =>
        path.endsWith("b.ts") ? fail("sandbox_denied", `${path} is closed to this call.`) : lines(path, window),
    };
    Object.assign(files, closed);
    const { output } = await use(["src/b.ts", "a.txt"]);
    expect(output.files).toMatchObject([{ path: at("a.txt") }]);
    expect(output.skipped).toEqual([{ path: at("src/b.ts"), reason: "closed by a rule" }]);
  });

  it("K03 a name that looks like a glob is taken as the file that it is, and links are followed", async () => {
    await put("app/[id]/page.ts", "page");
    await symlink("a.txt", at("link"));
    expect((await use(["app/[id]/page.ts", "link"])).output.files).toMatchObject([
      { text: "page" },
      { text: "one\ntwo" },
    ]);
  });

  it("K03 notebooks come as cells; nothing to read is said", async () => {
    const cells = [{ cell_type: "raw", metadata: {}, source: "cell text" }];
    await put("n.ipynb", JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 4 }));
    expect((await use(["n.ipynb"])).text).toContain('<cell number="0" id="cell-0" type="raw">\ncell text');
    expect((await use(["*.zip"])).text).toBe("No file was read.\n\n--- left out ---\n*.zip: no file matches");
  });

  it("K03 is of kind read and changes nothing", () => {
    expect(staticTraits(readManyFiles.can, readManyFiles.override)).toMatchObject({ kind: "read", isReadOnly: true });
    expect(readManyFiles.describe?.({})).toEqual({ title: "Read files", activity: "Reading files" });
  });
});
