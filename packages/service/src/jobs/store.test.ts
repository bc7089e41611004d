import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { failure } from "../../../tools/test/support/context.ts";
import { isRunning, temporary } from "../../test/support/jobs.ts";
import { createJobs, type JobStore } from "./index.ts";

const place = await temporary();
let jobs: JobStore;

beforeAll(() => {
  jobs = createJobs({ folder: `${place.folder}/jobs` });
});
afterAll(async () => {
  await jobs.close();
  await place.remove();
});

const start = (command: string, rest: object = {}) => jobs.start({ command, cwd: place.folder, ...rest });
const ended = (id: string, timeoutMs = 3000) => jobs.wait(id, { timeoutMs });
const fresh = async (id: string) => (await jobs.output(id, { part: "new", maxBytes: 65_536 })).text;

describe("background jobs", () => {
  it("L03 go on by themselves, lead a group of their own, and end with an exit code", async () => {
    const { id, pid, status } = await start("echo first; sleep 0.3; echo second; exit 3");
    expect(status).toBe("running");
    const [, , group, session] = (await readFile(`/proc/${pid}/stat`, "latin1")).replace(/^.*\) /, "").split(" ");
    expect([group, session]).toEqual([`${pid}`, `${pid}`]);
    expect(await ended(id)).toMatchObject({ status: "ended", exitCode: 3, left: false });
    expect(await fresh(id)).toBe("first\nsecond\n");
  });

  it("L03 one that ends at once is known with all it said", async () => {
    const { id } = await start("echo out; echo err >&2");
    expect(await ended(id)).toMatchObject({ exitCode: 0, bytes: 8, lines: 2 });
    const { file } = jobs.find(id)!;
    expect(await readFile(file!, "utf8")).toBe("out\nerr\n");
  });

  it("L04 new output comes once, whole characters only", async () => {
    const { id } = await start(`printf 'a\\xe2\\x82'; sleep 0.4; printf '\\xacb'; sleep 30`);
    await wait(200);
    expect(await fresh(id)).toBe("a");
    await wait(400);
    expect(await fresh(id)).toBe("€b");
    expect(await fresh(id)).toBe("");
    await jobs.stop(id);
  });

  it("L04 one that floods is held: memory and file stay bounded, lines are counted, both ends can be read", async () => {
    const small = createJobs({ folder: `${place.folder}/flood`, fileBytes: 3_000_000 });
    const before = process.memoryUsage().rss;
    const { id } = await small.start({ command: "head -c 100000000 <(yes 123456789)", cwd: place.folder });
    const state = await small.wait(id, { timeoutMs: 10_000 });
    expect(state).toMatchObject({ status: "ended", bytes: 100_000_000, lines: 10_000_000, fileBytes: 3_000_000 });
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    const lines = async (first: number) => small.output(id, { part: "lines", first, limit: 2 });
    expect(await lines(100)).toEqual({ text: "123456789\n123456789\n", skipped: 0, first: 100 });
    expect((await lines(9_999_999)).first).toBe(9_999_999);
    // The middle is in neither: what comes instead says which line it is.
    expect((await lines(5_000_000)).first).toBeGreaterThan(9_000_000);
    const tail = await small.output(id, { part: "tail", maxBytes: 10 });
    expect(tail).toEqual({ text: "123456789\n", skipped: 99_999_990 });
    await small.close();
  });

  it("L04 one that never reads gets no more input than may wait", async () => {
    const { id } = await start("sleep 30", { takesInput: true });
    const { waiting } = await jobs.write(id, "x".repeat(500_000));
    expect(waiting).toBeGreaterThan(100_000);
    expect(await failure(jobs.write(id, "x".repeat(1_000_000)))).toMatchObject({ code: "limit_reached" });
    const started = performance.now();
    await jobs.stop(id);
    expect(performance.now() - started).toBeLessThan(patience(1000));
  });

  it("L04 input reaches the job until it is closed; a job without input says so", async () => {
    const { id } = await start('while read -r line; do echo "got $line"; done; echo over', { takesInput: true });
    expect(await jobs.write(id, "one\ntwo\n")).toEqual({ waiting: 0 });
    await jobs.write(id, "", { end: true });
    expect(await ended(id)).toMatchObject({ exitCode: 0, takesInput: false });
    expect(await fresh(id)).toBe("got one\ngot two\nover\n");
    expect(await failure(jobs.write(id, "late\n"))).toMatchObject({ code: "validation_failed" });
    const plain = await start("cat; sleep 30");
    expect(await failure(jobs.write(plain.id, "x"))).toMatchObject({ hint: expect.stringContaining("stdin: true") });
    await jobs.stop(plain.id);
  });

  it("L03 one that is killed from outside is told with its signal", async () => {
    const { id, pid } = await start("sleep 30");
    process.kill(pid, "SIGKILL");
    expect(await ended(id)).toMatchObject({ status: "ended", exitCode: null, signal: "SIGKILL" });
    expect(jobs.find(id)?.endedBy).toBeUndefined();
  });

  it("L03 its own time limit ends the whole tree", async () => {
    const { id } = await start("sleep 30 & echo $!; wait", { timeoutMs: 200 });
    expect(await ended(id)).toMatchObject({ endedBy: "timeout" });
    expect(await isRunning(Number(await fresh(id)))).toBe(false);
  });

  it("L03 fifty at once run, end and are told; more than allowed are refused by name", async () => {
    const many = createJobs({ maxRunning: 50 });
    const states = await Promise.all(
      Array.from({ length: 50 }, (_, n) => many.start({ command: `echo ${n}; sleep 30`, cwd: place.folder })),
    );
    expect(new Set(states.map(({ id }) => id)).size).toBe(50);
    const refused = await failure(many.start({ command: "true", cwd: place.folder }));
    expect(refused).toMatchObject({ code: "limit_reached", hint: expect.stringContaining("j7 (running: echo") });
    const started = performance.now();
    await many.close();
    expect(performance.now() - started).toBeLessThan(patience(3000));
    expect(await Promise.all(states.map(({ pid }) => isRunning(pid)))).not.toContain(true);
  });

  it("L04 an unknown id names those that there are", async () => {
    const own = createJobs();
    expect(await failure(own.stop("j9"))).toMatchObject({
      code: "invalid_input",
      hint: expect.stringContaining("No background job"),
    });
    const { id } = await own.start({ command: "sleep 30", cwd: place.folder });
    const error = await failure(own.output("j9", { part: "new", maxBytes: 10 }));
    expect(error).toMatchObject({ hint: `There are: ${id} (running: sleep 30).`, details: { ids: [id] } });
    await own.close();
  });

  it("L03 those that ended are told once, and not when a call has told it already", async () => {
    const own = createJobs();
    const first = await own.start({ command: "exit 4", cwd: place.folder });
    const second = await own.start({ command: "exit 5", cwd: place.folder });
    await own.wait(second.id, { timeoutMs: 3000 });
    while (own.find(first.id)?.status === "running") await wait(10);
    expect(own.finished()).toMatchObject([{ id: first.id, exitCode: 4 }]);
    expect(own.finished()).toEqual([]);
    await own.close();
  });

  it("L03 nothing starts after the end of the session, in a missing folder, or with a NUL", async () => {
    expect(await failure(start("a\0b"))).toMatchObject({ code: "invalid_input" });
    expect(await failure(jobs.start({ command: "true", cwd: "/no/such" }))).toMatchObject({ code: "tool_unavailable" });
    const own = createJobs();
    await own.close();
    expect(await failure(own.start({ command: "true", cwd: place.folder }))).toMatchObject({
      code: "tool_unavailable",
    });
  });
});
