import { availableParallelism, loadavg } from "node:os";
import type { Reporter, TestModule } from "vitest/node";

const LIMIT_MS = 4_000;

/**
 * Fails a run of `npm test` in which a file takes over four seconds on a quiet machine.
 *
 * A busy machine stretches every file. The limit therefore grows with the load average over the number of cores, and
 * doubles: only a file that is far over it fails, and no file fails by chance.
 */
export class QuickFiles implements Reporter {
  /** What was found, a line a file. */
  readonly slow: string[] = [];

  onTestModuleEnd(module: TestModule): void {
    if (module.project.name === "slow") return;
    const { duration } = module.diagnostic();
    if (duration > limitFor(loadavg()[0]!, availableParallelism()))
      this.slow.push(`${module.relativeModuleId} took ${(duration / 1000).toFixed(1)} s`);
  }

  onTestRunEnd(): void {
    if (this.slow.length === 0) return;
    const cure = "Make it quicker, or name it *.slow.test.ts and tag a quick case of it `smoke`:";
    console.error(`A test file of \`npm test\` may take 4 s. ${cure}\n  ${this.slow.join("\n  ")}`);
    process.exitCode = 1;
  }
}

/** How long a file may take on a machine with this load. */
export const limitFor = (load: number, cores: number): number => 2 * LIMIT_MS * Math.max(1, load / cores);
