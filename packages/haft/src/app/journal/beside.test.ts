import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { afterEach, describe, expect, it } from "vitest";
import { viewWorks } from "../../../../journal/test/support/view.ts";
import { createHaft } from "../create-haft.ts";

const OTHER = "/dev/shm";
const isElsewhere = existsSync(OTHER) && statSync(OTHER).dev !== statSync(tmpdir()).dev;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A workspace on another file system than its state. */
function apart() {
  const [base, home] = [OTHER, tmpdir()].map((at) => realpathSync(mkdtempSync(join(at, "haft-beside-"))));
  folders.push(base!, home!);
  const cwd = join(base!, "work");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a"), "one\n");
  const settings = { settings: false, mode: "bypassPermissions" } as const;
  const open = () => createHaft({ cwd, home: home!, stateDir: join(home!, "state"), env: {}, ...settings });
  return { open, beside: () => readdirSync(base!).filter((name) => name !== "work") };
}

describe.skipIf(!isElsewhere || !viewWorks("user"))("a workspace on another disk than its state", () => {
  it("W05 no folder stays beside it once it is empty; a held or recorded change keeps it", async () => {
    const { open, beside } = apart();
    const during = async (act: (haft: Awaited<ReturnType<typeof open>>) => Promise<unknown>) => {
      await using haft = await open();
      await act(haft);
    };
    await during((haft) => haft.call("Bash", { command: "echo two > a; mkdir d; echo x > d/x" }));
    expect(beside()).toEqual([]);
    await during((haft) => haft.undo());
    expect(beside()).toEqual([]);
    // It runs out of time: what it changed is held.
    const late = { command: "echo three > a; sleep 20", timeout: 300 };
    await during((haft) => haft.call("Bash", late));
    expect(beside()).toHaveLength(1);
    await during(async (haft) => {
      const [id] = contentsText((await haft.call("Bash", late)).content).match(/[0-9a-z]+-[0-9a-f]{10}/) ?? [];
      const input = { action: "discard", id: id ?? "none" };
      expect((await haft.call("HeldChanges", input)).error).toBeUndefined();
    });
    // Changes that another session holds stay when this one discards its own.
    expect(beside()).toHaveLength(1);
  });
});
