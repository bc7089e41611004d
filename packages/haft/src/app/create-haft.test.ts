import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallEvent } from "@haft/core/executor";
import { contentsText, type Result } from "@haft/core/tool";
import { readSessionLog } from "@haft/service";
import { afterEach, describe, expect, it } from "vitest";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A workspace with one file, a home and a state folder of its own; nothing of the real user is read. */
async function fresh(options: HaftOptions = {}, settings?: object) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-app-")));
  folders.push(base);
  const cwd = join(base, "work");
  mkdirSync(join(cwd, "src"), { recursive: true });
  mkdirSync(join(base, "home"));
  writeFileSync(join(cwd, "src/a.txt"), "one\ntwo\n");
  if (settings) {
    mkdirSync(join(cwd, ".haft"));
    writeFileSync(join(cwd, ".haft/settings.json"), JSON.stringify(settings));
  }
  const haft = await createHaft({ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, ...options });
  return { haft, cwd, base };
}

const textOf = (result: Result) => contentsText(result.content);

describe("createHaft", () => {
  it("F10 reads inside the workspace run unasked; a file outside asks, and with nobody there is denied", async () => {
    const { haft, base } = await fresh();
    expect(textOf(await haft.call("Read", { file_path: "src/a.txt" }))).toContain("two");
    writeFileSync(join(base, "secret"), "x");
    const outside = await haft.call("Read", { file_path: join(base, "secret") });
    expect(outside.error?.code).toBe("needs_approval");
  });

  it("F10 a deny rule holds for reading tools too, for search as for Read, and names itself", async () => {
    const { haft } = await fresh({ rules: { deny: ["read(src/a.txt)"] } });
    const denied = await haft.call("Read", { file_path: "src/a.txt" });
    expect(denied.error).toMatchObject({ code: "denied_by_rule", message: expect.stringContaining("read(src/a.txt)") });
    const grep = await haft.call("Grep", { pattern: "two", output_mode: "count" });
    expect(textOf(grep)).not.toContain("a.txt");
    expect(textOf(await haft.call("Glob", { pattern: "**/*" }))).not.toContain("a.txt");
  });

  it("F31 E15 a write waits for its answer; call, approval and result are in the record afterwards", async () => {
    const { haft, cwd } = await fresh({ ask: "host" });
    const writing = haft.call("Write", { file_path: "new.txt", content: "hello\n" }, { id: "w1" });
    await expect.poll(() => haft.pending().length).toBe(1);
    expect(() => readFileSync(join(cwd, "new.txt"))).toThrow();
    const [request] = haft.pending();
    expect(haft.answer(request!.id, { behavior: "allow" })).toEqual({ accepted: true });
    expect(haft.answer(request!.id, { behavior: "deny" }).accepted).toBe(false);
    expect((await writing).error).toBeUndefined();
    expect(readFileSync(join(cwd, "new.txt"), "utf8")).toBe("hello\n");
    await haft[Symbol.asyncDispose]();
    const { entries } = readSessionLog(haft.session.path!);
    expect(entries.map(({ t }) => t)).toEqual(["session", "approval", "answer", "call", "end"]);
    expect(entries[3]).toMatchObject({ id: "w1", status: "ok", approval: { by: "host" }, effects: [{ do: "write" }] });
  });

  it("F19 F20 a yes counts once; a remembered yes spares the next question, for what was shown and no more", async () => {
    const asked: string[] = [];
    const offers: (readonly string[])[] = [];
    const { haft } = await fresh({
      ask: async ({ title, callId, suggestions }) => {
        asked.push(title);
        offers.push(suggestions.flatMap(({ rules }) => rules));
        const chosen = { file: suggestions[0], folder: suggestions[1] }[callId];
        return { behavior: "allow", ...(chosen ? { remember: chosen } : {}) };
      },
    });
    const write = (name: string, id: string) => haft.call("Write", { file_path: name, content: id }, { id });
    for (const id of ["1", "2"]) await write(`src/${id}.txt`, id);
    await write("src/3.txt", "file");
    expect(offers.at(-1)).toEqual(["Edit(/src/3.txt)", "Edit(/src/**)"]);
    expect(haft.rules.at(-1)).toEqual({ behavior: "allow", origin: "session", text: "Edit(/src/3.txt)" });
    await write("src/3.txt", "again");
    expect(asked).toHaveLength(3);
    await write("src/4.txt", "folder");
    await write("src/5.txt", "5");
    expect(asked).toHaveLength(4);
    await write("other.txt", "6");
    expect(asked).toHaveLength(5);
    // Leave to edit is none to remove the folder.
    const removing = await haft.call("Bash", { command: "rm -rf src" }, { id: "remove" });
    expect(asked.at(-1)).toContain("rm -rf src");
    expect(offers.at(-1)).toEqual(["delete(/src/**)"]);
    expect(removing.error).toBeUndefined();
  });

  it("E14 a call is idempotent by id and input; the same id for another call is refused", async () => {
    const { haft } = await fresh({ mode: "acceptEdits" });
    const once = { file_path: "once.txt", content: "1" };
    const first = await haft.call("Write", once, { id: "x" });
    expect(await haft.call("Write", once, { id: "x" })).toBe(first);
    expect((await haft.call("Write", { ...once, content: "2" }, { id: "x" })).error?.code).toBe("conflict");
  });

  it("V09 a settings file with an error stops creation, and names file, line and cure", async () => {
    await expect(fresh({}, { permissions: { alow: ["Bash"] } })).rejects.toThrow(
      /settings\.json:1: error:.*alow.*allow/s,
    );
  });

  it("D13 tools[x].enabled false and enableToolCalls false take tools out of the offer and refuse their calls", async () => {
    const { haft } = await fresh({}, { tools: { Read: { enabled: false } } });
    expect((await haft.offer()).tools.map(({ name }) => name)).not.toContain("Read");
    expect((await haft.call("Read", { file_path: "src/a.txt" })).error?.code).toBe("tool_unavailable");
    const off = await fresh({}, { enableToolCalls: false });
    expect((await off.haft.offer()).tools).toEqual([]);
  });

  it("D07 a blanket deny takes the tool out of the request, a scoped one does not", async () => {
    const names = async (deny: string) =>
      (await (await fresh({ rules: { deny: [deny] } })).haft.offer()).tools.map(({ name }) => name);
    expect(await names("Bash")).not.toContain("Bash");
    expect(await names("Bash(rm *)")).toContain("Bash");
  });

  it("V10 a project's own allow rules are inert until the folder is trusted", async () => {
    const loose = { permissions: { allow: ["write(**)"] } };
    const write = async (trusted: boolean) => {
      const { haft } = await fresh({ trusted }, loose);
      return {
        error: (await haft.call("Write", { file_path: "n.txt", content: "" })).error?.code,
        notices: haft.notices,
      };
    };
    expect(await write(true)).toMatchObject({ error: undefined });
    expect(await write(false)).toMatchObject({ error: "needs_approval", notices: [{ severity: "notice" }] });
  });

  it("V10 a local settings file that git tracks came with the repository and counts as the project's", async () => {
    const { base, cwd } = await fresh();
    mkdirSync(join(cwd, ".haft"));
    writeFileSync(join(cwd, ".haft/settings.local.json"), '{"permissions": {"allow": ["write(**)"]}}');
    spawnSync("git", ["init", "-q", cwd]);
    const write = async () => {
      const haft = await createHaft({ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {} });
      return (await haft.call("Write", { file_path: "n.txt", content: "" })).error?.code;
    };
    expect(await write()).toBeUndefined();
    rmSync(join(cwd, "n.txt"));
    spawnSync("git", ["-C", cwd, "add", "-A"]);
    expect(await write()).toBe("needs_approval");
  });

  it("F34 a narrowed Haft has fewer tools and stricter rules, and cannot widen", async () => {
    const { haft } = await fresh({ mode: "acceptEdits" });
    const child = haft.with({
      tools: ["Read", "Write"],
      rules: { deny: ["write(src/**)"] },
      mode: "bypassPermissions",
    });
    expect(child.mode).toBe("acceptEdits");
    expect((await child.offer()).tools.map(({ name }) => name)).toEqual(["Read", "Write"]);
    expect((await child.call("Write", { file_path: "src/x", content: "" })).error?.code).toBe("denied_by_rule");
    expect((await child.call("Write", { file_path: "x", content: "" })).error).toBeUndefined();
    expect((await child.call("Bash", { command: "ls" })).error?.code).toBe("tool_unavailable");
  });

  it("E16 events reach every listener in order, and a listener that throws harms nobody", async () => {
    const heard: CallEvent["type"][] = [];
    const { haft } = await fresh({
      onEvent: () => {
        throw new Error("deaf");
      },
    });
    const stop = haft.on(({ type }) => heard.push(type));
    await haft.call("Ls", { path: "." });
    stop();
    await haft.call("Ls", { path: "src" });
    expect(heard.filter((type) => type !== "tool:execution:progress")).toEqual([
      "tool:call:received",
      "tool:call:decided",
      "tool:execution:start",
      "tool:execution:complete",
    ]);
  });
});
