import { defineConfig } from "vitest/config";
import { ClosingLine } from "./test/support/closing-line.ts";

// Tests read the sources of every package, so a test run never depends on a stale dist.
const conditions = ["haft-source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["packages/**/src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    pool: "forks",
    setupFiles: process.env.CI ? ["./test/support/seed.ts"] : [],
    testTimeout: 20_000,
    reporters: ["default", new ClosingLine()],
  },
});
