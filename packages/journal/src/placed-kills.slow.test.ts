import { spawnSync } from "node:child_process";
import { linkSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { type Bench, benches, stateOf } from "../test/support/journal.ts";
import { CHANGING_CALLS } from "../test/support/placed-kill.ts";
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

/** Every change of type, changes beside them, and names of one file that come and go. */
const SCRIPT = [
  "rm f1; mkdir f1; echo in > f1/in; chmod 750 f1",
  "rm -r d1; echo file > d1",
  "rm -r d2; ln -s f4 d2",
  "rm l1; mkdir l1; echo in > l1/in",
  "rm l2; echo file > l2",
  "rm f2; ln -s f4 f2",
  "rm f3; echo new >> f4; rm -r d3; mkdir d4",
  "rm h2; ln h1 h4; chmod 600 h1; rm h3; mkdir h3; ln f4 h5",
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
  writeFileSync(join(root, "h1"), "old h1\n");
  for (const name of ["h2", "h3"]) linkSync(join(root, "h1"), join(root, name));
  const before = stateOf(root);
  const request = { command: SCRIPT, cwd: root };
  const call = { id: "c1", tool: "Bash", turn: 1, session: "s1" };
  const { openJournal } = await import("./index.ts");
  const { createCapture } = await import("./capture.ts");
  const { createProcesses } = await import("@haft/host/process");
  const capture = createCapture();
  const own = openJournal({ folder: bench.folder, root, capture });
  const processes = createProcesses({ around: capture.around });
  await own.command(call, request, processes.run, async () => ({ do: "hold", why: "a test" }));
  own.close();
  const [held] = await journal.held();
  return { ...bench, held: held?.id ?? "", before, after: "" };
}

/** Kills a process that applies the changes, or one that takes them back. */
async function killAt(call: string, when: number, work: "a commit" | "an undo" = "a commit"): Promise<boolean> {
  const { root, folder, held, before, reopen, journal: own } = await prepared();
  if (work === "an undo") await own.commitHeld(held);
  const inject = `inject=${call}:signal=SIGKILL:when=${when}`;
  const node = [process.execPath, "--conditions=haft-source", committer, root, folder, work === "an undo" ? "" : held];
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
  if (undone !== "validation_failed") {
    expect(undone, where).toMatchObject({ losses: [], kept: [] });
    expect(left, where).toEqual([]);
  } else expect(left.length, where).toBe(work === "an undo" ? 0 : 1);
  expect(stateOf(root), where).toBe(before);
  expect(new Set(["h1", "h2", "h3"].map((name) => lstatSync(join(root, name)).ino)).size, where).toBe(1);
  if (wasKilled) kills += 1;
  return wasKilled;
}

describe.skipIf(!canTrace)("work that is killed at one system call", () => {
  it("L01 F30 a commit loses no path whose type it changes", {
    tags: ["smoke"],
    timeout: patience(30_000),
  }, async () => {
    expect(await killAt("mkdir", 1)).toBe(true);
  });

  it("L01 F30 an undo loses no path whose type it changes", {
    tags: ["smoke"],
    timeout: patience(30_000),
  }, async () => {
    expect(await killAt("rename", 2, "an undo")).toBe(true);
  });

  it.each(CHANGING_CALLS.flatMap((call) => [["a commit", call] as const, ["an undo", call] as const]))(
    "L01 %s that is killed at %s loses no path, and says nothing else",
    { timeout: patience(60_000 + CALLS * 30_000) },
    async (work, call) => {
      for (let when = 1; when <= CALLS; when++) if (!(await killAt(call, when, work))) break;
    },
  );
});
