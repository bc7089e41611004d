import { afterEach, expect, it, vi } from "vitest";
import type { TestModule } from "vitest/node";
import { patience, stretch } from "./support/patience.ts";
import { QuickFiles } from "./support/quick-files.ts";

const code = process.exitCode;
afterEach(() => {
  process.exitCode = code;
});

const file = (project: string, duration: number) =>
  ({ project: { name: project }, relativeModuleId: "a.test.ts", diagnostic: () => ({ duration }) }) as TestModule;

it("a file of the quick run that takes far too long fails it, and is named with the cure", () => {
  const said = vi.spyOn(console, "error").mockReturnValue();
  const quick = new QuickFiles();
  for (const project of ["quick", "smoke"]) quick.onTestModuleEnd(file(project, 100_000_000));
  quick.onTestRunEnd();
  expect(quick.slow).toEqual(["a.test.ts took 100000.0 s", "a.test.ts took 100000.0 s"]);
  expect(process.exitCode).toBe(1);
  expect(said.mock.lastCall?.[0]).toContain("*.slow.test.ts");
  said.mockRestore();
});

it("a slow file may take its time, and a quick one on a busy machine a longer one", () => {
  const quick = new QuickFiles();
  quick.onTestModuleEnd(file("slow", 100_000_000));
  quick.onTestModuleEnd(file("quick", 4_000));
  quick.onTestRunEnd();
  expect([quick.slow, process.exitCode]).toEqual([[], code]);
  expect(stretch()).toBeGreaterThanOrEqual(1);
  expect(patience(100)).toBeGreaterThanOrEqual(100);
});
