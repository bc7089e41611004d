import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { scriptKills } from "../../test/support/script-kills.ts";

const PROGRAM = join(import.meta.dirname, "../../test/support/repl-process.ts");
const CALLS = 4;
/** Its course depends on time, chance and the order of answers. */
const CODE = `
  const done = [];
  const line = (name) => name + Math.floor(Math.random() * 1e6);
  const first = await Promise.all(["a", "b"].map((name) => tools.Step({ line: line(name) }).then((text) => (done.push(text), text))));
  for (const name of ["c", "d"]) {
    try { done.push(await tools.Step({ line: line(name) })); } catch (error) { done.push(error.name); }
  }
  console.log(done.join(), Date.now());
`;

function run(folder: string, ...args: string[]) {
  const all = ["--conditions=haft-source", "--disable-warning=ExperimentalWarning", PROGRAM, folder, ...args];
  const { stdout, signal, stderr } = spawnSync(process.execPath, all, { encoding: "utf8" });
  return { text: stdout.trim(), signal, stderr };
}
const linesIn = (folder: string): string[] => readFileSync(join(folder, "lines.txt"), "utf8").trim().split("\n");

async function inFolder(work: (folder: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "haft-repl-kill-"));
  try {
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("L06 a script that a kill interrupts", () => {
  for (let at = 1; at <= CALLS; at += 1)
    it(
      `L06 goes on where it stopped before call ${at}, with each effect once`,
      { tags: at === 3 ? ["smoke"] : [] },
      () =>
        inFolder((folder) => {
          expect(run(folder, CODE, "before", String(at)).signal).toBe("SIGKILL");
          expect(run(folder, "1 + 1").text).toMatch(/^conflict: .*interrupted/);
          const { text, stderr } = run(folder, "-");
          const lines = linesIn(folder);
          expect(
            lines.map((line) => line[0]),
            stderr,
          ).toEqual(["a", "b", "c", "d"]);
          // The same result as without a kill: every line that it made, and the time at which it began.
          expect(text.split(" ")[0]).toBe(
            lines
              .map((line) => `did ${line}`)
              .join()
              .split(" ")[0],
          );
          for (const line of lines) expect(text).toContain(`did ${line}`);
        }),
    );

  it("L06 does not repeat a call that was killed inside: the script learns that its outcome is unknown", () =>
    inFolder((folder) => {
      expect(run(folder, CODE, "inside", "3").signal).toBe("SIGKILL");
      const { text } = run(folder, "-");
      expect(linesIn(folder).map((line) => line[0])).toEqual(["a", "b", "c", "d"]);
      expect(text).toContain("interrupted");
    }));

  it("L06 random scripts, killed before and inside each call, repeat no effect and have the same result", {
    timeout: patience(120_000),
  }, async () => {
    const seeds = Array.from({ length: Number(process.env.HAFT_SCRIPTS ?? 5) }, (_, seed) => seed);
    const { kills, unknown, ...wrong } = await scriptKills(seeds);
    expect(unknown).toBeLessThan(kills);
    expect(kills).toBeGreaterThan(seeds.length * 4);
    expect(wrong).toEqual({ doubled: 0, lost: 0, different: 0 });
  });

  it("L06 variables outlive the process", () =>
    inFolder((folder) => {
      expect(run(folder, "let total = 40; await tools.Step({ line: 'x' }); total").text).toBe("=> 40");
      expect(run(folder, "total + 2").text).toBe("=> 42");
      expect(linesIn(folder)).toEqual(["x"]);
    }));
});
