import { writeSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/**
 * Ends a run with `N passed, N failed` (and `, N skipped` when there are any), alone on the last line.
 *
 * What breaks outside a test (a file that does not load, a hook, a stray rejection) counts as one failure
 * each: a red run must never close with "0 failed".
 */
export class ClosingLine implements Reporter {
  #line: string | undefined;

  onInit(): void {
    // Vitest's own summary may still be in flight when the run ends. Only the exit event comes after all of it.
    process.once("exit", () => {
      if (this.#line !== undefined) writeSync(1, `${this.#line}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], strayErrors: readonly SerializedError[]): void {
    const count = { passed: 0, failed: strayErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) count[test.result().state] += 1;
    }
    const skipped = count.skipped + count.pending;
    this.#line = `${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
  }
}
