import { writeSync } from "node:fs";
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";
import type { QuickFiles } from "./quick-files.ts";

/** A case of a slow file that is left to the full run. */
const isLeft = ({ project, tags }: TestCase): boolean => project.name === "smoke" && !tags.includes("smoke");

/**
 * Ends a run with `N passed, N failed` (and `, N skipped` when there are any), alone on the last line.
 *
 * A fault outside a test (a file that does not load, a hook, a stray rejection) counts as one failure
 * each, and so does a file that is too slow for its name: a red run must never close with "0 failed".
 * Cases that passed only when they were repeated are named before that line.
 */
export class ClosingLine implements Reporter {
  readonly #quick: QuickFiles | undefined;
  #line: string | undefined;
  #repeated: readonly string[] = [];

  constructor(quick?: QuickFiles) {
    this.#quick = quick;
  }

  onInit(): void {
    // Vitest's own summary may still be in flight when the run ends. Only the exit event comes after all of it.
    process.once("exit", () => {
      for (const name of this.#repeated) writeSync(1, `Passed only when repeated: ${name}\n`);
      if (this.#line !== undefined) writeSync(1, `${this.#line}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], strayErrors: readonly SerializedError[]): void {
    const count = { passed: 0, failed: strayErrors.length + (this.#quick?.slow.length ?? 0), skipped: 0, pending: 0 };
    for (const module of modules) {
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) if (!isLeft(test)) count[test.result().state] += 1;
    }
    this.#repeated = modules.flatMap((module) =>
      [...module.children.allTests()].flatMap((test) =>
        test.diagnostic()?.flaky ? [`${module.moduleId} > ${test.fullName}`] : [],
      ),
    );
    const skipped = count.skipped + count.pending;
    this.#line = `${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
  }
}
