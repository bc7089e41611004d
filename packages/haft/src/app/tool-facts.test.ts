import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { contentsText, staticTraits } from "@haft/core/tool";
import { builtinTools } from "@haft/tools";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";

let base: string;
let haft: Awaited<ReturnType<typeof createHaft>>;
beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-facts-")));
  haft = await createHaft({
    cwd: base,
    home: base,
    stateDir: join(base, "state"),
    settings: false,
    env: {},
    rules: { allow: ["Bash"] },
  });
});
afterAll(async () => {
  await haft[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

const print = (count: number) => haft.call("Bash", { command: `printf %0${count}d 7` });

it("H10 the model reads 30,000 characters of a command, and of one more the path to all of them", async () => {
  const whole = await print(30_000);
  expect([whole.spilled, contentsText(whole.content).length]).toEqual([undefined, 30_000]);
  expect((await print(30_001)).spilled).toBeDefined();
});

it("H11 a result that is kept is its user's alone", async () => {
  const { path } = (await print(30_001)).spilled!;
  expect(statSync(path).size).toBe(30_001);
  expect([path, dirname(path)].map((place) => statSync(place).mode & 0o777)).toEqual([0o600, 0o700]);
});

it("P09 a tool that looks is read-only by its static bound, and a tool that changes something is not", async () => {
  const isReadOnly = Object.fromEntries(
    (await builtinTools()).map(({ name, can }) => [name, staticTraits(can).isReadOnly]),
  );
  const looks = ["Glob", "Grep", "Ls", "Read", "ReadManyFiles"];
  const changes = ["Bash", "Edit", "NotebookEdit", "TodoWrite", "Write", "apply_patch"];
  for (const name of looks) expect([name, isReadOnly[name]]).toEqual([name, true]);
  for (const name of changes) expect([name, isReadOnly[name]]).toEqual([name, false]);
});
