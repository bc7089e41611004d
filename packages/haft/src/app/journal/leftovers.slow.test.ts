import { readdirSync, readFileSync } from "node:fs";
import { contentsText, type JobState } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { describe, expect, it } from "vitest";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import type { HaftOptions } from "../haft.ts";

const hasBwrap = (await findBwrap([])) !== undefined;
const places = sessionPlaces("left");

async function fresh(options: HaftOptions = {}) {
  const haft = await places.open({ ...places.make().options, mode: "bypassPermissions", ...options });
  const say = async (tool: string, input: object) => contentsText((await haft.call(tool, input)).content);
  return { haft, say };
}

/** A time to sleep that nobody else sleeps, and how many are doing so. */
const nap = (() => {
  let count = 0;
  return () => `${300 + process.pid / 1e7 + ++count}`;
})();
function sleepers(time: string): number {
  return readdirSync("/proc").filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, "utf8") === `sleep\0${time}\0`;
    } catch {
      return false;
    }
  }).length;
}

describe.runIf(process.platform === "linux")(
  "L01 L04 L08 a process that a command in the foreground leaves running",
  () => {
    it("L04 L08 outside of a view it becomes a job that is listed and stopped, with what left its group", {
      tags: ["smoke"],
    }, async () => {
      const { haft, say } = await fresh({ journal: false });
      const time = nap();
      const said = await say("Bash", {
        command: `sleep ${time} & setsid sleep ${time} & (sleep ${time} &); echo done`,
      });
      expect(said).toMatch(/^done\n\[Its remaining processes are now background job j1/);
      expect(sleepers(time)).toBe(3);
      expect(await say("process", { action: "list" })).toMatch(/^j1 {2}process \d+ {2}running for .* sleep/);
      expect(await say("process", { action: "log", id: "j1" })).toContain("left this running");
      const next = await haft.call("Bash", { command: "sleep 60", run_in_background: true });
      expect((next.output as { job: JobState }).job.id).toBe("j2");
      expect(await say("TaskStop", { task_id: "j1" })).toContain("because it was stopped");
      expect(sleepers(time)).toBe(0);
      expect(await say("process", { action: "list" })).toMatch(/^j1 .* was ended .*\nj2 .* running/);
    });

    it("L03 its end is noticed, and the end of the session ends it", async () => {
      const { haft, say } = await fresh({ journal: false });
      await say("Bash", { command: "touch x; (sleep 3 &)" });
      expect(await say("TaskOutput", { task_id: "j1", timeout: 15_000 })).toContain("over: it ended");
      const time = nap();
      await say("Bash", { command: `setsid sleep ${time} > /dev/null 2>&1 &` });
      await expect.poll(() => sleepers(time)).toBe(1);
      await haft[Symbol.asyncDispose]();
      expect(sleepers(time)).toBe(0);
    });

    it("L01 a command that ran out of time leaves nothing, in or out of its group", async () => {
      const { say, haft } = await fresh({ journal: false });
      const time = nap();
      const said = await say("Bash", { command: `setsid sleep ${time} & sleep ${time} & sleep ${time}`, timeout: 400 });
      expect(said).toContain("did not end within 0.4 s");
      expect([sleepers(time), haft.jobs.list()]).toEqual([0, []]);
    });

    it("L01 in a view it is ended after two seconds, which is said", async () => {
      const { say, haft } = await fresh();
      const time = nap();
      // Until a shell's child has become its program, its name is the shell's.
      const script = `touch x; setsid sleep ${time} & sleep ${time} & sleep 0.3; echo done`;
      const said = await say("Bash", { command: script });
      expect(said).toMatch(/^done\n\[Its background processes were ended after two seconds/);
      expect([sleepers(time), haft.jobs.list()]).toEqual([0, []]);
    });

    it.skipIf(!hasBwrap)("L01 in the sandbox it is ended at once, which is said", async () => {
      const { say } = await fresh({ mode: "undoable" });
      const time = nap();
      // Until a shell's child has become its program, its name is the shell's.
      const script = `touch x; setsid sleep ${time} & sleep ${time} & sleep 0.3; echo done`;
      const said = await say("Bash", { command: script });
      expect(said).toMatch(
        /^done\n\[Its remaining processes were ended with it.*: .*(?:sleep|setsid).*run_in_background/,
      );
      expect(sleepers(time)).toBe(0);
    });
  },
);
