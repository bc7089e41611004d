import { existsSync } from "node:fs";
import { createFilesJournal, memoryHost } from "@haft/core/host";
import { contentsText } from "@haft/core/tool";
import { afterEach, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";
import type { Haft, HaftOptions } from "../haft.ts";

const open: Haft[] = [];
afterEach(async () => {
  for (const haft of open.splice(0)) await haft[Symbol.asyncDispose]();
});

async function start(options: HaftOptions = {}) {
  const host = memoryHost({ "/elsewhere/work/a.txt": "one\n", "/elsewhere/secret.txt": "hidden" });
  const haft = await createHaft({
    ...{ host, cwd: "/elsewhere/work", stateDir: false, journal: createFilesJournal(host.files) },
    ...options,
  });
  open.push(haft);
  const say = async (tool: string, input: object, id?: string) => {
    const { content, error } = await haft.call(tool, input, id === undefined ? {} : { id });
    return error?.code ?? contentsText(content);
  };
  const text = async (name: string) => (await host.files.text(`/elsewhere/work/${name}`)).text;
  return { haft, host, say, text };
}

it("L01 tools work on the host of one's own and on nothing else, and undo takes their changes back", async () => {
  const { haft, say, text } = await start({ mode: "acceptEdits" });
  expect(haft.cwd).toBe("/elsewhere/work");
  expect(await say("Read", { file_path: "a.txt" })).toContain("one");
  expect(await say("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" })).not.toMatch(/^[a-z_]+$/);
  await say("Write", { file_path: "sub/b.ts", content: "needle\n" }, "c2");
  expect(await text("a.txt")).toBe("two\n");
  expect(await say("Glob", { pattern: "**/*.ts" })).toContain("sub/b.ts");
  expect(await say("Grep", { pattern: "needle", output_mode: "content" })).toContain("sub/b.ts");
  expect(existsSync("/elsewhere")).toBe(false);
  const { changed } = await haft.undo("c2");
  expect(changed.map(({ path }) => path)).toEqual(["/elsewhere/work/sub/b.ts"]);
  await haft.undo();
  expect(await text("a.txt")).toBe("one\n");
  await haft.redo();
  expect(await text("a.txt")).toBe("two\n");
});

it("L01 rules and modes hold on a host of one's own: a path outside its folder asks, and is denied with nobody there", async () => {
  const { say } = await start();
  expect(await say("Read", { file_path: "/elsewhere/secret.txt" })).toBe("needs_approval");
  expect(await say("Write", { file_path: "new.txt", content: "x" })).toBe("needs_approval");
  expect(await say("Bash", { command: "rm -rf /" })).not.toContain("command_not_found");
});

it("L01 a host that fails: the call fails with its reason, and the next one runs", async () => {
  const host = memoryHost({ "/w/a.txt": "one\n" });
  let isDown = true;
  const files = {
    ...host.files,
    text: (...given: Parameters<typeof host.files.text>) =>
      isDown ? Promise.reject(new Error("the container is gone")) : host.files.text(...given),
    lines: (...given: Parameters<typeof host.files.lines>) =>
      isDown ? Promise.reject(new Error("the container is gone")) : host.files.lines(...given),
  };
  const haft = await createHaft({ host: { ...host, files }, cwd: "/w", stateDir: false });
  open.push(haft);
  expect((await haft.call("Read", { file_path: "a.txt" })).error?.message).toContain("the container is gone");
  isDown = false;
  expect((await haft.call("Read", { file_path: "a.txt" })).error).toBeUndefined();
});

it.each<[string, HaftOptions, RegExp]>([
  ["a missing folder name", { host: memoryHost() }, /`cwd` is required/],
  ["a host that is none", { host: {} as never }, /host cannot be this object.*files and processes/s],
  ["mode undoable", { host: memoryHost(), cwd: "/w", mode: "undoable" }, /views or copies/],
  ["a store without its functions", { record: { read: () => [] } as never }, /record cannot be this object/],
])("L01 refuses %s", async (_, options, why) => {
  const made = createHaft({ stateDir: false, settings: false, ...options });
  await expect(
    made.then(undefined, ({ message, hint }) => Promise.reject(new Error(`${message} ${hint}`))),
  ).rejects.toThrow(why);
});
