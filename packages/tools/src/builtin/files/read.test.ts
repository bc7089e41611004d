import { execFileSync } from "node:child_process";
import { mkdir, open, symlink, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { read } from "./read.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

let world: World;
const put = (name: string, data: string | Uint8Array) => writeFile(`${world.folder}/${name}`, data);
const use = (file_path: string, rest: { offset?: number; limit?: number } = {}) =>
  world.use(read, { file_path, ...rest });

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe("Read of text", () => {
  it("K01 gives lines with their numbers, and details", async () => {
    await put("a.txt", "one\ntwo\n");
    const used = await use("a.txt");
    expect(used.text).toBe("     1\tone\n     2\ttwo");
    expect(used.output).toMatchObject({
      path: `${world.folder}/a.txt`,
      lines: 2,
      first: 1,
      total: 2,
      truncated: false,
    });
    expect(used.titles).toEqual(["Read 2 lines of a.txt"]);
  });

  it("K01 pages: the notice says how to get the next lines", async () => {
    await put("long.txt", Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`).join("\n"));
    const first = await use("long.txt");
    expect(first.output).toMatchObject({ lines: 2000, truncated: true });
    expect(first.text).toMatch(/\[Lines 1 to 2000 of 5,000\. Read on with offset: 2001\.\]$/);
    const last = await use("long.txt", { offset: 4001 });
    expect(last.text.split("\n")).toHaveLength(1000);
    expect(last.text).toMatch(/5000\tline 5000$/);
    expect((await use("long.txt", { offset: 7, limit: 1 })).output.text).toBe("line 7");
  });

  it("K01 a page never has more than 100,000 characters, and ends with a whole line", async () => {
    await put("wide.txt", `${"x".repeat(1500)}\n`.repeat(300));
    const { output, text } = await use("wide.txt");
    expect(output.text.length).toBeLessThanOrEqual(100_000);
    expect(output.lines).toBe(66);
    expect(text).toContain("Read on with offset: 67.");
    expect(await world.ports.files.seen(output.path)).toMatchObject({ whole: false });
  });

  it("K01 a line of 1 MB is cut and named", async () => {
    await put("one-line.js", "x".repeat(1024 * 1024));
    const { output, text } = await use("one-line.js");
    expect(output.text).toHaveLength(2000);
    expect(text).toContain("Longer than 2000 characters and cut: line 1.");
  });

  it("K01 an empty file is said to be empty", async () => {
    await put("empty", "");
    expect((await use("empty")).text).toBe("[The file is empty.]");
  });

  it("K01 an offset past the end names the number of lines", async () => {
    await put("short", "1\n2\n3\n");
    const error = await failure(use("short", { offset: 10 }));
    expect(error).toMatchObject({ code: "invalid_input", hint: "Use an offset from 1 to 3." });
    expect(error.message).toContain("has 3 lines");
  });

  it("K01 UTF-16 and Windows-1252 are read as what they are", async () => {
    await put("wide.utf16", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("ä\nb", "utf16le")]));
    await put("latin", Buffer.from("Grüße aus Köln, schöne Straße\n".repeat(5), "latin1"));
    expect((await use("wide.utf16")).output.text).toBe("ä\nb");
    expect((await use("latin")).output.text).toContain("Grüße aus Köln");
  });

  it("K01 a file name may hold a line break", async () => {
    await put("a\nb.txt", "ok");
    expect((await use("a\nb.txt")).output.text).toBe("ok");
  });

  it("K01 J01 a missing file: did you mean", async () => {
    await put("config.json", "{}");
    const error = await failure(use("confg.json"));
    expect(error).toMatchObject({ code: "file_not_found", hint: `Did you mean ${world.folder}/config.json?` });
  });

  it("K01 J01 for a missing folder the error says at which part the path goes wrong", async () => {
    await mkdir(`${world.folder}/packages/core`, { recursive: true });
    const error = await failure(world.use(read, { file_path: "packages/cor/src/index.ts" }));
    expect(error).toMatchObject({
      code: "file_not_found",
      hint: `There is no folder ${world.folder}/packages/cor. List ${world.folder}/packages with Ls, or look for the file with Glob.`,
    });
  });

  it("K01 the look for similar names is declared, and only where the file is missing", async () => {
    const effects = (file_path: string) => read.effects({ file_path }, world.effectContext);
    const whole = [expect.objectContaining({ do: "read", path: `${world.folder}/config.json` })];
    expect(await effects("config.json")).toEqual(whole);
    expect(await effects("gone.json")).toContainEqual(expect.objectContaining({ do: "read", path: world.folder }));
  });

  it("K01 describes itself without an input", () => {
    expect(read.describe?.({})).toEqual({ title: "Read", activity: "Reading" });
    expect(read.describe?.({ file_path: "a.ts" })).toEqual({ title: "Read a.ts", activity: "Reading a.ts" });
    expect(read.observe?.({ file_path: "a.ts" }, world.effectContext)).toEqual({ file_path: `${world.folder}/a.ts` });
  });
});

describe("Read of other things", () => {
  it("K01 a folder: use Ls", async () => {
    await mkdir(`${world.folder}/folder`);
    expect(await failure(use("folder"))).toMatchObject({ code: "is_directory", hint: expect.stringContaining("Ls") });
  });

  it("K01 a path through a file", async () => {
    await put("plain", "x");
    expect(await failure(use("plain/below"))).toMatchObject({ code: "not_directory" });
  });

  it("K01 binary data is refused", async () => {
    await put("data.bin", Buffer.from([1, 2, 0, 4, 200, 201]));
    expect(await failure(use("data.bin"))).toMatchObject({ code: "binary_file" });
  });

  it("K01 a sparse file of 1 GB is refused at once", async () => {
    const handle = await open(`${world.folder}/sparse`, "w");
    await handle.truncate(1024 ** 3);
    await handle.close();
    const started = performance.now();
    expect(await failure(use("sparse"))).toMatchObject({ code: "binary_file" });
    expect(performance.now() - started).toBeLessThan(patience(1000));
  });

  it("K01 a pipe and a device are refused without waiting", async () => {
    execFileSync("mkfifo", [`${world.folder}/fifo`]);
    expect(await failure(use("fifo"))).toMatchObject({ message: expect.stringContaining("device, pipe or socket") });
    expect(await failure(use("/dev/zero"))).toMatchObject({ message: expect.stringContaining("device") });
  });

  it("K01 a circle of links is an error", async () => {
    await symlink("loop-b", `${world.folder}/loop-a`);
    await symlink("loop-a", `${world.folder}/loop-b`);
    expect(await failure(use("loop-a"))).toMatchObject({ message: expect.stringContaining("link to itself") });
  });

  it("K01 an image comes as an image, with any name", async () => {
    await put("picture.txt", PNG);
    const used = await use("picture.txt");
    expect(read.toModel?.(used.output, { id: "1" })).toEqual([
      { type: "text", text: `[Image ${world.folder}/picture.txt: 1 × 1 pixels.]` },
      { type: "image", mediaType: "image/png", data: PNG.toString("base64"), path: `${world.folder}/picture.txt` },
    ]);
    expect(used.display).toMatchObject({ kind: "image", mediaType: "image/png" });
  });
});
