import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFiles } from "../create-files.ts";

const files = createFiles();
let root: string;
beforeAll(async () => {
  root = await realpath(await mkdtemp(`${tmpdir()}/haft-locate-`));
  await mkdir(`${root}/real/deep`, { recursive: true });
  await writeFile(`${root}/real/file`, "x");
  await symlink("real", `${root}/link`);
  await symlink("../real/none/yet", `${root}/real/dangling`);
  await symlink("loop", `${root}/loop`);
  await symlink("there", `${root}/real/here`);
  await symlink("../link/here", `${root}/real/there`);
  await symlink("real/there", `${root}/into`);
  await symlink("real/deep", `${root}/inner`);
  await symlink("inner/../new", `${root}/above`);
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe("locate", () => {
  it.each([
    ["real/file", "real/file", "file"],
    ["link/file", "real/file", "file"],
    ["link/deep", "real/deep", "directory"],
    ["link/new/er", "real/new/er", "missing"],
    ["link/dangling", "real/none/yet", "missing"],
    ["link/dangling/below", "real/none/yet/below", "missing"],
    ["real/file/below", "real/file/below", "missing"],
    ["link/../link/./file", "real/file", "file"],
    ["inner/../file", "real/file", "file"],
    ["inner/..", "real", "directory"],
    ["inner/../new/er", "real/new/er", "missing"],
    ["inner/none/../../file", "real/file", "file"],
    ["real/none/../deep", "real/deep", "directory"],
    ["above", "real/new", "missing"],
    ["loop", "loop", "other"],
    ["loop/x", "loop/x", "other"],
    ["link/here", "real/here", "other"],
    ["real/there", "real/there", "other"],
    ["into", "real/there", "other"],
  ])("K01 %s is really %s, %s", async (name, path, kind) => {
    expect(await files.locate(`${root}/${name}`)).toEqual({ path: `${root}/${path}`, kind });
  });

  it("K01 the root, a device", async () => {
    expect(await files.locate("/")).toEqual({ path: "/", kind: "directory" });
    expect(await files.locate("/dev/null")).toEqual({ path: "/dev/null", kind: "other" });
    expect(await files.locate("/no-such-root-entry")).toEqual({ path: "/no-such-root-entry", kind: "missing" });
  });

  it("K01 a relative path is an error", async () => {
    await expect(files.locate("a")).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("K12 stat does not follow the last link", async () => {
    expect(await files.stat(`${root}/link`)).toMatchObject({ kind: "symlink" });
    expect(await files.stat(`${root}/real/file`)).toMatchObject({ kind: "file", size: 1 });
    expect(await files.stat(`${root}/none`)).toBeUndefined();
  });

  it("K02 bytes gives a part", async () => {
    await writeFile(`${root}/bytes`, "0123456789");
    expect(Buffer.from(await files.bytes(`${root}/bytes`, { start: 2, end: 5 })).toString()).toBe("234");
    expect(Buffer.from(await files.bytes(`${root}/bytes`, { start: 8 })).toString()).toBe("89");
  });

  it("K01 a text over the limit is refused with the cure", async () => {
    await expect(files.text(`${root}/bytes`, { maxBytes: 5 })).rejects.toMatchObject({ code: "file_too_large" });
  });

  it("G13 asks anew every time: a link or a folder that is swapped is seen at once", async () => {
    const name = `${root}/swapped`;
    await symlink("real/file", name);
    expect((await files.locate(name)).path).toBe(`${root}/real/file`);
    await rm(name);
    await symlink("real/deep", name);
    expect(await files.locate(name)).toEqual({ path: `${root}/real/deep`, kind: "directory" });
    expect((await files.locate(`${name}/x`)).path).toBe(`${root}/real/deep/x`);
    await rm(name);
    await symlink("real", name);
    expect((await files.locate(`${name}/x`)).path).toBe(`${root}/real/x`);
    await rm(name);
    expect(await files.locate(name)).toEqual({ path: name, kind: "missing" });
  });
});
