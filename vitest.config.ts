import { defineConfig } from "vitest/config";
import { ClosingLine } from "./test/support/closing-line.ts";
import { QuickFiles } from "./test/support/quick-files.ts";

// Tests read the sources of every package, so a test run never depends on a stale dist.
const conditions = ["haft-source"];
const elsewhere = ["**/node_modules/**", "**/dist/**"];
const tests = (ending: string) => ["packages", "test"].map((folder) => `${folder}/**/*${ending}`);

// `npm test` runs the project "quick", `npm run test:full` both. A path alone finds the tests of both below it.
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    pool: "forks",
    setupFiles: process.env.CI ? ["./test/support/seed.ts"] : [],
    testTimeout: 20_000,
    fsModuleCache: true,
    reporters: ["default", new QuickFiles(), new ClosingLine()],
    projects: [
      {
        extends: true,
        test: { name: "quick", include: tests(".test.ts"), exclude: [...elsewhere, "**/*.slow.test.ts"] },
      },
      { extends: true, test: { name: "slow", include: tests(".slow.test.ts"), exclude: elsewhere } },
    ],
  },
});
