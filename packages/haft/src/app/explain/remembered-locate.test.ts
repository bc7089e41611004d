import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFiles, createRipgrep } from "@haft/host";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rememberedLocate } from "./remembered-locate.ts";

let root: string;
const { locate } = createFiles({ ripgrep: createRipgrep() });

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-locate-")));
  mkdirSync(join(root, "folder", "deep"), { recursive: true });
  writeFileSync(join(root, "folder", "file"), "");
  symlinkSync("folder", join(root, "link"));
  symlinkSync("folder/deep", join(root, "inner"));
  symlinkSync("/nowhere/at/all", join(root, "dangling"));
});

afterAll(() => rmSync(root, { recursive: true }));

it.each([
  "/",
  ".",
  "folder",
  "folder/file",
  "folder/file/below",
  "folder/missing/deep/down",
  "link",
  "link/file",
  "link/missing",
  "link/../folder/./file",
  "inner/../file",
  "dangling",
  "dangling/below",
])("answers for %s as the file system does", async (name) => {
  const path = name === "/" ? name : `${root}/${name}`;
  const remembered = rememberedLocate(locate);
  expect(await remembered(path)).toEqual(await locate(path));
  expect(await remembered(path)).toEqual(await locate(path));
});

it("refuses what no file system can hold, as the port does", async () => {
  const remembered = rememberedLocate(locate);
  await expect(remembered("relative")).rejects.toThrow("absolute");
  await expect(remembered("/a\0b")).rejects.toThrow("NUL");
});
