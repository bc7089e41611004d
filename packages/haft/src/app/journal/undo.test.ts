import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, remove, write } from "@haft/core/tool";
import { afterEach, describe, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";
import type { HaftOptions } from "../haft.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function fresh(options: HaftOptions = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-undo-")));
  folders.push(base);
  const cwd = join(base, "work");
  mkdirSync(cwd);
  mkdirSync(join(base, "home"));
  writeFileSync(join(cwd, "a.txt"), "one\n");
  const rules = { allow: ["Write", "Bash"] };
  const whole = { cwd, rules, home: join(base, "home"), stateDir: join(base, "state"), env: {}, ...options };
  return { cwd, options: whole, haft: await createHaft(whole) };
}

describe("undo of a session", () => {
  it("the workspace may be the home folder, in which Haft's own books lie", async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-undo-")));
    const home = join(base, "home");
    folders.push(base);
    mkdirSync(home);
    const haft = await createHaft({ cwd: home, home, rules: { allow: ["Bash"] }, env: {}, withoutUserSettings: true });
    expect((await haft.call("Bash", { command: "echo x > made" })).error).toBeUndefined();
    expect(readFileSync(join(home, "made"), "utf8")).toBe("x\n");
    await haft.undo();
    expect(existsSync(join(home, "made"))).toBe(false);
    expect(readdirSync(home)).toEqual([".local"]);
    await haft[Symbol.asyncDispose]();
  });

  it("W01 W02 undo takes back the last call that changed files, tool or command; redo does it again", async () => {
    const { haft, cwd } = await fresh();
    const text = () => readFileSync(join(cwd, "a.txt"), "utf8");
    await haft.call("Read", { file_path: "a.txt" }, { id: "r" });
    expect((await haft.call("Write", { file_path: "a.txt", content: "two\n" }, { id: "w" })).error).toBeUndefined();
    expect((await haft.call("Bash", { command: "sed -i s/two/three/ a.txt" }, { id: "b" })).error).toBeUndefined();
    await haft.call("Read", { file_path: "a.txt" }, { id: "r2" });
    expect((await haft.undo()).calls).toMatchObject([{ id: "b", tool: "Bash", session: haft.session.id }]);
    expect(text()).toBe("two\n");
    await haft.undo("w");
    expect(text()).toBe("one\n");
    await haft.redo();
    await haft.redo();
    expect(text()).toBe("three\n");
    await haft[Symbol.asyncDispose]();
  });

  it("W01 a patch that was taken back leaves no folder, and nothing to undo: that takes the call before it", async () => {
    const { haft, cwd } = await fresh({ rules: { allow: ["Write", "apply_patch"] } });
    await haft.call("Write", { file_path: "w.txt", content: "two\n" });
    const added = ["new/er/b", "new/c", "a.txt/d"].map((path) => `*** Add File: ${path}\n+x`).join("\n");
    const { error } = await haft.call("apply_patch", { input: `*** Begin Patch\n${added}\n*** End Patch` });
    expect(error?.message).toContain("The patch was reverted");
    expect(readdirSync(cwd)).toEqual(["a.txt", "w.txt"]);
    expect((await haft.undo()).calls).toMatchObject([{ tool: "Write" }]);
    expect(readdirSync(cwd)).toEqual(["a.txt"]);
    await expect(async () => haft.undo()).rejects.toMatchObject({ message: expect.stringContaining("undone already") });
    await haft[Symbol.asyncDispose]();
  });

  it("G13 with a file that a tool removes goes no folder that the call has not made", async () => {
    const reaching = defineTool({
      name: "Reach",
      description: "Removes a file and names folders of others.",
      input: { type: "object", properties: {}, additionalProperties: false },
      can: ["write"],
      effects: (_, { cwd }) => [remove(`${cwd}/theirs/x`), write(`${cwd}/own/y`, "create")],
      async run(_, { cwd, ports: { files } }) {
        const { folders = [] } = await files.write(`${cwd}/own/y`, "y");
        await files.remove(`${cwd}/theirs/x`, { folders: [`${cwd}/theirs`, ...folders] });
        await files.remove(`${cwd}/own/y`, { folders });
        return {};
      },
    });
    const { haft, cwd } = await fresh({ tools: [reaching], rules: { allow: ["Reach"] } });
    mkdirSync(join(cwd, "theirs"));
    writeFileSync(join(cwd, "theirs/x"), "x");
    expect((await haft.call("Reach", {})).error).toBeUndefined();
    expect(readdirSync(cwd)).toEqual(["a.txt", "theirs"]);
    await haft.undo();
    expect(readdirSync(join(cwd, "theirs"))).toEqual(["x"]);
    expect(readdirSync(cwd)).toEqual(["a.txt", "theirs"]);
    await haft[Symbol.asyncDispose]();
  });

  it("W02 a call belongs to its own session, although another session was last and uses the same ids", async () => {
    const { haft, cwd, options } = await fresh();
    const other = await createHaft(options);
    await haft.call("Bash", { command: "echo own > own" }, { id: "c1" });
    await other.call("Bash", { command: "echo other > other" }, { id: "c1" });
    await haft.undo("c1");
    expect([existsSync(join(cwd, "own")), existsSync(join(cwd, "other"))]).toEqual([false, true]);
    await other.undo("c1");
    await haft.redo("c1");
    expect([existsSync(join(cwd, "own")), existsSync(join(cwd, "other"))]).toEqual([true, false]);
    for (const one of [haft, other]) await one[Symbol.asyncDispose]();
  });

  it("W03 a file that somebody has already put back does not block the undo", async () => {
    const { haft, cwd } = await fresh();
    await haft.call("Bash", { command: "echo two > a.txt; echo b > b.txt" });
    writeFileSync(join(cwd, "a.txt"), "one\n");
    const { changed, kept } = await haft.undo();
    expect([changed.map(({ path }) => path), kept]).toEqual([[join(cwd, "b.txt")], []]);
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\n");
    await haft[Symbol.asyncDispose]();
  });

  it("W08 an error of undo uses words of the library, and names the cure for hosts with commands of their own", async () => {
    const { haft } = await fresh();
    const said: unknown[] = [];
    const tries = [() => haft.undo(), () => haft.redo(), () => haft.undo("x")];
    for (const act of tries) await act().catch(({ hint, details }) => said.push([hint, details.cure]));
    expect(said.map((one) => (one as string[])[1])).toEqual(["list_calls", "undo", "list_calls"]);
    expect(JSON.stringify(said)).not.toMatch(/haft |--/);
    await haft[Symbol.asyncDispose]();
  });

  it("W08 undo says what is missing where nothing is kept", async () => {
    const { haft } = await fresh({ journal: false });
    await expect(async () => haft.undo()).rejects.toMatchObject({ code: "tool_unavailable" });
    await haft[Symbol.asyncDispose]();
  });
});
