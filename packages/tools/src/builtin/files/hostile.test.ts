import { execFileSync, spawnSync } from "node:child_process";
import { chmod, mkdir, open, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { glob } from "../search/glob.ts";
import { grep } from "../search/grep.ts";
import { applyPatch } from "./apply-patch.ts";
import { edit } from "./edit.ts";
import { ls } from "./ls.ts";
import { notebookEdit } from "./notebook-edit.ts";
import { read } from "./read.ts";
import { readManyFiles } from "./read-many-files.ts";
import { write } from "./write.ts";

let world: World;
const at = (name: string) => `${world.folder}/${name}`;
const put = (name: string, data: string | Uint8Array) => writeFile(at(name), data);
const swap = (file_path: string) => world.use(edit, { file_path, old_string: "needle", new_string: "pin" });
const quick = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
  const started = performance.now();
  const result = await work();
  expect(performance.now() - started).toBeLessThan(patience(ms));
  return result;
};

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe("strange files", () => {
  it.each(["fifo", "/dev/zero", "/dev/tty", "/proc/self/mem"])(
    "K01 K05 %s is refused by every tool, without waiting",
    async (name) => {
      if (name === "fifo") spawnSync("mkfifo", [at("fifo")]);
      const refused =
        /device, pipe or socket|binary|may not|empty|not in|does not exist|No such|I\/O|input\/output|ENXIO/i;
      for (const work of [
        () => world.use(read, { file_path: name }),
        () => swap(name),
        () => world.use(write, { file_path: name, content: "x" }),
      ]) {
        const error = await quick(2000, () =>
          work().then(
            () => undefined,
            (thrown: Error) => thrown,
          ),
        );
        if (name !== "/proc/self/mem") expect(error?.message).toMatch(refused);
        if (name === "fifo") expect(error?.message).toContain("device, pipe or socket");
      }
      const many = await quick(2000, () => world.use(readManyFiles, { paths: [name] }));
      expect(many.output.files).toEqual([]);
    },
  );

  it("K01 a file of 100 MB is paged and searched, and is too large to be held for an edit", async () => {
    const line = `${"some text of a usual length ".repeat(3)}\n`;
    const block = line.repeat(Math.floor((1024 * 1024) / line.length));
    const handle = await open(at("large.log"), "w");
    for (let index = 0; index < 100; index++) await handle.write(block);
    await handle.write("the needle at the end\n");
    await handle.close();
    const before = process.memoryUsage.rss();
    const page = await quick(3000, () => world.use(read, { file_path: "large.log", offset: 1_000_000, limit: 5 }));
    expect(page.output.lines).toBe(5);
    const { output } = await quick(5000, () =>
      world.use(grep, { pattern: "needle", output_mode: "content", path: "large.log" }),
    );
    expect(output.total).toBe(1);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 1024 * 1024);
    expect(await failure(swap("large.log"))).toMatchObject({ code: "file_too_large" });
    await rm(at("large.log"));
  });

  it("K01 K05 K10 a line of 1 MB is cut where it is shown, and edited whole", async () => {
    const long = `${"x".repeat(600_000)}needle${"y".repeat(500_000)}`;
    await put("long.txt", `first\n${long}\nlast\n`);
    const shown = await world.use(read, { file_path: "long.txt" });
    expect(shown.text.length).toBeLessThan(5000);
    expect(shown.text).toContain("Longer than 2000 characters and cut: line 2");
    const found = await world.use(grep, { pattern: "needle", output_mode: "content", path: "long.txt" });
    expect(found.text).toContain("needle");
    expect(found.text.length).toBeLessThan(5000);
    await quick(2000, () => swap("long.txt"));
    expect(await readFile(at("long.txt"), "utf8")).toBe(`first\n${long.replace("needle", "pin")}\nlast\n`);
    const wrong = () => world.use(edit, { file_path: "long.txt", old_string: `${"x".repeat(5000)}z`, new_string: "" });
    await quick(2000, () => failure(wrong()));
  });

  it("K05 binary data with the name of a text is not edited", async () => {
    const bytes = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3, 0, 0, 255]);
    await put("program.txt", bytes);
    expect(await failure(swap("program.txt"))).toMatchObject({ code: "binary_file" });
    expect(await failure(world.use(write, { file_path: "program.txt", content: "x" }))).toMatchObject({
      code: expect.stringMatching(/read_first|binary_file/),
    });
    expect(await readFile(at("program.txt"))).toEqual(bytes);
  });

  it("K08 a notebook that is none is refused in words, and stays", async () => {
    for (const [name, text] of [
      ["cut.ipynb", '{"cells": ['],
      ["list.ipynb", "[1]"],
      ["text.ipynb", "hello"],
      ["null.ipynb", '{"cells":[null]}'],
    ] as const) {
      await put(name, text);
      const wish = { notebook_path: name, cell_number: 0, new_source: "x" };
      expect(await failure(world.use(notebookEdit, wish))).toMatchObject({ code: "validation_failed" });
      expect(await readFile(at(name), "utf8")).toBe(text);
    }
  });
});

