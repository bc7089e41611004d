import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DispatchContext } from "@haft/core/executor";
import type { Job } from "@haft/workers";
import { expect, it } from "vitest";
import { openParts } from "../app/create-haft.ts";
import { jobRunner } from "./run-job.ts";

it("a third attempt writes although the second took the first one back and died", async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-run-job-")));
  const [cwd, file] = [base, join(base, "a.txt")];
  const parts = await openParts({
    ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), settings: false, session: "s" },
    mode: "bypassPermissions",
  });
  const run = jobRunner(parts, 1);
  const context: DispatchContext = {
    signal: new AbortController().signal,
    progress() {},
    ask: () => Promise.reject(new Error("nobody")),
    starting: async () => {},
  } as never;
  const input = { file_path: file, content: "one" };
  const { effects } = await parts.executor.explain({ id: "look", tool: "Write", input });
  const job = (attempt: number) =>
    ({
      ...{ call: { id: "c1", tool: "Write", turn: 1, batch: "b", index: 0 }, agent: { id: "main" }, session: "s", cwd },
      ...{ tool: "Write", input, attempt, retry: "view", seen: [] },
      effects,
    }) as unknown as Job;
  const first = await run(job(1), parts.policy(), context);
  expect([first.result.error, readFileSync(file, "utf8")]).toEqual([undefined, "one"]);
  await parts.journal!.undo({ session: "s", call: "c1" });
  expect(existsSync(file)).toBe(false);
  const third = await run(job(3), parts.policy(), context);
  expect([third.result.error, readFileSync(file, "utf8")]).toEqual([undefined, "one"]);
  await parts.close();
  rmSync(base, { recursive: true, force: true });
});
