import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRunning } from "../../../../service/test/support/jobs.ts";
import { createWorld, failure, type World } from "../../../test/support/context.ts";
import { bash } from "./bash.ts";
import { process } from "./process.ts";

let world: World;
type Wish = Parameters<typeof process.run>[0];
const use = (wish: Wish) => world.use(process, wish);
const start = async (command: string, rest: object = {}) =>
  (await world.use(bash, { command, run_in_background: true, ...rest })).output.job!;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe("process", () => {
  it("L04 lists the jobs", async () => {
    const own = await createWorld();
    expect((await own.use(process, { action: "list" })).text).toBe("There are no background jobs.");
    await own.use(bash, { command: "sleep 30", run_in_background: true });
    expect((await own.use(process, { action: "list" })).text).toMatch(/^j1 {2}process \d+ {2}running for .* sleep 30$/);
    await own.close();
  });

  it("L04 poll gives what is new, and waits for the end when asked", async () => {
    const { id, tail } = await start("echo one; sleep 0.6; echo two; exit 7");
    expect(tail).toBe("one\n");
    expect((await use({ action: "poll", id })).text).toMatch(/^\(no new output\)\n\[Job j\d+ is running/);
    const { output, text } = await use({ action: "poll", id, wait_ms: 5000 });
    expect(output).toMatchObject({ output: "two\n", jobs: [{ status: "ended", exitCode: 7 }] });
    expect(text).toMatch(/^two\n\[Job j\d+ ended with exit code 7 after/);
  });

  it("L04 log pages by line, and shows the last ones by default", async () => {
    const { id } = await start("seq 1 1000; sleep 30");
    const page = await use({ action: "log", id, offset: 500, limit: 2 });
    expect(page.text).toMatch(/^500\n501\n\[Job j\d+ is running .*Lines 500 to 501 of 1000\.\]$/);
    expect((await use({ action: "log", id, limit: 1 })).output).toMatchObject({ output: "1000\n", first: 1000 });
    expect((await use({ action: "log", id, offset: 5000 })).text).toContain("It has 1,000 lines.");
  });

  it("L04 write gives input, eof ends it", async () => {
    const { id } = await start('while read -r l; do echo "<$l>"; done; echo over', { stdin: true });
    expect((await use({ action: "write", id, stdin: "a\n" })).text).toBe(`Written to job ${id}.`);
    await use({ action: "write", id, eof: true });
    expect((await use({ action: "poll", id, wait_ms: 3000 })).output.output).toBe("<a>\nover\n");
  });

  it("L04 kill ends, remove forgets, clear forgets those that are over", async () => {
    const own = await createWorld();
    const run = (command: string) => own.use(bash, { command, run_in_background: true });
    const [one, two] = [(await run("sleep 30")).output.job!, (await run("sleep 30")).output.job!];
    await run("sleep 30");
    expect((await own.use(process, { action: "kill", id: one.id })).text).toMatch(
      /^Job j1 was ended by SIGTERM .*stopped\.$/,
    );
    expect(await isRunning(one.pid)).toBe(false);
    await own.use(process, { action: "remove", id: two.id });
    expect(await isRunning(two.pid)).toBe(false);
    expect((await own.use(process, { action: "clear" })).output.jobs).toMatchObject([{ id: "j3", status: "running" }]);
    await own.close();
  });

  it("L04 an unknown id names those that there are; a missing one is told", async () => {
    const { id } = await start("sleep 30");
    for (const action of ["poll", "log", "kill", "remove", "clear"] as const)
      expect(await failure(use({ action, id: "nope" })), action).toMatchObject({ hint: expect.stringContaining(id) });
    expect(await failure(use({ action: "write", id: "nope", stdin: "x" }))).toMatchObject({ code: "invalid_input" });
    expect(await failure(use({ action: "poll" }))).toMatchObject({ code: "validation_failed" });
  });

  it("L04 looking and ending never ask; telling a program what to do is judged like a command", async () => {
    const effects = (wish: Wish) => process.effects(wish, world.effectContext);
    const own = { do: "state", of: "jobs" };
    expect(await effects({ action: "poll", id: "j1" })).toMatchObject([{ ...own, change: false }]);
    expect(await effects({ action: "kill", id: "j1" })).toMatchObject([{ ...own, change: true }]);
    const { id } = await start("bash", { stdin: true });
    await wait(50);
    const told = await effects({ action: "write", id, stdin: "cd /tmp && r\\m -rf x\n" });
    expect(told).toContainEqual(expect.objectContaining({ do: "run", text: "cd /tmp && r\\m -rf x\n", opaque: true }));
    expect(told).toContainEqual(expect.objectContaining({ do: "run", argv: ["rm", "-rf", "x"], opaque: true }));
  });
});
