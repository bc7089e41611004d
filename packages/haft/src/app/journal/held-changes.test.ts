import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer, ApprovalRequest } from "@haft/core/approval";
import { contentsText, defineTool, type HeldChanges, state, write } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, describe, expect, it } from "vitest";
import { createHaft } from "../create-haft.ts";
import type { Haft, HaftOptions } from "../haft.ts";

const folders: string[] = [];
const open: Haft[] = [];
afterEach(async () => {
  for (const haft of open.splice(0)) await haft[Symbol.asyncDispose]();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function fresh(options: HaftOptions & { readonly answer?: Answer } = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-held-")));
  folders.push(base);
  const cwd = join(base, "work");
  for (const folder of [cwd, join(base, "home")]) mkdirSync(folder);
  writeFileSync(join(cwd, "a.txt"), "one\n");
  const asked: ApprovalRequest[] = [];
  const { answer = { behavior: "deny" }, ...rest } = options;
  const haft = await createHaft({
    ...{ cwd, home: join(base, "home"), stateDir: join(base, "state"), env: {}, settings: false, mode: "undoable" },
    ask: async (request) => {
      asked.push(request);
      return answer;
    },
    ...rest,
  });
  open.push(haft);
  const say = async (tool: string, input: object) => {
    const result = await haft.call(tool, input);
    return { text: contentsText(result.content), error: result.error };
  };
  /** A dry run; the id of what it holds. */
  const dry = async (command: string) =>
    /HeldChanges .*held as (\S+)\./.exec((await say("Bash", { command, dry_run: true })).text)?.[1] ?? "";
  const text = (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8") : undefined);
  return { cwd, haft, asked, say, dry, text };
}

const PYTHON = 'python3 -c \'open("a.txt", "w").write("two\\n"); open("b.txt", "w").write("b\\n")\'';
const hasBwrap = (await findBwrap([])) !== undefined;

describe.skipIf(!hasBwrap)("W05 HeldChanges", () => {
  it("W05 F30 shows what a dry run holds, makes exactly that real where the mode is free to, and can be undone", async () => {
    const { haft, asked, say, dry, text } = await fresh();
    const id = await dry(PYTHON);
    expect((await say("HeldChanges", { action: "list" })).text).toMatch(new RegExp(`^${id} .*waits for a yes$`));
    const shown = (await say("HeldChanges", { action: "show", id })).text;
    expect(shown).toMatch(/a\.txt: file changed[\s\S]*-one\n\s*\+two[\s\S]*b\.txt: file made/);
    expect(text("a.txt")).toBe("one\n");
    const { text: said } = await say("HeldChanges", { action: "commit", id });
    expect(said).toMatch(/^Applied:\n {2}\S*a\.txt\n {2}\S*b\.txt$/);
    expect([text("a.txt"), text("b.txt"), asked]).toEqual(["two\n", "b\n", []]);
    expect((await say("HeldChanges", { action: "list" })).text).toBe("There are no held changes.");
    await haft.undo();
    expect([text("a.txt"), text("b.txt")]).toEqual(["one\n", undefined]);
  });

  it("W05 throws away unasked, and an unknown id names those that there are", async () => {
    const { asked, say, dry, text } = await fresh({ mode: "plan" });
    const id = await dry(PYTHON);
    const { error } = await say("HeldChanges", { action: "show", id: "x" });
    expect([error?.code, error?.hint]).toEqual(["validation_failed", `Held changes: ${id}.`]);
    expect((await say("HeldChanges", { action: "commit", id })).error?.code).toBe("denied_by_mode");
    expect((await say("HeldChanges", { action: "discard", id })).text).toContain("Discarded the held changes");
    expect([text("a.txt"), asked]).toEqual(["one\n", []]);
    expect((await say("HeldChanges", { action: "show", id })).error?.hint).toBe(
      "There are no held changes in this session.",
    );
  });

  it("W05 F12 in mode default a person is asked with the diff; rules for the paths hold", async () => {
    const one = await fresh({ mode: "default" });
    const id = await one.dry(PYTHON);
    expect((await one.say("HeldChanges", { action: "commit", id })).error?.code).toBe("denied_by_user");
    expect(one.asked).toHaveLength(1);
    expect(JSON.stringify(one.asked[0]?.show)).toContain("+two");
    expect(one.asked[0]?.effects).toContainEqual(
      expect.objectContaining({ do: "write", path: join(one.cwd, "b.txt") }),
    );
    expect(one.text("b.txt")).toBeUndefined();
    const two = await fresh({ mode: "bypassPermissions", rules: { deny: ["write(b.txt)"] } });
    const held = await two.dry('python3 -c \'open("a.txt", "w"); open("c.txt", "w")\'');
    expect((await two.say("HeldChanges", { action: "commit", id: held })).error).toBeUndefined();
    const closed = await two.dry('touch x; python3 -c \'import shutil; shutil.copy("x", "b" + ".txt")\'');
    if (closed)
      expect((await two.say("HeldChanges", { action: "commit", id: closed })).error?.code).toBe("denied_by_rule");
    expect(two.text("b.txt")).toBeUndefined();
  });

  it("W05 F30 a change that a person has to see is asked about: a file that runs later, and a link that leads out", async () => {
    const { asked, say, dry, text } = await fresh();
    for (const script of ['open(".envrc", "w").write("x")', 'import os; os.symlink("/etc/hosts", "far")']) {
      const id = await dry(`python3 -c '${script}'`);
      expect((await say("HeldChanges", { action: "commit", id })).error?.code).toBe("denied_by_user");
    }
    expect(asked.map(({ why }) => why)).toEqual([
      expect.stringContaining(".envrc is protected"),
      expect.stringContaining("outside the workspace"),
    ]);
    expect([text(".envrc"), text("far")]).toEqual([undefined, undefined]);
  });

  it("W03 W05 a file that others have changed meanwhile stays theirs", async () => {
    const { cwd, say, dry, text } = await fresh();
    const id = await dry(PYTHON);
    writeFileSync(join(cwd, "a.txt"), "person\n");
    expect((await say("HeldChanges", { action: "show", id })).text).toMatch(/would be left alone: \S*a\.txt/);
    expect((await say("HeldChanges", { action: "commit", id })).text).toMatch(/b\.txt\n.*were left alone: \S*a\.txt/s);
    expect([text("a.txt"), text("b.txt")]).toEqual(["person\n", "b\n"]);
  });

  it("E14 a tool makes real and throws away only what it has declared, and of its own session", async () => {
    const use = (name: string, act: (held: HeldChanges) => unknown) =>
      defineTool({
        ...{ name, description: "Tries.", input: { type: "object", properties: {} } as const },
        can: ["state", "write"],
        effects: () => [state("held", { change: false }), write("a.txt")],
        run: async (_, ctx) => `${JSON.stringify(await act(ctx.ports.held!))}`,
      });
    const idOf = (held: HeldChanges) => held.list()[0]?.id ?? "";
    const tools = [
      use("Commits", async (held) => held.commit(idOf(held), (await held.find(idOf(held)))!.digest)),
      use("Discards", (held) => held.discard(idOf(held))),
      use("Other", (held) => held.commit(idOf(held), "other")),
    ];
    const { haft, dry, text, say } = await fresh({ tools, mode: "bypassPermissions" });
    await dry(PYTHON);
    expect((await haft.call("Commits", {})).error?.code).toBe("undeclared_effect");
    expect((await haft.call("Discards", {})).error?.code).toBe("undeclared_effect");
    await say("HeldChanges", {
      action: "discard",
      id: /^\S+/.exec((await say("HeldChanges", { action: "list" })).text)![0],
    });
    await dry('python3 -c \'open("a.txt", "w")\'');
    expect((await haft.call("Other", {})).error?.code).toBe("conflict");
    expect([text("a.txt"), text("b.txt")]).toEqual(["one\n", undefined]);
  });
});
