import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createProcesses } from "@haft/host/process";
import { describe, expect, it } from "vitest";
import { benches, callOf, stateOf } from "../../test/support/journal.ts";
import { viewWorks } from "../../test/support/view.ts";
import { type CaptureOptions, createCapture } from "../capture.ts";
import { openJournal } from "../journal.ts";

const fresh = benches();
const agent = (id = "a1") => callOf({ id, tool: "Agent" });

function workspace(options: Parameters<typeof fresh>[0] = {}) {
  const bench = fresh(options);
  const at = (path: string) => join(bench.root, path);
  for (const folder of ["src", "node_modules/x"]) mkdirSync(at(folder), { recursive: true });
  execFileSync("git", ["init", "-q", bench.root]);
  writeFileSync(at(".gitignore"), "node_modules\n");
  writeFileSync(at("node_modules/x/index.js"), "x\n");
  writeFileSync(at("src/a"), "1\n2\n3\n4\n5\n");
  writeFileSync(at("src/b"), "b\n");
  writeFileSync(at("untracked"), "u\n");
  symlinkSync("src/a", at("link"));
  const read = (path: string) => readFileSync(at(path), "utf8");
  return { ...bench, at, read };
}

const tiers: readonly { readonly tier: string; readonly options: CaptureOptions }[] = [
  { tier: "direct", options: { variants: [] } },
  ...(viewWorks("user") ? [{ tier: "view", options: {} }] : []),
];

describe.each(tiers)("a frozen copy in the tier $tier", ({ options }) => {
  it("has untracked and ignored files, and stays as it was", { tags: ["smoke"] }, async () => {
    const { journal, root, at, read } = workspace(options);
    const frozen = await journal.freeze(agent());
    expect(stateOf(frozen.root)).toBe(stateOf(root));
    writeFileSync(at("src/a"), "later\n");
    writeFileSync(at("new"), "later\n");
    rmSync(at("src/b"));
    expect(readFileSync(join(frozen.root, "src/a"), "utf8")).toBe("1\n2\n3\n4\n5\n");
    expect(existsSync(join(frozen.root, "new"))).toBe(false);
    const merged = await journal.merge(frozen, agent());
    expect(merged).toMatchObject({ applied: [], conflicts: [], held: [], kept: [], failed: [] });
    expect(read("src/a")).toBe("later\n");
    expect(existsSync(frozen.folder)).toBe(false);
  });

  it("comes back as one step: changes of both sides are there, and undo takes the agent's back", {
    tags: ["smoke"],
  }, async () => {
    const { journal, root, at, read } = workspace(options);
    const frozen = await journal.freeze(agent());
    const own = (path: string) => join(frozen.root, path);
    writeFileSync(own("src/a"), "1\n2\n3\n4\nfive\n");
    writeFileSync(own("made"), "m\n");
    rmSync(own("src/b"));
    mkdirSync(own("deep/er"), { recursive: true });
    writeFileSync(own("deep/er/f"), "f\n");
    rmSync(own("node_modules/x/index.js"));
    writeFileSync(own("node_modules/x/index.js"), "built\n");
    writeFileSync(at("src/a"), "one\n2\n3\n4\n5\n");
    writeFileSync(at("other"), "o\n");
    const before = stateOf(root, (path) => path.startsWith("/.git"));
    const merged = await journal.merge(frozen, agent());
    expect(merged).toMatchObject({ combined: [at("src/a")], conflicts: [], failed: [] });
    expect(read("src/a")).toBe("one\n2\n3\n4\nfive\n");
    expect([read("made"), read("deep/er/f"), read("other"), read("node_modules/x/index.js")].join("")).toBe(
      "m\nf\no\nbuilt\n",
    );
    expect(existsSync(at("src/b"))).toBe(false);
    expect((await journal.undo()).losses).toEqual([]);
    expect(stateOf(root, (path) => path.startsWith("/.git"))).toBe(before);
  });

  it("overwrites and removes nothing that both sides changed; the agent's versions are held", async () => {
    const { journal, at, read } = workspace(options);
    const frozen = await journal.freeze(agent());
    const own = (path: string) => join(frozen.root, path);
    for (const path of ["src/a", "fresh"]) writeFileSync(own(path), "the agent's\n");
    for (const path of ["src/a", "fresh", "src/b"]) writeFileSync(at(path), "a person's\n");
    rmSync(own("src"), { recursive: true });
    rmSync(own("untracked"));
    mkdirSync(own("untracked"));
    writeFileSync(own("untracked/in"), "i\n");
    writeFileSync(at("untracked"), "a person's\n");
    const merged = await journal.merge(frozen, agent());
    expect(merged.conflicts).toEqual([at("fresh"), at("untracked"), at("untracked/in")]);
    expect(merged.kept.toSorted()).toEqual([at("src/a"), at("src/b")]);
    expect([read("src/a"), read("src/b"), read("fresh"), read("untracked")]).toEqual(Array(4).fill("a person's\n"));
    const [held] = merged.held;
    await journal.commitHeld(held!);
    expect([read("fresh"), read("untracked/in")]).toEqual(["the agent's\n", "i\n"]);
    await journal.undo();
    expect([read("fresh"), read("untracked")]).toEqual(["a person's\n", "a person's\n"]);
  });

  it("never puts a new file where somebody has put something else in place of its folder", async () => {
    const { journal, at, read } = workspace(options);
    const frozen = await journal.freeze(agent());
    writeFileSync(join(frozen.root, "src/new"), "n\n");
    renameSync(at("src"), at("moved"));
    writeFileSync(at("src"), "a file now\n");
    const merged = await journal.merge(frozen, agent());
    expect(merged.conflicts).toEqual([at("src/new")]);
    expect([read("src"), read("moved/b")]).toEqual(["a file now\n", "b\n"]);
  });

  it("is shared while nothing changes: two copies have the same base", async () => {
    const { journal, at } = workspace(options);
    const [one, two] = await Promise.all([journal.freeze(agent()), journal.freeze(agent("a2"))]);
    writeFileSync(at("src/b"), "later\n");
    const three = await journal.freeze(agent("a3"));
    expect(two.base).toBe(one.base);
    expect(three.base).not.toBe(one.base);
    for (const [index, frozen] of [one, two, three].entries()) {
      writeFileSync(join(frozen.root, `made${index}`), "");
      await journal.merge(frozen, frozen.owner);
    }
    expect(existsSync(at("made0")) && existsSync(at("made1")) && existsSync(at("made2"))).toBe(true);
  });

  it("says so when its folder is gone, and removes nothing", async () => {
    const { journal, root } = workspace(options);
    const before = stateOf(root);
    const frozen = await journal.freeze(agent());
    rmSync(frozen.root, { recursive: true });
    expect((await journal.merge(frozen, agent())).failed).toEqual([
      { path: root, why: expect.stringContaining("gone") },
    ]);
    expect(stateOf(root)).toBe(before);
  });

  it("takes the agent's commits over, or puts them on a branch when both sides committed", async () => {
    const { journal, root, at } = workspace(options);
    const git = (cwd: string, ...args: string[]) =>
      execFileSync("git", ["-C", cwd, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
        encoding: "utf8",
      });
    git(root, "add", ".");
    git(root, "commit", "-qm", "zero");
    const copies = [await journal.freeze(agent()), await journal.freeze(agent("a2"))];
    for (const [index, frozen] of copies.entries()) {
      writeFileSync(join(frozen.root, `made${index}`), "m\n");
      git(frozen.root, "add", ".");
      git(frozen.root, "commit", "-qm", `work ${index}`);
    }
    expect((await journal.merge(copies[0]!, agent())).branch).toBeUndefined();
    expect(git(root, "log", "--format=%s")).toBe("work 0\nzero\n");
    expect(git(root, "status", "--porcelain")).toBe("");
    const { branch, conflicts } = await journal.merge(copies[1]!, agent("a2"));
    expect(conflicts).toEqual([]);
    expect(git(root, "log", "--format=%s", branch!)).toBe("work 1\nzero\n");
    expect(git(root, "log", "--format=%s")).toBe("work 0\nzero\n");
    expect(existsSync(at("made1"))).toBe(true);
    git(root, "fsck", "--strict");
  });
});

