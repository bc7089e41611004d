import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { Tool } from "@haft/core/tool";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, type World } from "../../../test/support/context.ts";
import { applyPatch } from "./apply-patch.ts";
import { edit } from "./edit.ts";
import { notebookEdit } from "./notebook-edit.ts";
import { write } from "./write.ts";

/** A block of the small file system; each step leaves one more free. */
const BLOCK = 4096;
const STEPS = 14;
const OLD = `${"old line of the file\n".repeat(500)}`;
const CELLS = JSON.stringify({
  cells: [{ cell_type: "code", id: "a", metadata: {}, execution_count: null, outputs: [], source: OLD }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});
const start: Readonly<Record<string, string>> = { "a.txt": OLD, "b.txt": OLD, "n.ipynb": CELLS };
const more = "a new line that is longer than the old one\n".repeat(300);
const patch = [
  "*** Begin Patch",
  "*** Update File: disk/a.txt",
  "@@",
  "-old line of the file",
  ...more
    .trimEnd()
    .split("\n")
    .map((line) => `+${line}`),
  " old line of the file",
  "*** Add File: disk/sub/c.txt",
  ...more
    .trimEnd()
    .split("\n")
    .map((line) => `+${line}`),
  "*** Delete File: disk/b.txt",
  "*** End Patch",
].join("\n");

const calls: readonly (readonly [name: string, tool: Tool<never, unknown>, input: object])[] = [
  ["Write of a new file", write as never, { file_path: "disk/sub/new.txt", content: more + more }],
  ["Edit", edit as never, { file_path: "disk/a.txt", old_string: `${OLD}`, new_string: more + more }],
  ["NotebookEdit", notebookEdit as never, { notebook_path: "disk/n.ipynb", cell_id: "a", new_source: more + more }],
  ["apply_patch", applyPatch as never, { input: patch }],
];

let world: World;
let isMounted = false;
const disk = () => `${world.folder}/disk`;

beforeAll(async () => {
  world = await createWorld();
  await mkdir(disk());
  isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=160k", "tmpfs", disk()]).status === 0;
});
afterAll(async () => {
  if (isMounted) spawnSync("umount", [disk()]);
  await world.close();
});

async function reset(): Promise<void> {
  for (const name of await readdir(disk())) await rm(`${disk()}/${name}`, { recursive: true });
  for (const [name, text] of Object.entries(start)) await writeFile(`${disk()}/${name}`, text);
}

/** Fills the disk until exactly so many blocks are free. */
async function leave(blocks: number): Promise<void> {
  for (let count = 0; ; count++) {
    const done = await writeFile(`${disk()}/filler-${count}`, Buffer.alloc(BLOCK)).then(
      () => true,
      () => false,
    );
    if (!done) {
      await rm(`${disk()}/filler-${count}`, { force: true });
      for (let index = count - 1; index >= Math.max(count - blocks, 0); index--) await rm(`${disk()}/filler-${index}`);
      return;
    }
  }
}

/** The names in a folder, folders too. */
async function files(): Promise<Record<string, string>> {
  const entries = (await readdir(disk(), { recursive: true, withFileTypes: true })).filter(
    (entry) => !entry.name.startsWith("filler-"),
  );
  return Object.fromEntries(
    await Promise.all(
      entries.map(async (entry) => {
        const path = `${entry.parentPath}/${entry.name}`;
        return [path.slice(disk().length + 1), entry.isFile() ? await readFile(path, "utf8") : "(a folder)"];
      }),
    ),
  );
}

describe("a disk that becomes full", () => {
  it.for(calls)(
    "K04 K05 K07 K08 at no moment does %s leave anything half done",
    { tags: ["smoke"] },
    async ([, tool, input], { skip }) => {
      if (!isMounted) skip("a small file system cannot be mounted here");
      await reset();
      await world.use(tool, input as never);
      const done = await files();
      let [refused, made] = [0, 0];
      for (let blocks = 0; blocks < STEPS; blocks++) {
        await reset();
        await leave(blocks);
        const error = await world.use(tool, input as never).then(
          () => undefined,
          (thrown: { code: string }) => thrown,
        );
        if (error) expect(error).toMatchObject({ code: "no_space", hint: expect.stringContaining("Free some space") });
        expect(await files()).toEqual(error ? start : done);
        if (error) refused += 1;
        else made += 1;
      }
      expect(refused).toBeGreaterThan(0);
      expect(made).toBeGreaterThan(0);
    },
  );
});
