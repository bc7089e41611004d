import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { ClosingLine } from "./test/support/closing-line.ts";
import { QuickFiles } from "./test/support/quick-files.ts";

// Tests read the sources of every package, so a test run never depends on a stale dist.
const conditions = ["haft-source"];
const elsewhere = ["**/node_modules/**", "**/dist/**"];
const tests = (ending: string) => ["packages", "test"].map((folder) => `${folder}/**/*${ending}`);

const project = (test: TestProjectInlineConfiguration["test"]): TestProjectInlineConfiguration => ({
  extends: true,
  test,
});
// Quick files share workers, so that modules are loaded once. `restore.ts` undoes what a file does to its process.
const quick = project({
  ...{
    name: "quick",
    include: tests(".test.ts"),
    exclude: [...elsewhere, "**/*.{slow,alone}.test.ts"],
    isolate: false,
  },
});
// Files that count what their process holds: timers, open files, programs.
const alone = project({ name: "alone", include: tests(".alone.test.ts"), exclude: elsewhere });
const slow = { include: tests(".slow.test.ts"), exclude: elsewhere };
// `npm test` does not install test/peers.
const smoke = { include: slow.include, exclude: [...elsewhere, "**/*.peers.slow.test.ts"] };
// Vitest takes the filter from a project, though its types know it for the command line only.
const onlySmoke: object = { tagsFilter: ["smoke"] };

/** `npm test` runs what is quick, and of each slow file the cases that are tagged `smoke`. */
export default defineConfig(({ mode }) => {
  const quickFiles = new QuickFiles();
  const isFull = mode === "full" || process.argv.some((word) => word.includes(".slow."));
  return {
    resolve: { conditions },
    ssr: { resolve: { conditions, externalConditions: conditions } },
    test: {
      pool: "forks",
      // Vitest leaves one core free by default: half of a machine with two. Slow files often wait for programs.
      maxWorkers: availableParallelism() * (isFull ? 2 : 1),
      setupFiles: ["./test/support/restore.ts", ...(process.env.CI ? ["./test/support/seed.ts"] : [])],
      // Only a test that hangs takes as long, also on a machine that does ten other things.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 30_000 } },
      // Many cases start programs on a busy machine. CI repeats a failed case once, and the last lines name it.
      retry: process.env.CI ? 1 : 0,
      tags: [{ name: "smoke", description: "Runs in `npm test`, although its file is slow." }],
      env: { HAFT_RUNS: process.env.HAFT_RUNS ?? (isFull ? "1" : "0.1") },
      // A full run shares the machine with the slow files, so it does not judge how quick the others are.
      reporters: isFull ? ["default", new ClosingLine()] : ["default", quickFiles, new ClosingLine(quickFiles)],
      projects: [quick, alone, project(isFull ? { name: "slow", ...slow } : { name: "smoke", ...smoke, ...onlySmoke })],
    },
  };
});
