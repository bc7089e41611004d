import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { type Files, fail, type WriteExpectation } from "@haft/core/tool";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { applyPatch } from "./apply-patch.ts";

let world: World;
const at = (name: string) => `${world.folder}/${name}`;
const put = (name: string, data: string | Uint8Array) => writeFile(at(name), data);
const content = (name: string) => readFile(at(name), "utf8");
const patch = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const use = (...lines: string[]) => world.use(applyPatch, { input: patch(...lines) });
const effects = (...lines: string[]) => applyPatch.effects({ input: patch(...lines) }, world.effectContext);

/** Takes files away from this machine as a host's port does: only what is still as expected. */
async function remove(path: string, { expect: wanted }: WriteExpectation = {}): Promise<void> {
  const hash = createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
  if (wanted !== undefined && wanted !== hash) fail("file_changed", `${path} has changed.`);
  await unlink(path);
}

beforeEach(async () => {
  world = await createWorld();
  Object.assign(world.ports.files, { remove });
});
afterEach(() => world.close());

describe("apply_patch", () => {
  it("K07 adds, changes, moves and deletes in one go", async () => {
    await put("change", "one\ntwo\nthree\n");
    await put("old", "keep\nline\n");
    await put("gone", "x\n");
    const { output, text, display } = await use(
      ...["*** Add File: new/file", "+first", "+", "+third"],
      ...["*** Update File: change", "@@", " one", "-two", "+2", " three"],
      ...["*** Update File: old", "*** Move to: sub/moved", "@@", "-line", "+LINE"],
      "*** Delete File: gone",
    );
    expect(await content("new/file")).toBe("first\n\nthird\n");
    expect(await content("change")).toBe("one\n2\nthree\n");
    expect(await content("sub/moved")).toBe("keep\nLINE\n");
    expect((await readdir(world.folder)).sort()).toEqual(["change", "new", "sub"]);
    expect(output.files).toMatchObject([
      { path: at("new/file"), change: "added", added: 3, removed: 0 },
      { path: at("change"), change: "modified", added: 1, removed: 1 },
      { path: at("sub/moved"), change: "moved", from: at("old"), added: 1, removed: 1 },
      { path: at("gone"), change: "deleted", added: 0, removed: 1 },
    ]);
    expect(text).toContain(`M ${at("old")} -> ${at("sub/moved")}\nD ${at("gone")}`);
    expect(display).toMatchObject({ kind: "group", items: { length: 4 } });
  });

  it("K07 declares each file's effect from the patch alone", async () => {
    const bound = { basis: "enforced" };
    expect(
      await effects("*** Add File: a", "+x", "*** Delete File: b", "*** Update File: c", "*** Move to: d", "@@", "-x"),
    ).toEqual([
      { do: "write", ...bound, path: "a", change: "create" },
      { do: "read", ...bound, path: "b" },
      { do: "write", ...bound, path: "b", change: "delete" },
      { do: "read", ...bound, path: "c" },
      { do: "write", ...bound, path: "c", change: "delete" },
      { do: "write", ...bound, path: "d", change: "create", from: "c" },
    ]);
    expect(await effects("*** Update File: e", "@@", "-x")).toEqual([
      { do: "write", ...bound, path: "e", change: "modify" },
      { do: "read", ...bound, path: "e" },
    ]);
    // One that cannot be read is bounded by what it names; without a name it counts as unknown, which a throw says.
    expect(await effects("*** Update File: f", "*** Move to: g")).toMatchObject([
      { path: "f", change: "modify" },
      { do: "read", path: "f" },
      { path: "g", change: "create" },
    ]);
    expect(() => effects("nonsense")).toThrow("begins no file section");
  });

  it("K07 one section that cannot be applied leaves every file as it is", async () => {
    await put("a", "one\n");
    const error = await failure(
      use("*** Add File: new", "+x", "*** Update File: a", "@@", "-nine", "+9", "*** Delete File: a"),
    );
    expect(error).toMatchObject({ code: "match_not_found", message: expect.stringContaining("Line 5 of the patch") });
    expect(await readdir(world.folder)).toEqual(["a"]);
    expect(await content("a")).toBe("one\n");
  });

  it("K07 a name that would be a file and a folder is refused before anything is made", async () => {
    const error = await failure(use("*** Add File: x/y/b", "+b", "*** Add File: x/y", "+y"));
    expect(error).toMatchObject({ code: "patch_invalid", message: expect.stringContaining(at("x/y/b")) });
    expect(await readdir(world.folder)).toEqual([]);
  });

  it("K07 a write that fails takes back what was done before it", async () => {
    await put("a", "one\n");
    await put("b", "two\n");
    await put("in-the-way", "x");
    await chmod(at("a"), 0o750);
    const lines = [
      "*** Update File: a",
      "@@",
      "-one",
      "+1",
      "*** Add File: n",
      "+n",
      "*** Add File: in-the-way/m",
      "+m",
    ];
    expect(await failure(use(...lines, "*** Delete File: b"))).toMatchObject({
      code: "not_directory",
      message: expect.stringContaining("The patch was reverted."),
    });
    expect((await readdir(world.folder)).sort()).toEqual(["a", "b", "in-the-way"]);
    expect(await content("a")).toBe("one\n");
    expect((await stat(at("a"))).mode & 0o777).toBe(0o750);
  });

  it("K07 a file that cannot be removed brings the others back", async () => {
    await put("a", "one\n");
    await put("b", "two\n");
    let calls = 0;
    const failing: Partial<Files> & { remove: typeof remove } = {
      remove: async (path, options) => (++calls === 2 ? fail("permission_denied", "no") : remove(path, options)),
    };
    Object.assign(world.ports.files, failing);
    const error = await failure(use("*** Delete File: a", "*** Delete File: b"));
    expect(error.code).toBe("permission_denied");
    expect([await content("a"), await content("b")]).toEqual(["one\n", "two\n"]);
  });

  it("K07 a host that cannot remove files refuses such a patch before it writes", async () => {
    Object.assign(world.ports.files, { remove: undefined });
    await put("a", "one\n");
    const error = await failure(use("*** Add File: new", "+x", "*** Delete File: a"));
    expect(error).toMatchObject({ code: "tool_unavailable", hint: expect.stringContaining("Nothing was written") });
    expect(await readdir(world.folder)).toEqual(["a"]);
  });

  it("K07 CRLF, byte order mark, mixed ends, stray bytes and a missing last line end stay", async () => {
    await put("dos", "\ufeffone\r\ntwo\r\nthree");
    await put("mixed", "one\r\ntwo\rthree\nfour\r\n");
    await put("stray", Buffer.concat([Buffer.from("é\n"), Buffer.of(0xff), Buffer.from("\nold\n")]));
    await use(
      ...["*** Update File: dos", "@@", " one", "-two", "+2", "+2b"],
      ...["*** Update File: mixed", "@@", " two", "-three", "+THREE"],
      ...["*** Update File: stray", "@@", "-old", "+nëw"],
    );
    expect(await content("dos")).toBe("\ufeffone\r\n2\r\n2b\r\nthree");
    expect(await content("mixed")).toBe("one\r\ntwo\rTHREE\r\nfour\r\n");
    expect(await readFile(at("stray"))).toEqual(
      Buffer.concat([Buffer.from("é\n"), Buffer.of(0xff), Buffer.from("\nnëw\n")]),
    );
  });

  it("K07 sections that touch a file twice see each other", async () => {
    await put("a", "one\ntwo\n");
    await use("*** Update File: a", "@@", "-one", "+1", "*** Update File: ./a", "@@", " 1", "-two", "+2");
    expect(await content("a")).toBe("1\n2\n");
    await use("*** Delete File: a", "*** Add File: a", "+anew");
    expect(await content("a")).toBe("anew\n");
    await use("*** Add File: b", "+x", "*** Update File: b", "*** Move to: c", "@@", "-x", "+y");
    expect((await readdir(world.folder)).sort()).toEqual(["a", "c"]);
    const nothing = await failure(use("*** Add File: d", "+x", "*** Delete File: d"));
    expect(nothing).toMatchObject({ code: "no_change" });
  });

  it("K07 a moved file keeps its mode where the host can, and its bytes", async () => {
    await put("old", Buffer.from("Grüße aus Köln, schöne Straße\nx\n", "latin1"));
    await use("*** Update File: old", "*** Move to: new", "@@", "-x", "+y");
    expect(await readFile(at("new"))).toEqual(Buffer.from("Grüße aus Köln, schöne Straße\ny\n", "latin1"));
  });

  it.each([
    ["adding over a file", "file_exists", ["*** Add File: a", "+x"]],
    ["moving onto a file", "file_exists", ["*** Update File: a", "*** Move to: b", "@@", " one"]],
    ["deleting what is not there", "file_not_found", ["*** Delete File: none"]],
    [
      "changing what an earlier section deleted",
      "file_not_found",
      ["*** Delete File: a", "*** Update File: a", "@@", " one"],
    ],
    ["deleting a folder", "is_directory", ["*** Delete File: folder"]],
    ["changing a binary file", "binary_file", ["*** Update File: bin", "@@", "-x"]],
    ["deleting a link", "validation_failed", ["*** Delete File: link"]],
    ["a ~", "patch_invalid", ["*** Add File: ~/x", "+x"]],
  ])("K07 %s is refused, and nothing is changed", async (_, code, lines) => {
    await put("a", "one\n");
    await put("b", "two\n");
    await put("bin", Buffer.of(0, 1, 2, 3));
    await mkdir(at("folder"));
    await symlink("a", at("link"));
    expect(await failure(use("*** Add File: first", "+x", ...lines))).toMatchObject({ code });
    expect((await readdir(world.folder)).sort()).toEqual(["a", "b", "bin", "folder", "link"]);
    expect((await lstat(at("link"))).isSymbolicLink()).toBe(true);
    expect([await content("a"), await content("b")]).toEqual(["one\n", "two\n"]);
  });

  it("K07 a binary file can be deleted", async () => {
    await put("bin", Buffer.of(0, 1, 2, 3));
    await use("*** Delete File: bin");
    expect(await readdir(world.folder)).toEqual([]);
  });

  it("K07 the preview is the diff and writes nothing; half a patch has a title", async () => {
    await put("a", "one\n");
    const wish = { input: patch("*** Update File: a", "@@", "-one", "+1") };
    expect(await applyPatch.preview?.(wish, world.effectContext)).toMatchObject({ kind: "diff", added: 1, removed: 1 });
    expect(await content("a")).toBe("one\n");
    expect(applyPatch.describe?.({ input: "*** Begin Patch\n*** Update File: a\n@@" })).toMatchObject({
      title: "Patch a",
    });
    expect(applyPatch.describe?.({})).toEqual({ title: "Apply patch", activity: "Patching" });
  });
});
