import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { isRunning } from "../../../../service/test/support/jobs.ts";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { bash } from "./bash.ts";
import { taskOutput } from "./task-output.ts";
import { taskStop } from "./task-stop.ts";

let world: World;
const start = async (command: string) => (await world.use(bash, { command, run_in_background: true })).output.job!;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe("TaskOutput", () => {
  it("L07 waits for the end and gives output and exit code", async () => {
    const { id } = await start("echo a; sleep 0.6; echo b; exit 2");
    const { output, text, display } = await world.use(taskOutput, { task_id: id });
    expect(output).toMatchObject({ retrieval: "ended", status: "ended", exitCode: 2, output: "a\nb\n" });
    expect(text).toMatch(/^a\nb\n\[Task j\d+ is over: it ended with exit code 2 after .* s\.\]$/);
    expect(display).toMatchObject({ kind: "terminal", exitCode: 2 });
  });

  it("L07 does not wait when told so, nor longer than told; the task goes on", async () => {
    const { id, pid } = await start("echo a; sleep 30");
    const look = await world.use(taskOutput, { task_id: id, block: false });
    expect(look.output).toMatchObject({ retrieval: "running", exitCode: null, output: "a\n" });
    const started = performance.now();
    const { output, text } = await world.use(taskOutput, { task_id: id, timeout: 300 });
    expect(performance.now() - started).toBeLessThan(patience(1500));
    expect(output.retrieval).toBe("timeout");
    expect(text).toContain("It did not end in that time and continues.");
    expect(await isRunning(pid)).toBe(true);
  });

  it("L07 a cancel ends the waiting, not the task", async () => {
    const { id, pid } = await start("sleep 30");
    const signal = AbortSignal.timeout(100);
    const { output } = await world.use(taskOutput, { task_id: id, timeout: 20_000 }, { signal });
    expect(output).toMatchObject({ status: "running" });
    expect(await isRunning(pid)).toBe(true);
  });

  it("L07 the end of much output is shown, and the place of the rest", async () => {
    const { id } = await start("seq 1 100000; sleep 0.5");
    const { text } = await world.use(taskOutput, { task_id: id });
    expect(text).toMatch(/^\[[\d,]+ earlier bytes are left out; they begin in \/.*\.log\]\n/);
    expect(text).toContain("\n100000\n");
    expect(text.length).toBeLessThan(30_000);
  });
});

describe("TaskStop", () => {
  it("L08 ends the whole tree of a task", async () => {
    const { id, pid, tail } = await start("sleep 30 & echo $!; wait");
    const { output, text } = await world.use(taskStop, { task_id: id });
    expect(output).toMatchObject({ status: "ended", endedBy: "stop" });
    expect(text).toMatch(/was ended by SIGTERM .* because it was stopped\.$/);
    expect([await isRunning(pid), await isRunning(Number(tail))]).toEqual([false, false]);
    expect((await world.use(taskStop, { task_id: id })).output).toMatchObject({ status: "ended" });
  });

  it("L08 an unknown id lists the tasks", async () => {
    const { id } = await start("sleep 30");
    for (const tool of [taskStop, taskOutput])
      expect(await failure(world.use(tool as typeof taskStop, { task_id: "zzz" }))).toMatchObject({
        code: "invalid_input",
        hint: expect.stringContaining(`${id} (running: sleep 30)`),
      });
  });
});
