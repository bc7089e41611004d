import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../../test/support/patience.ts";
import { isRunning } from "../../../../service/test/support/jobs.ts";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { bash } from "./bash.ts";

let world: World;
type Wish = Parameters<typeof bash.run>[0];
const use = (command: string, rest: Omit<Wish, "command"> = {}, signal?: AbortSignal) =>
  world.use(bash, { command, ...rest }, signal ? { signal } : {});

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe("Bash in the background", () => {
  it("L03 answers while it runs: job, process, its output so far", async () => {
    const started = performance.now();
    const { output, text } = await use("echo ready; sleep 30", { run_in_background: true });
    expect(performance.now() - started).toBeLessThan(patience(1500));
    expect(output).toMatchObject({ exitCode: null, job: { status: "running", id: "j1", tail: "ready\n" } });
    expect(await isRunning(output.job!.pid)).toBe(true);
    expect(text).toMatch(/^ready\n[\s\S]*\[Background job j1 \(process \d+\) continues\./);
    expect(text).toContain("cannot be undone");
    expect(text).toContain("TaskStop");
    // A person has no tools.
    const shown = JSON.stringify(bash.toDisplay!(output, { command: "echo ready; sleep 30" }));
    expect(shown).toContain("It ends with the session.");
    expect(shown).not.toContain("TaskStop");
  });

  it("L03 wait_ms: a command that ends in time is as in the foreground, a longer one goes on", async () => {
    expect((await use("sleep 0.4; echo done", { wait_ms: 5000 })).output).toMatchObject({
      output: "done\n",
      exitCode: 0,
    });
    const started = performance.now();
    const { output } = await use("echo one; sleep 30", { wait_ms: 500 });
    expect(performance.now() - started).toBeGreaterThan(490);
    expect(output.job).toMatchObject({ status: "running", tail: "one\n" });
  });

  it("L03 one that fails at once is a failure with its output, and a code that is none stays none", async () => {
    const error = await failure(use("echo no port; exit 98", { run_in_background: true }));
    expect(error).toMatchObject({ code: "command_failed", message: "Exit code 98", output: { output: "no port\n" } });
    expect(await failure(use("no-such-server", { run_in_background: true }))).toMatchObject({
      code: "command_not_found",
    });
    expect((await use("grep x /dev/null", { wait_ms: 2000 })).output.meaning).toBe("no line matched");
  });

  it("L03 a timeout that is given holds in the background too", async () => {
    const error = await failure(use("sleep 30", { wait_ms: 3000, timeout: 200 }));
    expect(error).toMatchObject({ code: "timeout" });
  });

  it("E13 a cancel while it is waited for ends the job and its children", async () => {
    const controller = new AbortController();
    const work = use("sleep 30 & echo $! > child; wait", { wait_ms: 20_000 }, controller.signal);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const started = performance.now();
    controller.abort();
    expect(await failure(work)).toMatchObject({ code: "cancelled" });
    expect(performance.now() - started).toBeLessThan(patience(1000));
    expect(await isRunning(Number(await readFile(`${world.folder}/child`, "utf8")))).toBe(false);
  });

  it("L03 input that nobody could write to is refused", async () => {
    expect(await failure(use("cat", { stdin: true }))).toMatchObject({
      hint: expect.stringContaining("run_in_background"),
    });
  });

  it("L03 the same command has the same effects in the background, and goes on there", async () => {
    const effects = (command: string, more: object) => bash.effects({ command, ...more }, world.effectContext);
    const marked = async (command: string, mark: object) =>
      (await effects(command, {})).map((one) => (one.do === "run" ? { ...one, ...mark } : one));
    const goingOn = (command: string) => effects(command, { run_in_background: true });
    expect(await goingOn("./serve")).toEqual(await marked("./serve", { background: true }));
    expect(await goingOn("./serve > log")).toEqual(await marked("./serve > log", { background: true, direct: true }));
  });

  it("L03 the paths in a job's writes are declared as its changes, with all below them", async () => {
    const wish = { command: "./gen", run_in_background: true, writes: ["src/gen"] };
    const effects = await bash.effects(wish, world.effectContext);
    expect(effects).toContainEqual(
      expect.objectContaining({ do: "write", path: `${world.folder}/src/gen`, tree: true, of: "./gen" }),
    );
    expect(effects).toContainEqual(expect.objectContaining({ do: "run", background: true, direct: true }));
  });
});
