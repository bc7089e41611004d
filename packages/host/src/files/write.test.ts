import { spawn, spawnSync } from "node:child_process";
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFiles } from "../create-files.ts";

const files = createFiles();
let folder: string;
const at = (name: string) => `${folder}/${name}`;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(`${tmpdir()}/haft-write-`));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("write", () => {
  it("K04 tells hash and size of what is on disk, and the folders that it made", async () => {
    const written = await files.write(at("a"), "héllo");
    expect(written).toEqual({ hash: (await files.text(at("a"))).hash, bytes: 6, folders: [] });
    expect((await files.write(at("new/er/a"), "x")).folders).toEqual([at("new"), at("new/er")]);
    expect((await files.write(at("new/er/b"), "x")).folders).toEqual([]);
  });

  it("K04 many writers at once into a folder that does not exist yet all succeed", async () => {
    for (let round = 0; round < 20; round++) {
      const names = Array.from({ length: 6 }, (_, index) => at(`${round}/deep/${index}`));
      const made = await Promise.all(names.map((name) => files.write(name, "x")));
      expect(made.flatMap(({ folders = [] }) => folders).sort()).toEqual([at(`${round}`), at(`${round}/deep`)]);
    }
  });

  it("K07 with a file that is removed go those named folders that are empty then, however they are named", async () => {
    const { folders = [] } = await files.write(at("new/er/a"), "x");
    await files.write(at("new/b"), "x");
    await files.remove(at("new/er/a"), { folders: folders.toReversed() });
    expect(await readdir(at("new"))).toEqual(["b"]);
    await rm(at("new"), { recursive: true });
    await mkdir(at("elsewhere/er"), { recursive: true });
    await symlink("elsewhere", at("new"));
    await files.write(at("a"), "x");
    await expect(files.remove(at("a"), { folders })).rejects.toMatchObject({ code: "conflict" });
    expect(await readdir(at("elsewhere"))).toEqual(["er"]);
  });

  it("K04 replaces only what it expects", async () => {
    const { hash } = await files.write(at("a"), "one");
    await expect(files.write(at("a"), "two", { expect: "0".repeat(64) })).rejects.toMatchObject({
      code: "file_changed",
    });
    await expect(files.write(at("a"), "two", { expect: "absent" })).rejects.toMatchObject({ code: "file_exists" });
    await expect(files.write(at("gone"), "x", { expect: hash })).rejects.toMatchObject({ code: "file_changed" });
    expect(await readFile(at("a"), "utf8")).toBe("one");
    await files.write(at("a"), "two", { expect: hash });
    expect(await readdir(folder)).toEqual(["a"]);
  });

  it("K04 one of many who create the same file wins, and the others are told", async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => files.write(at("new"), `writer ${index}`, { expect: "absent" })),
    );
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "file_exists" });
    expect(await readdir(folder)).toEqual(["new"]);
  });

  it("K04 readers see the old file or the new one, never a part", async () => {
    const sizes = [100_000, 200_000];
    await files.write(at("a"), "x".repeat(100_000));
    let isDone = false;
    const reading = (async () => {
      while (!isDone) expect(sizes).toContain((await readFile(at("a"))).length);
    })();
    for (let round = 0; round < 30; round++) await files.write(at("a"), "x".repeat(sizes[round % 2] ?? 0));
    isDone = true;
    await reading;
  });

  it("K04 a killed writer leaves a whole file", async () => {
    await writeFile(at("a"), "old".repeat(1_000_000));
    const script = `const { createFiles } = await import(${JSON.stringify(new URL("../create-files.ts", import.meta.url).href)});
      const files = createFiles();
      for (let i = 0; ; i++) await files.write(${JSON.stringify(at("a"))}, String(i % 10).repeat(3_000_000));`;
    const child = spawn(process.execPath, ["--conditions=haft-source", "--input-type=module", "-e", script], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let trouble = "";
    child.stderr.on("data", (chunk: Buffer) => {
      trouble += chunk.toString();
    });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    const old = await readFile(at("a"), "utf8");
    while ((await readFile(at("a"), "utf8")) === old && child.exitCode === null) await setTimeout(10);
    expect(child.exitCode, trouble).toBeNull();
    child.kill("SIGKILL");
    await exited;
    const text = await readFile(at("a"), "utf8");
    expect(text).toHaveLength(3_000_000);
    expect(text).not.toBe(old);
    expect(new Set(text).size).toBe(1);
  });

  it("K04 keeps mode and owner", async () => {
    await writeFile(at("a"), "x");
    await chmod(at("a"), 0o640);
    await files.write(at("a"), "y");
    expect((await stat(at("a"))).mode & 0o777).toBe(0o640);
  });

  it("K04 follows links, also one that points at nothing yet", async () => {
    await mkdir(at("real"));
    await symlink("real", at("folder-link"));
    await symlink("real/later", at("dangling"));
    await files.write(at("folder-link/a"), "1");
    await files.write(at("dangling"), "2");
    expect(await readFile(at("real/a"), "utf8")).toBe("1");
    expect(await readFile(at("real/later"), "utf8")).toBe("2");
  });

  it("K04 does not reach another name of the same file through a hard link", async () => {
    await writeFile(at("a"), "shared");
    await link(at("a"), at("b"));
    await files.write(at("a"), "own");
    expect(await readFile(at("b"), "utf8")).toBe("shared");
  });

  it.each([
    ["a folder", "is_directory", async () => mkdir(at("x"))],
    ["a path through a file", "not_directory", async () => writeFile(at("x"), "")],
  ])("K04 %s is %s", async (what, code, make) => {
    await make();
    const target = what === "a folder" ? at("x") : at("x/y/z");
    await expect(files.write(target, "data")).rejects.toMatchObject({ code });
    expect(await readdir(folder)).toEqual(["x"]);
  });

  it("K04 a name that is too long, a NUL and a relative path are refused", async () => {
    await expect(files.write(at("n".repeat(300)), "x")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(files.write(at("a\0b"), "x")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(files.write("relative", "x")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(files.write("/proc/haft-cannot/exist", "x")).rejects.toMatchObject({
      code: expect.stringMatching(/^(file_not_found|permission_denied)$/),
    });
  });

  it.skipIf(process.geteuid?.() !== 0)("K04 tells who owned an old file if the new one has another owner", async () => {
    await files.write(at("a"), "old");
    await chmod(at("a"), 0o666);
    await chmod(folder, 0o777);
    process.seteuid?.(54_321);
    try {
      expect(await files.write(at("a"), "new")).toMatchObject({ lostOwner: 0 });
    } finally {
      process.seteuid?.(0);
    }
    expect(await files.write(at("a"), "newer")).not.toHaveProperty("lostOwner");
    expect((await stat(at("a"))).uid).toBe(54_321);
  });

  it("K04 a full disk changes nothing and leaves nothing", async (test) => {
    const disk = at("disk");
    await mkdir(disk);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk]);
    if (mounted.status !== 0) return test.skip("a small file system cannot be mounted here");
    try {
      await files.write(`${disk}/a`, "old");
      await expect(files.write(`${disk}/a`, "x".repeat(1_000_000))).rejects.toMatchObject({ code: "no_space" });
      expect(await readFile(`${disk}/a`, "utf8")).toBe("old");
      expect(await readdir(disk)).toEqual(["a"]);
    } finally {
      spawnSync("umount", [disk]);
    }
  });
});
