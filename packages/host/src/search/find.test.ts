import { mkdir, mkdtemp, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFiles } from "./find.ts";
import { createRipgrep } from "./ripgrep.ts";

const FILES = 2500;
let folder: string;
/** Paths by age, newest first; several share a time. */
const order: { path: string; time: number }[] = [];

beforeAll(async () => {
  folder = await realpath(await mkdtemp(`${tmpdir()}/haft-find-`));
  for (let index = 0; index < 10; index++) await mkdir(`${folder}/d${index}`);
  for (let index = 0; index < FILES; index++) {
    const path = `${folder}/d${index % 10}/f${index}.txt`;
    const time = 1_000_000 + ((index * 7919) % 1200);
    await writeFile(path, "");
    await utimes(path, time, time);
    order.push({ path, time });
  }
  order.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1));
}, 30_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the newest of many files", () => {
  it("K09 are the same as when all are sorted and then cut, with ripgrep and without", async () => {
    const engines = [createRipgrep({ workspace: folder }), undefined] as const;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1200 }), fc.constantFrom(...engines), async (limit, engine) => {
        const found = await findFiles({ root: folder, pattern: "**/*.txt", limit }, engine);
        expect(found.total).toBe(FILES);
        expect(found.paths).toEqual(order.slice(0, limit).map(({ path }) => path));
      }),
      { numRuns: 8 },
    );
  });
});
