// The rows of undo in each tier, which the setting `journal.tier` forces.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { describe, expect, it } from "vitest";
import { viewWorks } from "../../../../journal/test/support/view.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import type { HaftOptions } from "../haft.ts";

const places = sessionPlaces("tiers");
const hasBwrap = (await findBwrap([])) !== undefined;
const tiers = [
  { tier: "view", works: viewWorks("user") },
  { tier: "clone", works: viewWorks("user-clone") },
  { tier: "direct", works: true },
] as const;

describe.each(tiers.filter(({ works }) => works))("in the tier $tier", ({ tier }) => {
  const isHeld = tier !== "direct" && hasBwrap;

  async function fresh(options: HaftOptions = {}) {
    const place = places.make();
    const { cwd } = place;
    const put = (name: string, text: string) => writeFileSync(join(cwd, name), text);
    const text = (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8") : undefined);
    put("a.txt", "one\n");
    const all: HaftOptions = {
      ...place.options,
      settings: { journal: { tier } },
      settingsFiles: false,
      rules: { allow: ["Bash", "Write", "Read"] },
      ...options,
    };
    const haft = await places.open(all);
    const bash = async (command: string, more: object = {}, id?: string) => {
      const result = await haft.call("Bash", { command, ...more }, id === undefined ? {} : { id });
      return { said: contentsText(result.content), error: result.error };
    };
    return { cwd, haft, all, bash, put, text };
  }

  it("W01 undo takes back type, bytes, mode and link target of a command", { tags: ["smoke"] }, async () => {
    const { cwd, haft, bash, put, text } = await fresh();
    put("gone", "gone\n");
    mkdirSync(join(cwd, "folder"));
    put("folder/in", "in\n");
    symlinkSync("a.txt", join(cwd, "link"));
    const { error } = await bash(
      "chmod 600 a.txt; echo two >> a.txt; rm gone; rm -r folder; echo x > folder; ln -sfn gone link; mkdir new",
    );
    expect([error, text("folder")]).toEqual([undefined, "x\n"]);
    const { losses, kept } = await haft.undo();
    expect([losses, kept]).toEqual([[], []]);
    expect([text("a.txt"), text("gone"), text("folder/in"), existsSync(join(cwd, "new"))]).toEqual([
      ...["one\n", "gone\n", "in\n", false],
    ]);
    expect([lstatSync(join(cwd, "a.txt")).mode & 0o777, readlinkSync(join(cwd, "link"))]).toEqual([0o644, "a.txt"]);
  });

  it("W01 a link to itself can be removed, replaced and read as a link; rules hold for it", async () => {
    const { cwd, haft, bash } = await fresh({ rules: { allow: ["Bash"], deny: ["Edit(./private/**)"] } });
    mkdirSync(join(cwd, "private"));
    for (const name of ["loop", "private/loop"]) symlinkSync("loop", join(cwd, name));
    symlinkSync("private/loop", join(cwd, "into"));
    const { said, error } = await bash(
      "readlink loop; rm loop; mkdir loop; echo x > loop/in; rm -r loop; ln -s a.txt loop",
    );
    expect([error, said.trim() === "loop", readlinkSync(join(cwd, "loop"))]).toEqual([undefined, true, "a.txt"]);
    expect((await haft.undo()).losses).toEqual([]);
    expect(readlinkSync(join(cwd, "loop"))).toBe("loop");
    expect((await bash("cat loop/below")).said).toContain("Too many levels of symbolic links");
    for (const command of ["rm private/loop", "ln -sfn a.txt private/loop", "echo x > into"])
      expect((await bash(command)).error?.code).toBe("denied_by_rule");
  });

  it("W02 undo of one call leaves the others; redo does it again", async () => {
    const { haft, bash, text } = await fresh();
    for (const n of [1, 2, 3]) await bash(`echo ${n} > f${n}`, {}, `c${n}`);
    await haft.undo("c2");
    expect([text("f1"), text("f2"), text("f3")]).toEqual(["1\n", undefined, "3\n"]);
    await haft.redo();
    expect(text("f2")).toBe("2\n");
    for (const _ of [1, 2, 3]) await haft.undo();
    expect([text("f1"), text("f2"), text("f3")]).toEqual([undefined, undefined, undefined]);
  });

  it("W03 an edit of somebody else is a conflict, and nothing is changed", async () => {
    const { haft, bash, put, text } = await fresh();
    await bash("echo two > a.txt; echo b > b.txt");
    put("a.txt", "by a person\n");
    await expect(async () => haft.undo()).rejects.toMatchObject({ code: "conflict" });
    expect([text("a.txt"), text("b.txt")]).toEqual(["by a person\n", "b\n"]);
    put("a.txt", "two\n");
    await haft.undo();
    expect([text("a.txt"), text("b.txt")]).toEqual(["one\n", undefined]);
  });

  it("W04 W05 a dry run shows the diff; another session applies it, and can be undone", async () => {
    const { haft, all, bash, text } = await fresh();
    const { said, error } = await bash("echo two > a.txt; rm -f none", { dry_run: true });
    expect(text("a.txt")).toBe("one\n");
    if (!isHeld)
      return expect(error).toMatchObject({
        code: "sandbox_unavailable",
        ...(hasBwrap && {
          message: expect.stringContaining('The setting journal.tier is "direct".'),
          hint: expect.stringMatching(/^Leave out dry_run/),
        }),
      });
    expect(said).toMatch(/-one\n\s*\+two/);
    const [, id] = /held as (\S+)\./.exec(said) ?? [];
    await haft.call("HeldChanges", { action: "show", id });
    const other = await places.open({ ...all, session: haft.session.id, mode: "bypassPermissions" } as HaftOptions);
    expect((await other.call("HeldChanges", { action: "commit", id })).error).toBeUndefined();
    expect(text("a.txt")).toBe("two\n");
    await other.undo();
    expect(text("a.txt")).toBe("one\n");
  });

  it("W06 mode undoable runs what can be taken back and asks about the rest; it is refused in direct", async () => {
    const options: HaftOptions = { mode: "undoable", rules: {}, ask: async () => ({ behavior: "deny" }) };
    if (!isHeld) return expect(fresh(options)).rejects.toThrow("Mode undoable needs views or copies");
    const { haft, bash, text } = await fresh(options);
    await bash("echo two > a.txt");
    expect((await bash("echo 'curl x' > .envrc")).error).toBeDefined();
    expect([text("a.txt"), text(".envrc")]).toEqual(["two\n", undefined]);
    await haft.undo();
    expect(text("a.txt")).toBe("one\n");
  });

  it("W07 a kill in the middle of a command leaves every path old or new, and the next session says so", {
    timeout: 60_000,
  }, async () => {
    const { cwd, all, haft, text } = await fresh();
    await haft[Symbol.asyncDispose]();
    const script = `const [factory, options, command] = process.argv.slice(1);
      const { createHaft } = await import(factory);
      const haft = await createHaft(JSON.parse(options));
      process.stdout.write("ready");
      await haft.call("Bash", { command });`;
    const command = `echo two > a.txt; : > started; while :; do sleep 0.1; done`;
    const factory = join(import.meta.dirname, "../create-haft.ts");
    const args = [
      "--conditions=haft-source",
      "--input-type=module",
      "-e",
      script,
      factory,
      JSON.stringify(all),
      command,
    ];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const exit = once(child, "exit");
    await once(child.stdout, "data");
    const changed = () => (tier === "direct" ? text("a.txt") === "two\n" : hasStarted(cwd));
    await expect.poll(changed, { timeout: 30_000 }).toBe(true);
    child.kill("SIGKILL");
    await exit;
    const notices: string[] = [];
    const next = await places.open({ ...all, onNotice: ({ message }) => notices.push(message) });
    await next.call("Write", { file_path: "next", content: "next\n" });
    expect(["one\n", "two\n"]).toContain(text("a.txt"));
    // A copy's changes are thrown away with the command; a view's are held; without either, they are not known.
    expect(notices.join(" ")).toMatch(tier === "clone" ? /^$/ : /Haft was (?:killed|ended)/);
    await next.undo();
    expect(text("next")).toBeUndefined();
  });

  it("W08 a lost file is listed, and nothing else", async () => {
    const { haft, bash, put, text } = await fresh({ settings: { journal: { tier, bytes: 1_000_000 } } });
    put("big", "x".repeat(600_000));
    put("small", "small\n");
    await bash("echo > big; rm small");
    const { losses } = await haft.undo();
    expect(text("small")).toBe("small\n");
    if (losses.length === 0) expect(text("big")?.length).toBe(600_000);
    else expect(losses).toMatchObject([{ path: expect.stringMatching(/\/big$/) }]);
  });
});

/** Whether a command has begun in a view or copy: its mark lies in the layers beside the journal. */
const hasStarted = (cwd: string): boolean =>
  readdirSync(join(cwd, "../state"), { recursive: true, encoding: "utf8" }).some((name) => name.endsWith("/started"));
