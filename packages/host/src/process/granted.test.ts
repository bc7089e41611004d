import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bound, type RunRequest, run } from "@haft/core/tool";
import { createJobs } from "@haft/service/jobs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createProcesses } from "./index.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-granted-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SCRIPT = { command: "touch ran", env: { A: "1", B: "2" } };
const OTHERS: readonly Pick<RunRequest, "command" | "env">[] = [
  { ...SCRIPT, command: "touch ran " },
  { ...SCRIPT, env: { A: "1" } },
  { ...SCRIPT, env: { A: "1", B: "2", BASH_ENV: "x" } },
  { command: SCRIPT.command },
];

it("G15 a shell gets the script that its grant names, with variables of these names, and no other", async () => {
  const processes = createProcesses();
  const jobs = createJobs();
  const command = run({ argv: ["touch", "ran"], text: "touch ran", cwd: folder });
  const bound: Bound = { effects: [{ ...command, script: processes.digest(SCRIPT) }], holes: [] };
  try {
    for (const other of OTHERS)
      for (const start of [processes.run, jobs.start])
        await expect(start({ ...other, cwd: folder, bound })).rejects.toMatchObject({ code: "conflict" });
    expect(existsSync(join(folder, "ran"))).toBe(false);
    await processes.run({ command: SCRIPT.command, env: { B: "", A: "" }, cwd: folder, bound });
    expect(existsSync(join(folder, "ran"))).toBe(true);
  } finally {
    await Promise.all([processes.close(), jobs.close()]);
  }
});
