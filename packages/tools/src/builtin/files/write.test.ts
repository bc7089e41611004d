import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

let world: World;
const at = (name: string) => `${world.folder}/${name}`;
const use = (file_path: string, content: string) => world.use(write, { file_path, content });
const readFirst = (file_path: string) => world.use(read, { file_path });

beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

describe("Write", () => {
  it("K04 creates a file and its parents, and tells path and size", async () => {
    const { output, text, display } = await use("a/b/c.txt", "one\ntwo\n");
    expect(await readFile(at("a/b/c.txt"), "utf8")).toBe("one\ntwo\n");
    expect(output).toMatchObject({ path: at("a/b/c.txt"), size: 8, lines: 2, created: true, added: 2, removed: 0 });
    expect(text).toBe(`Created ${at("a/b/c.txt")} (2 lines).`);
    expect(display).toMatchObject({ kind: "diff", before: "", after: "one\ntwo\n" });
  });

  it("K04 a file that was not read is not overwritten", async () => {
    await writeFile(at("old"), "precious");
    expect(await failure(use("old", "new"))).toMatchObject({
      code: "read_first",
      hint: expect.stringContaining("Read it first"),
    });
    expect(await readFile(at("old"), "utf8")).toBe("precious");
  });

  it("K04 a file that was read in part is not overwritten", async () => {
    await writeFile(at("old"), "1\n2\n3\n");
    await world.use(read, { file_path: "old", limit: 1 });
    expect(await failure(use("old", "new"))).toMatchObject({ code: "read_first" });
  });

  it("K04 after a read it is replaced, and again after its own write", async () => {
    await writeFile(at("old"), "one\n");
    await readFirst("old");
    expect((await use("old", "two\n")).output).toMatchObject({ created: false, added: 1, removed: 1 });
    await use("old", "three\n");
    expect(await readFile(at("old"), "utf8")).toBe("three\n");
  });

  it("K04 a file that changed since it was read is not overwritten", async () => {
    await writeFile(at("old"), "one\n");
    await readFirst("old");
    await writeFile(at("old"), "by someone else\n");
    expect(await failure(use("old", "two\n"))).toMatchObject({ code: "file_changed" });
    expect(await readFile(at("old"), "utf8")).toBe("by someone else\n");
  });

  it("K04 an empty file has nothing to lose", async () => {
    await writeFile(at("empty"), "");
    await use("empty", "x");
    expect(await readFile(at("empty"), "utf8")).toBe("x");
  });

  it("K04 keeps CRLF, the byte order mark and UTF-16", async () => {
    await writeFile(at("dos"), "\ufeffone\r\ntwo\r\n");
    await writeFile(at("wide"), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("a\r\nb\r\n", "utf16le")]));
    await readFirst("dos");
    await readFirst("wide");
    await use("dos", "eins\nzwei\n");
    await use("wide", "ä\nö\n");
    expect(await readFile(at("dos"), "utf8")).toBe("\ufeffeins\r\nzwei\r\n");
    expect((await readFile(at("wide"))).subarray(2).toString("utf16le")).toBe("ä\r\nö\r\n");
  });

  it("K04 refuses characters that the file's encoding lacks, and changes nothing", async () => {
    const old = Buffer.from("Grüße aus Köln, schöne Straße für alle Gäste\r\n".repeat(5), "latin1");
    await writeFile(at("latin"), old);
    await readFirst("latin");
    expect(await failure(use("latin", "漢字"))).toMatchObject({
      code: "validation_failed",
      hint: expect.stringContaining("UTF-8"),
    });
    expect(await readFile(at("latin"))).toEqual(old);
  });

  it("K04 keeps the mode, and writes through a symbolic link", async () => {
    await writeFile(at("tool.sh"), "old");
    await chmod(at("tool.sh"), 0o750);
    await symlink("tool.sh", at("link"));
    await readFirst("link");
    await use("link", "new");
    expect(await readlink(at("link"))).toBe("tool.sh");
    expect(await readFile(at("tool.sh"), "utf8")).toBe("new");
    expect((await stat(at("tool.sh"))).mode & 0o777).toBe(0o750);
  });

  it("K04 leaves nothing beside the file", async () => {
    await use("only", "x");
    await failure(use("only/below", "x"));
    expect(await readdir(world.folder)).toEqual(["only"]);
  });

  it("K04 a folder and a path through a file are refused with their codes", async () => {
    await mkdir(at("folder"));
    await writeFile(at("plain"), "x");
    expect(await failure(use("folder", "x"))).toMatchObject({ code: "is_directory" });
    expect(await failure(use("plain/below", "x"))).toMatchObject({ code: "not_directory" });
  });

  it("K04 the preview is the diff, and changes nothing", async () => {
    await writeFile(at("old"), "one\ntwo\n");
    const preview = await write.preview?.({ file_path: "old", content: "one\n2\n" }, world.effectContext);
    expect(preview).toMatchObject({ kind: "diff", added: 1, removed: 1, before: "one\ntwo\n", after: "one\n2\n" });
    expect(preview).toHaveProperty("unified", expect.stringContaining("-two\n+2"));
    expect(await readFile(at("old"), "utf8")).toBe("one\ntwo\n");
  });

  it("K04 declares one write and describes half an input", () => {
    expect(write.effects({ file_path: "x", content: "" }, world.effectContext)).toEqual([
      { do: "write", basis: "enforced", path: `${world.folder}/x`, change: "replace" },
    ]);
    expect(write.describe?.({})).toEqual({ title: "Write", activity: "Writing" });
  });
});
