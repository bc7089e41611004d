import type { JobState } from "@haft/core/tool";
import { expect, it } from "vitest";
import { createJobWatch } from "./watch-jobs.ts";

it("U03 tells each ended job once, also one that began after the last look", () => {
  const jobs: Pick<JobState, "id" | "status">[] = [];
  const look = createJobWatch(() => jobs as JobState[]);
  const told = () => look().map(({ id }) => id);
  jobs.push({ id: "j1", status: "running" });
  expect(told()).toEqual([]);
  jobs[0] = { id: "j1", status: "ended" };
  jobs.push({ id: "j2", status: "ended" });
  expect(told()).toEqual(["j1", "j2"]);
  expect(told()).toEqual([]);
});
