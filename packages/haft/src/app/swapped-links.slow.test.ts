import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-swapped-")));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Makes a file and a folder of the workspace what they are and links that lead out of it, in turns, as fast as it can. */
const SWAPPER = `
const { renameSync, symlinkSync, writeFileSync } = require("node:fs");
const [ws, outside] = process.argv.slice(1);
// The tools make and remove things here as well.
const each = (...steps) => { for (const step of steps) try { step() } catch {} };
const end = Date.now() + 8000;
for (let turn = 0; Date.now() < end; turn++) {
  each(
    () => symlinkSync(outside + "/file.txt", ws + "/hold/link"),
    () => renameSync(ws + "/hold/link", ws + "/file.txt"),
    () => renameSync(ws + "/folder", ws + "/hold/real" + turn),
    () => renameSync(ws + "/hold/out", ws + "/folder"),
  );
  for (let wait = turn % 7 * 20000; wait > 0; wait--);
  each(
    () => writeFileSync(ws + "/hold/file", "inside NEEDLE\\n"),
    () => renameSync(ws + "/hold/file", ws + "/file.txt"),
    () => renameSync(ws + "/folder", ws + "/hold/out"),
    () => renameSync(ws + "/hold/real" + turn, ws + "/folder"),
  );
  for (let wait = turn % 5 * 20000; wait > 0; wait--);
}
`;

const patch = (...lines: string[]) => ({ input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });

const CALLS: readonly (readonly [tool: string, input: Record<string, unknown>])[] = [
  ["Read", { file_path: "file.txt" }],
  ["Read", { file_path: "folder/file.txt" }],
  ["Ls", { path: "folder" }],
  ["Glob", { pattern: "**/*" }],
  ["Glob", { pattern: "folder/**" }],
  ["Grep", { pattern: "NEEDLE", output_mode: "content" }],
  ["Grep", { pattern: "NEEDLE", output_mode: "content", path: "file.txt" }],
  ["Grep", { pattern: "NEEDLE", path: "folder" }],
  ["Grep", { pattern: "NEEDLE", output_mode: "count" }],
  ["ReadManyFiles", { paths: ["file.txt", "folder", "**/*.txt"] }],
  ["Edit", { file_path: "file.txt", old_string: "inside", new_string: "inside " }],
  ["Write", { file_path: "folder/new/er/file.txt", content: "written\n" }],
  ["apply_patch", patch("*** Add File: folder/added.txt", "+added")],
  ["apply_patch", patch("*** Delete File: folder/added.txt")],
];

/** Rounds of all calls, and successes that show that the swapper leaves time for them. */
const [ROUNDS, ENOUGH] = [40, 50];

it("G11 K01 names that are swapped for links while tools work lead none of them out of the workspace", {
  tags: ["smoke"],
  timeout: 120_000,
}, async () => {
  const ws = join(base, "work");
  const outside = join(base, "outside");
  for (const folder of [join(ws, "hold"), join(ws, "folder"), outside]) mkdirSync(folder, { recursive: true });
  for (const name of ["file.txt", "SECRET.txt"]) writeFileSync(join(outside, name), "SECRET NEEDLE\n");
  for (const name of ["file.txt", "folder/file.txt"]) writeFileSync(join(ws, name), "inside NEEDLE\n");
  symlinkSync(outside, join(ws, "hold/out"));
  await using haft = await createHaft({
    ...{ cwd: ws, home: join(base, "home"), stateDir: join(base, "state"), settings: false, loopGuard: false },
    env: { PATH: process.env.PATH ?? "" },
    mode: "acceptEdits",
    ask: async () => ({ behavior: "deny" }),
  });
  const swapper = spawn(process.execPath, ["-e", SWAPPER, ws, outside], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise((resolve) => swapper.once("close", resolve));
  let succeeded = 0;
  try {
    for (let round = 0; round < ROUNDS || succeeded <= ENOUGH; round++) {
      const results = await Promise.all(CALLS.map(([tool, input]) => haft.call(tool, input)));
      for (const [index, { content, display, error }] of results.entries()) {
        expect(JSON.stringify({ content, display, error }), JSON.stringify(CALLS[index])).not.toContain("SECRET");
        if (!error) succeeded += 1;
      }
    }
  } finally {
    swapper.kill();
    await ended;
  }
  expect(readdirSync(outside).sort()).toEqual(["SECRET.txt", "file.txt"]);
  expect(readFileSync(join(outside, "file.txt"), "utf8")).toBe("SECRET NEEDLE\n");
});
