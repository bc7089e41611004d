import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ended, jsonLines, type Scratch, scratch } from "../../../test/support/haft-process.ts";

let place: Scratch;

beforeEach(() => {
  place = scratch();
  place.write("a.txt", "hello\n");
});
afterEach(() => place[Symbol.dispose]());

const read = (id?: string) => ({ ...(id ? { id } : {}), tool: "Read", input: { file_path: "a.txt" } });
const lines = (...values: readonly unknown[]) =>
  values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n");

it("one answer a call, in order; an unreadable line has its own, and nothing of it runs", async () => {
  const write = { tool: "Write", input: { file_path: "b.txt", content: "x" } };
  const input = lines(
    read(),
    "nonsense",
    [read(), write],
    "",
    [],
    5,
    { tool: 7 },
    [write, { input: {} }],
    read("mine"),
  );
  const { code, stdout } = await place.haft(["batch", "--mode", "acceptEdits"], { input });
  expect(code).toBe(2);
  expect(jsonLines(stdout).map(({ id, line, status }) => [id ?? line, status])).toEqual([
    ["c1", "ok"],
    [2, "error"],
    ["c2", "ok"],
    ["c3", "ok"],
    [5, "error"],
    [6, "error"],
    [7, "error"],
    [8, "error"],
    ["mine", "ok"],
  ]);
  expect(jsonLines(stdout)[1]).toEqual({
    line: 2,
    status: "error",
    error: { code: "invalid_json", message: expect.any(String), hint: expect.stringContaining('"tool"') },
  });
});

it("two calls with one id: the second is an error and does not run, on one line or on two", async () => {
  const write = { id: "x", tool: "Write", input: { file_path: "b.txt", content: "x" } };
  const input = lines(read("x"), write, [read("y"), { ...write, id: "y" }]);
  const { code, stdout } = await place.haft(["batch", "--mode", "acceptEdits"], { input });
  expect(code).toBe(1);
  const answers = jsonLines(stdout);
  expect(answers.map(({ id, status }) => [id, status])).toEqual([
    ["x", "ok"],
    ["x", "error"],
    ["y", "ok"],
    ["y", "error"],
  ]);
  expect(answers[1]).toMatchObject({ decision: "deny", error: { code: "invalid_input" } });
  expect(existsSync(join(place.cwd, "b.txt"))).toBe(false);
});

it.each([
  [
    4,
    [
      { tool: "Write", input: { file_path: "b", content: "" } },
      { tool: "Read", input: { file_path: "no" } },
    ],
  ],
  [
    3,
    [
      { tool: "Read", input: { file_path: "a.txt" } },
      { tool: "Read", input: { file_path: "secret" } },
    ],
  ],
  [
    1,
    [
      { tool: "Read", input: { file_path: "a.txt" } },
      { tool: "Read", input: { file_path: "no" } },
    ],
  ],
  [0, [{ tool: "Read", input: { file_path: "a.txt" } }]],
])("ends with %i, the highest of its calls", async (code, calls) => {
  const end = await place.haft(["batch", "--deny", "Read(secret)"], { input: lines(...calls) });
  expect(end.code).toBe(code);
});

it("answers each line before the next one comes", async () => {
  const child = place.start(["batch"]);
  const answers: string[] = [];
  child.stdout.setEncoding("utf8");
  const heard = () =>
    new Promise<void>((resolve) => child.stdout.once("data", (text) => resolve(void answers.push(text))));
  for (let turn = 1; turn <= 3; turn++) {
    const answer = heard();
    child.stdin.write(`${JSON.stringify(read())}\n`);
    await answer;
    expect(jsonLines(answers.join("")).map(({ id }) => id)).toHaveLength(turn);
  }
  child.stdin.end();
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
});

it("a thousand calls in a file, each answered once and in order", async () => {
  const file = place.write("calls.jsonl", lines(...Array.from({ length: 1_000 }, () => read())));
  const { code, stdout } = await place.haft(["batch", file]);
  expect(code).toBe(0);
  expect(jsonLines(stdout).map(({ id }) => id)).toEqual(Array.from({ length: 1_000 }, (_, index) => `c${index + 1}`));
});

it("a reader that has gone away ends it quietly", async () => {
  const child = place.start(["batch"]);
  child.stdin.on("error", () => {});
  child.stdout.once("data", () => child.stdout.destroy());
  const text = `${JSON.stringify(read())}\n`.repeat(500);
  child.stdin.end(text);
  const stderr: string[] = [];
  child.stderr.on("data", (chunk) => stderr.push(String(chunk)));
  const code = await new Promise((resolve) => child.once("exit", resolve));
  expect([code, stderr.join("")]).toEqual([0, ""]);
});

it("a file that is not there is named", async () => {
  const { code, stderr } = await place.haft(["batch", "none.jsonl"]);
  expect(code).toBe(2);
  expect(stderr).toContain("none.jsonl");
  expect((await place.haft(["batch", place.cwd])).stderr).toContain("is a folder");
});

it("an interrupt ends a waiting batch with 130", async () => {
  const child = place.start(["batch"]);
  const end = ended(child);
  const first = new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdin.write(`${JSON.stringify(read())}\n`);
  await first;
  child.kill("SIGINT");
  expect((await end).code).toBe(130);
});

it.skipIf(process.platform !== "linux")(
  "L01 a named pipe is read as it is written, and a polite kill is heard meanwhile",
  async () => {
    const pipe = join(place.cwd, "..", "pipe");
    spawnSync("mkfifo", [pipe]);
    const isOpen = (pid: number) =>
      readdirSync(`/proc/${pid}/fd`).some((fd) => {
        try {
          return readlinkSync(`/proc/${pid}/fd/${fd}`) === pipe;
        } catch {
          return false;
        }
      });
    for (const isWritten of [false, true]) {
      const child = place.start(["batch", pipe]);
      const end = ended(child);
      await expect.poll(() => isOpen(child.pid!), { timeout: 10_000 }).toBe(true);
      const writer = isWritten ? openSync(pipe, "w") : undefined;
      if (writer !== undefined) {
        const answered = new Promise((resolve) => child.stdout.once("data", resolve));
        writeSync(writer, `${JSON.stringify(read())}\n`);
        expect(jsonLines(String(await answered))).toMatchObject([{ status: "ok" }]);
      }
      child.kill("SIGTERM");
      expect((await end).code).toBe(130);
      if (writer !== undefined) closeSync(writer);
    }
  },
);

it.each([
  [["batch", "--mode", "acceptEdits"], { tool: "Write", input: { file_path: "b.txt", content: "a\u2028b" } }],
  [["explain", "--jsonl", "-"], { tool: "Write", input: { file_path: "/w/b.txt", content: "a\u2028b" } }],
  [["tools", "search", "--jsonl", "-", "--json"], { query: "write\u2028file" }],
])("U+2028 in a text does not split the line: %j", async (args, line) => {
  const { stdout } = await place.haft(args, { input: lines(line, line) });
  expect(jsonLines(stdout)).toHaveLength(2);
  expect(stdout).not.toContain("invalid_json");
});