describe.skipIf(!viewWorks("user"))("hard links of a frozen copy", () => {
  it("are made of ignored folders only", async () => {
    const { journal, at } = workspace();
    const frozen = await journal.freeze(agent());
    const inode = (path: string) => lstatSync(path).ino;
    expect(inode(join(frozen.root, "node_modules/x/index.js"))).toBe(inode(at("node_modules/x/index.js")));
    expect(inode(join(frozen.root, "src/a"))).not.toBe(inode(at("src/a")));
  });

  it("are never written through: programs get files of their own for every change", async () => {
    const { base, journal, root, at } = workspace();
    for (const name of ["a", "b", "c", "d", "e", "f"]) writeFileSync(at(`node_modules/x/${name}`), `${name}\n`);
    const frozen = await journal.freeze(agent());
    const before = stateOf(root, (path) => path.startsWith("/.git"));
    const times = () => ["a", "b", "c", "d", "e", "f"].map((name) => lstatSync(at(`node_modules/x/${name}`)).mtimeMs);
    const then = times();
    const capture = createCapture();
    const processes = createProcesses({ around: capture.around });
    const own = openJournal({
      folder: join(frozen.folder, "journal"),
      root: frozen.root,
      capture,
      isLinked: (path) => path.startsWith(join(frozen.root, "node_modules")),
    });
    const command =
      "cd node_modules/x; echo more >> a; chmod 600 b; touch -d 2001-01-01 c; echo x > y; mv y d; rm e; ln f g; echo 2 > g";
    const outcome = await own.command(agent("k1"), { command, cwd: frozen.root }, processes.run);
    expect(outcome.output).toBe("");
    own.close();
    expect(stateOf(root, (path) => path.startsWith("/.git"))).toBe(before);
    expect(times()).toEqual(then);
    const copied = stateOf(frozen.root, (path) => path.startsWith("/.git"));
    expect((await journal.merge(frozen, agent())).conflicts).toEqual([]);
    expect(stateOf(root, (path) => path.startsWith("/.git"))).toBe(copied);
    expect(lstatSync(at("node_modules/x/c")).mtime.getUTCFullYear()).toBe(2001);
    expect(existsSync(join(base, "state/journal/annex/frozen/agents", frozen.id))).toBe(false);
  });

  it("become files of their own before a program runs without a view", async () => {
    const { journal, at } = workspace();
    const frozen = await journal.freeze(agent());
    await journal.separate(frozen);
    writeFileSync(join(frozen.root, "node_modules/x/index.js"), "in place\n");
    expect(readFileSync(at("node_modules/x/index.js"), "utf8")).toBe("x\n");
    const { applied } = await journal.merge(frozen, agent());
    expect(applied.map(({ path }) => path)).toEqual([at("node_modules/x/index.js")]);
  });
});
