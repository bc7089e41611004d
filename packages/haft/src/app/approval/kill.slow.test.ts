import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const PROGRAM = join(import.meta.dirname, "../../../test/support/approval-process.ts");
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-approval-kill-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(id: string, when: "after-yes" | "inside" | "never") {
  const args = ["--conditions=haft-source", "--disable-warning=ExperimentalWarning", PROGRAM, folder, id, when];
  const { stdout, signal } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return signal ?? stdout.trim();
}
const lines = () => (existsSync(join(folder, "lines.txt")) ? readFileSync(join(folder, "lines.txt"), "utf8") : "");

it("F11 a kill between the yes and the start leaves the yes usable, once", { tags: ["smoke"], timeout: 60_000 }, () => {
  expect(run("c1", "after-yes")).toBe("SIGKILL");
  expect(lines()).toBe("");
  // Again, with another id: the yes is bound to what was shown, and still not used up.
  expect(run("c2", "after-yes")).toBe("SIGKILL");
  expect([run("c3", "never"), lines()]).toEqual(["done", "ran\n"]);
  expect([run("c4", "never"), lines()]).toEqual(["needs_approval", "ran\n"]);
});

it("F11 a kill after the start has used the yes up: a replay of the call is refused", { timeout: 60_000 }, () => {
  expect([run("c1", "inside"), lines()]).toEqual(["SIGKILL", "ran\n"]);
  expect([run("c1", "never"), lines()]).toEqual(["needs_approval", "ran\n"]);
});
