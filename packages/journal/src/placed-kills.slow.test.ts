import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Bench, benches, stateOf } from "../test/support/journal.ts";
import { viewWorks } from "../test/support/view.ts";

/** `HAFT_PLACED=20` is the full size: the first so many calls of each kind. */
const CALLS = Number(process.env.HAFT_PLACED ?? 3);
const committer = join(import.meta.dirname, "../test/support/journal-committer.ts");
const canTrace = spawnSync("strace", ["-V"]).status === 0 && viewWorks("user");
const fresh = benches();
let kills = 0;
afterAll(() => {
  if (process.env.HAFT_PLACED) process.stderr.write(`Placed kills: ${kills}\n`);
});

/** Every change of type, and changes beside them. */
const SCRIPT = [
  "rm f1; mkdir f1; echo in > f1/in; chmod 750 f1",
  "rm -r d1; echo file > d1",
  "rm -r d2; ln -s f4 d2",
  "rm l1; mkdir l1; echo in > l1/in",
  "rm l2; echo file > l2",
  "rm f2; ln -s f4 f2",
  "rm f3; echo new >> f4; rm -r d3; mkdir d4",
].join("; ");

async function prepared(): Promise<Bench & { readonly held: string; readonly before: string; readonly after: string }> {
  const bench = fresh();
  const { root, journal } = bench;
  for (const name of ["f1", "f2", "f3", "f4"]) writeFileSync(join(root, name), `old ${name}\n`);
  for (const name of ["d1", "d2", "d3"]) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, "x"), `old ${name}\n`);
  }
  for (const name of ["l1", "l2"]) symlinkSync("f4", join(root, name));
  const before = stateOf(root);
  const request = { command: SCRIPT, cwd: root };
  const call = { id: "c1", tool: "Bash", turn: 1, session: "s1" };
  const { createCapture, openJournal } = await import("./index.ts");
  const { createProcesses } = await import("@haft/host");
  const capture = createCapture();
  const own = openJournal({ folder: bench.folder, root, capture });
  const processes = createProcesses({ around: capture.around });
  await own.command(call, request, processes.run, async () => ({ do: "hold", why: "a test" }));
  own.close();
  const [held] = await journal.held();
  return { ...bench, held: held?.id ?? "", before, after: "" };
}

async function killAt(call: string, when: number): Promise<boolean> {
  const { root, folder, held, before, reopen } = await prepared();
  const inject = `inject=${call}:signal=SIGKILL:when=${when}`;
  const node = [process.execPath, "--conditions=haft-source", committer, root, folder, held];
  const ran = spawnSync("strace", ["-f", "-o", "/dev/null", "-e", `trace=${call}`, "-e", inject, ...node], {
    encoding: "utf8",
    timeout: 60_000,
  });
  const wasKilled = ran.signal === "SIGKILL" || ran.status === 137;
  if (!wasKilled) expect(ran.stderr).toBe("");
  const journal = reopen();
  // A change that had begun is completed; the others stay held.
  const left = await journal.held();
  const undone = await journal.undo({ all: true }).catch(({ code }: { code: string }) => code);
  const where = `${call} ${when}`;
  if (undone !== "validation_failed") expect(undone, where).toMatchObject({ losses: [], kept: [] });
  else expect(left.length, where).toBe(1);
  expect(stateOf(root), where).toBe(before);
  if (wasKilled) kills += 1;
  return wasKilled;
}

describe.skipIf(!canTrace)("a commit that is killed at one system call", () => {
  it("L01 F30 loses no path whose type it changes", { tags: ["smoke"], timeout: 60_000 }, async () => {
    expect(await killAt("mkdir", 1)).toBe(true);
  });

  it.each(["mkdir", "rename", "unlink", "rmdir", "chmod", "link", "symlink"])(
    "L01 at %s loses no path, and says nothing else",
    { timeout: 60_000 + CALLS * 30_000 },
    async (call) => {
      for (let when = 1; when <= CALLS; when++) if (!(await killAt(call, when))) break;
    },
  );
});