describe("strange folders", () => {
  it("K09 K10 K12 links in a circle, names with line breaks and names that are no text end no search", async () => {
    await mkdir(at("odd/deep"), { recursive: true });
    await symlink("..", at("odd/deep/up"));
    await symlink("self", at("odd/self"));
    await put("odd/two\nlines.txt", "needle\n");
    execFileSync("bash", ["-c", "printf 'needle\\n' > \"$1\"/odd/$'caf\\xe9.txt'", "-", world.folder]);
    await put("odd/plain.txt", "needle\n");
    const { output } = await world.use(glob, { pattern: "odd/**/*.txt" });
    expect(output.count).toBe(3);
    const found = await world.use(grep, { pattern: "needle", path: "odd" });
    expect(found.output.total).toBe(3);
    expect(found.text.split("\n")).toHaveLength(3);
    const listed = await world.use(ls, { path: "odd" });
    expect(listed.text).toContain('"two\\nlines.txt"');
    expect(listed.text).toContain("caf\ufffd.txt (unreadable name)");
    const many = await world.use(readManyFiles, { paths: ["odd/*.txt"] });
    expect(many.output.skipped).toEqual([
      { path: at("odd/caf\ufffd.txt"), reason: "its name has bytes that are not text" },
    ]);
    expect((await world.use(read, { file_path: "odd/two\nlines.txt" })).text).toContain("needle");
  });

  it("K01 K05 a name that is no text is in the list and cannot be given back: the error says how to go on", async () => {
    execFileSync("bash", ["-c", "printf 'needle\\n' > \"$1\"/$'caf\\xe9.txt'", "-", world.folder]);
    for (const work of [() => world.use(read, { file_path: "caf\ufffd.txt" }), () => swap("caf\ufffd.txt")])
      expect(await failure(work())).toMatchObject({
        code: "file_not_found",
        hint: expect.stringMatching(/not text.*Rename it first/),
      });
  });

  it("K01 K04 K05 a link that leads in a circle is called one, and nobody is asked about it", async () => {
    await symlink("circle", at("circle"));
    for (const tool of [read, edit])
      for (const effect of await tool.effects({ file_path: "circle" }, world.effectContext))
        expect(effect).toMatchObject({ path: at("circle") });
    const works = [
      () => world.use(read, { file_path: "circle" }),
      () => swap("circle"),
      () => world.use(write, { file_path: "circle", content: "x" }),
    ];
    for (const work of works) expect((await failure(work())).message).toContain("is a symbolic link to itself");
  });

  it("K09 K10 a folder that may not be read is left out, the rest is found", async (test) => {
    if (process.getuid?.() === 0) test.skip();
    await mkdir(at("closed"));
    await chmod(at("closed"), 0);
    expect((await world.use(glob, { pattern: "**/plain.txt" })).output.count).toBe(1);
    expect(await failure(world.use(ls, { path: "closed" }))).toMatchObject({ code: "permission_denied" });
    await chmod(at("closed"), 0o700);
  });
});

describe("strange patches", () => {
  const patch = (body: string) => world.use(applyPatch, { input: `*** Begin Patch\n${body}\n*** End Patch` });

  it("K07 a file that is added and deleted again is no change; twice added is refused", async () => {
    expect(await failure(patch("*** Add File: n.txt\n+a\n*** Delete File: n.txt"))).toMatchObject({
      code: "no_change",
    });
    expect(await failure(patch("*** Add File: n.txt\n+a\n*** Add File: n.txt\n+b"))).toMatchObject({
      code: "file_exists",
    });
    expect(await readdir(world.folder)).not.toContain("n.txt");
  });

  it("K07 a move onto an existing file is refused, a move away and an add in its place are not", async () => {
    await put("one.txt", "1\n");
    await put("two.txt", "2\n");
    const move = "*** Update File: one.txt\n*** Move to: two.txt\n@@\n-1\n+one";
    expect(await failure(patch(move))).toMatchObject({ code: "file_exists" });
    await patch("*** Update File: two.txt\n*** Move to: three.txt\n@@\n-2\n+3\n*** Add File: two.txt\n+new");
    expect([await readFile(at("two.txt"), "utf8"), await readFile(at("three.txt"), "utf8")]).toEqual(["new\n", "3\n"]);
  });

  it("K07 a change through a link is made where it leads, the link stays one", async () => {
    await put("target.txt", "old\n");
    await symlink("target.txt", at("link.txt"));
    await patch("*** Update File: link.txt\n@@\n-old\n+new");
    expect(await readFile(at("target.txt"), "utf8")).toBe("new\n");
    expect((await failure(patch("*** Delete File: link.txt"))).message).toContain("symbolic link");
    const both = "*** Update File: link.txt\n@@\n-new\n+a\n*** Update File: target.txt\n@@\n-a\n+b";
    await patch(both);
    expect(await readFile(at("target.txt"), "utf8")).toBe("b\n");
  });
});
