import { chmod, lstat, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { edit } from "./edit.ts";
import { read } from "./read.ts";

let world: World;
const at = (name: string) => `${world.folder}/${name}`;
const put = (data: string | Uint8Array) => writeFile(at("a"), data);
const use = (old_string: string, new_string: string) => world.use(edit, { file_path: "a", old_string, new_string });
const bytes = (...parts: (string | number)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "number" ? Buffer.of(part) : Buffer.from(part))));

beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

describe("bytes outside an edit", () => {
  it("K05 invalid UTF-8 stays as it is, and the edit may hold any character", async () => {
    await put(bytes("naïve café\n", 0xff, 0x80, "old\n", 0xc3, 0x28, "\nend ü\n"));
    const { display } = await use("old", "new “—” 漢");
    expect(await readFile(at("a"))).toEqual(bytes("naïve café\n", 0xff, 0x80, "new “—” 漢\n", 0xc3, 0x28, "\nend ü\n"));
    expect(display).toMatchObject({ after: expect.stringContaining("\ufffd\ufffdnew") });
  });

  it("K05 the text that Read showed of such a file can be edited too", async () => {
    await put(bytes("é ü ö\n", 0xff, "\n"));
    const shown = (await world.use(read, { file_path: "a" })).output.text.split("\n")[0] ?? "";
    await use(shown, "plain");
    expect(await readFile(at("a"))).toEqual(bytes("plain\n", 0xff, "\n"));
  });

  it("K05 a byte order mark before invalid UTF-8 stays, and so do those bytes", async () => {
    await put(bytes("\ufeffone\r\n", 0xfe, "\r\ntwo"));
    await use("one", "1");
    expect(await readFile(at("a"))).toEqual(bytes("\ufeff1\r\n", 0xfe, "\r\ntwo"));
  });

  it("K05 Latin-1 stays Latin-1, and a character that it lacks is refused", async () => {
    const old = Buffer.from("Grüße aus Köln, schöne Straße\nold\n".repeat(1), "latin1");
    await put(old);
    await use("old", "neu für alle");
    expect(await readFile(at("a"))).toEqual(Buffer.from("Grüße aus Köln, schöne Straße\nneu für alle\n", "latin1"));
    expect(await failure(use("neu", "漢"))).toMatchObject({ code: "validation_failed" });
  });

  it("K05 UTF-16 with half a character at its end is refused", async () => {
    const broken = Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from("one two\ufffd", "utf16le"), Buffer.of(0x41)]);
    await put(broken);
    expect(await failure(use("one", "1"))).toMatchObject({ code: "validation_failed" });
    expect(await readFile(at("a"))).toEqual(broken);
  });

  it("K05 old Macintosh line ends stay", async () => {
    await put("one\rtwo\rthree\r");
    await use("one\ntwo", "one\n2\nmore");
    expect(await readFile(at("a"), "utf8")).toBe("one\r2\rmore\rthree\r");
  });

  it("K05 lines of a passage that both texts share keep their own line ends", async () => {
    await put("a\r\nb\nc\r\nd\n");
    await use("a\nb\nc", "a\nB\nc");
    expect(await readFile(at("a"), "utf8")).toBe("a\r\nB\nc\r\nd\n");
  });

  it("K05 a missing last line end stays missing, composed and decomposed letters stay apart", async () => {
    await put("e\u0301 é\nlast");
    await use("last", "end");
    expect(await readFile(at("a"), "utf8")).toBe("e\u0301 é\nend");
  });

  it("K05 mode and symbolic link stay", async () => {
    await writeFile(at("real"), "one");
    await chmod(at("real"), 0o755);
    await symlink("real", at("a"));
    await use("one", "two");
    expect((await lstat(at("a"))).isSymbolicLink()).toBe(true);
    expect((await stat(at("real"))).mode & 0o777).toBe(0o755);
    expect(await readFile(at("real"), "utf8")).toBe("two");
  });

  it("K05 a file that is swapped during the edit is not overwritten", async () => {
    await put("one\n");
    const { files } = world.ports;
    const swapped = {
      ...files,
      async write(...wish: Parameters<typeof files.write>) {
        await put("other\n");
        return files.write(...wish);
      },
    };
    const ports = { ...world.ports, files: swapped };
    const context = { cwd: world.folder, ports, progress: () => undefined } as unknown as Parameters<
      typeof edit.run
    >[1];
    const work = Promise.resolve(
      edit.run({ file_path: "a", old_string: "one", new_string: "two" }, context) as Promise<unknown>,
    );
    expect(await failure(work)).toMatchObject({ code: "file_changed" });
    expect(await readFile(at("a"), "utf8")).toBe("other\n");
  });
});

describe("several edits at once", () => {
  const several = (edits: readonly { old_string: string; new_string: string; replace_all?: boolean }[]) =>
    world.use(edit, { file_path: "a", edits: [...edits] });

  it("K05 each sees what those before it left, in one write", async () => {
    await put("one two\nthree\n");
    const { output } = await several([
      { old_string: "one", new_string: "1" },
      { old_string: "1 two", new_string: "1\n2" },
      { old_string: "e", new_string: "E", replace_all: true },
    ]);
    expect(await readFile(at("a"), "utf8")).toBe("1\n2\nthrEE\n");
    expect(output).toMatchObject({ replacements: 4, strategies: ["exact"] });
  });

  it("K05 when one fails, none is made", async () => {
    await put("one two\n");
    const edits = [
      { old_string: "one", new_string: "1" },
      { old_string: "nine", new_string: "9" },
    ];
    const error = await failure(several(edits));
    expect(error).toMatchObject({ code: "match_not_found", message: expect.stringMatching(/^edits\[1\]\.old_string/) });
    expect(await readFile(at("a"), "utf8")).toBe("one two\n");
  });

  it.each([
    ["neither form", {}],
    ["both forms", { old_string: "a", new_string: "b", edits: [{ old_string: "c", new_string: "d" }] }],
    ["half a form", { old_string: "a" }],
  ])("K05 %s is refused with the cure", async (_, wish) => {
    await put("a c");
    expect(await failure(world.use(edit, { file_path: "a", ...wish }))).toMatchObject({
      code: "invalid_input",
      hint: expect.stringContaining("edits: a list of"),
    });
  });
});
