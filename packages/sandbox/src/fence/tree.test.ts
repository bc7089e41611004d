import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTreeReader } from "./index.ts";
import { SMALL_TREE } from "./tree.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-tree-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));
const fill = (count: number) => {
  for (let index = 0; index < count; index++) mkdirSync(join(root, `d${index}`));
};
const secretsOf = async (reading: ReturnType<ReturnType<typeof createTreeReader>["read"]>) =>
  (await reading).secrets.map(({ path }) => path.slice(root.length));

describe("a tree that is read again and again", () => {
  it("G15 is the same object while nothing changes, and exact as soon as something does", async () => {
    fill(20);
    await wait(120);
    const trees = createTreeReader();
    const first = await trees.read(root, { maxAgeMs: 60_000 });
    expect(await trees.read(root, { maxAgeMs: 60_000 })).toBe(first);
    writeFileSync(join(root, "d7", ".env"), "");
    expect(await secretsOf(trees.read(root, { maxAgeMs: 60_000 }))).toEqual(["/d7/.env"]);
    rmSync(join(root, "d7"), { recursive: true });
    expect(await secretsOf(trees.read(root))).toEqual([]);
  });

  it("G15 a tree of very many folders may be a moment old for a reader, and never for a writer", async () => {
    fill(SMALL_TREE + 1);
    const trees = createTreeReader();
    const first = await trees.read(root);
    writeFileSync(join(root, "d7", ".env"), "");
    expect(await trees.read(root, { maxAgeMs: 60_000 })).toBe(first);
    expect(await secretsOf(trees.read(root))).toEqual(["/d7/.env"]);
    writeFileSync(join(root, "d8", ".env"), "");
    // It is looked at again meanwhile, so the next one knows.
    await trees.read(root, { maxAgeMs: 60_000 });
    await wait(300);
    expect(await secretsOf(trees.read(root, { maxAgeMs: 60_000 }))).toEqual(["/d7/.env", "/d8/.env"]);
    writeFileSync(join(root, "d9", ".env"), "");
    expect(await secretsOf(trees.read(root, { maxAgeMs: 0 }))).toHaveLength(3);
  });
});
