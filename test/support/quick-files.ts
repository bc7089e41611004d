import type { Reporter, TestModule } from "vitest/node";
import { patience } from "./patience.ts";

const LIMIT_MS = 4_000;

/**
 * Fails a run of `npm test` in which a file takes over four seconds on a quiet machine.
 *
 * A busy machine stretches every file, so the limit grows with the load; and it is doubled, so that no file fails by
 * chance: only one that is far over it does.
 */
export class QuickFiles implements Reporter {
  /** The findings, one line a file. */
  readonly slow: string[] = [];

  onTestModuleEnd(module: TestModule): void {
    if (module.project.name === "slow") return;
    const { duration } = module.diagnostic();
    if (duration > patience(2 * LIMIT_MS))
      this.slow.push(`${module.relativeModuleId} took ${(duration / 1000).toFixed(1)} s`);
  }

  onTestRunEnd(): void {
    if (this.slow.length === 0) return;
    const cure = "Make it quicker, or name it *.slow.test.ts and tag a quick case of it `smoke`:";
    console.error(`A test file of \`npm test\` may take 4 s. ${cure}\n  ${this.slow.join("\n  ")}`);
    process.exitCode = 1;
  }
}
