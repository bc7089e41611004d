import { execFileSync } from "node:child_process";
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run as runEffect } from "@haft/core/tool";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { benches, createBench, stateOf } from "../../test/support/journal.ts";
import { makeRepository, script, scriptEnv } from "../../test/support/mutations.ts";

const RUNS = Number(process.env.HAFT_UNDO_SCRIPTS ?? 30);
const opened = benches();
/** A machine on which no view can be made. */
const fresh = () => opened({ variants: [], copies: "none" });

/** An index that stages the same is the same: git writes it anew whenever it looks at the files. */
const withoutIndex = (folder: string) => stateOf(folder, (path) => path.endsWith("/.git/index"));

/** A small file that a command has filled with more than is kept of a file. */
async function filled() {
  const bench = fresh();
  const file = join(bench.root, "a");
  writeFileSync(file, "small");
  writeFileSync(join(bench.root, "huge"), Buffer.alloc(1_000_000));
  await bench.shell("cp huge a", { id: "filled" });
  return { ...bench, file };
}

describe("a command in the workspace itself", () => {
  it("W08 old content comes from git and from copies; a change without any is told and not undone", {
    tags: ["smoke"],
  }, async () => {
    const { root, shell, journal } = fresh();
    const big = "big and tracked\n".repeat(30_000);
    writeFileSync(join(root, "tracked"), big);
    execFileSync("git", ["-C", root, "init", "-q"]);
    execFileSync("git", ["-C", root, "add", "tracked"]);
    writeFileSync(join(root, "small"), "untracked");
    writeFileSync(join(root, "huge"), Buffer.alloc(1_000_000));
    const { output } = await shell("echo > tracked; rm small; echo more >> huge; echo new > made");
    expect(output).toMatch(/^\[Not undoable: huge\. Its old content is lost/);
    const { losses } = await journal.undo();
    expect(losses).toMatchObject([{ path: join(root, "huge") }]);
    expect(readFileSync(join(root, "tracked"), "utf8") === big).toBe(true);
    expect(readFileSync(join(root, "small"), "utf8")).toBe("untracked");
    expect(readdirSync(root)).toEqual([".git", "huge", "small", "tracked"]);
  });

  it("W08 a socket that a command made is told and listed as not undone; the rest is undone", async () => {
    const { root, shell, journal } = fresh();
    for (const name of ["gone", "sock"]) writeFileSync(join(root, name), name);
    const listen = (name: string) =>
      `"${process.execPath}" -e 'require("net").createServer().listen("${name}", () => process.kill(process.pid, 9))'`;
    const { output } = await shell(`rm gone sock; ${listen("sock")}; ${listen("new")}; true`);
    expect(output).toMatch(
      /\[Not undoable: (sock, new|new, sock)\. It is a socket, which undo leaves; `rm` removes it\.\]/,
    );
    const losses = ["sock", "new"].map((name) => expect.objectContaining({ path: join(root, name) }));
    expect((await journal.undo()).losses).toEqual(losses);
    expect(readdirSync(root)).toEqual(["gone", "new", "sock"]);
    rmSync(join(root, "sock"));
    expect((await journal.undo()).losses).toEqual([]);
    expect(readFileSync(join(root, "sock"), "utf8")).toBe("sock");
  });

  it("W05 W08 its changes are told as those of its time; the undo of one that ran meanwhile is named", async () => {
    const { root, base, shell, journal } = fresh();
    const gate = (name: string) => `touch ${base}/${name}-runs; while [ ! -e ${base}/${name} ]; do sleep 0.05; done`;
    const running = async (name: string, command: string) => {
      const run = shell(command, { id: name });
      await expect.poll(() => existsSync(join(base, `${name}-runs`)), { timeout: patience(10_000) }).toBe(true);
      return { ended: () => run, go: () => writeFileSync(join(base, name), "") };
    };
    const first = await running("c1", `echo one > h; ${gate("c1")}; echo two >> h`);
    const second = await running("c2", `echo mine > other; ${gate("c2")}`);
    first.go();
    await first.ended();
    second.go();
    await second.ended();
    const { calls, changed } = await journal.undo();
    expect(calls).toMatchObject([{ id: "c2", isDirect: true }]);
    expect(changed.map(({ path }) => path).sort()).toEqual([join(root, "h"), join(root, "other")]);
    await expect(journal.undo()).rejects.toThrow("h: the undo of call c2 (Bash) changed it afterwards");
  });

  it("content that a filter of git's stands before is not taken for the file's", async () => {
    const { root, shell, journal } = fresh();
    execFileSync("git", ["-C", root, "init", "-q"]);
    const crlf = "a\r\nb\r\n".repeat(60_000);
    writeFileSync(join(root, ".gitattributes"), "*.txt text\n");
    writeFileSync(join(root, "a.txt"), crlf);
    execFileSync("git", ["-C", root, "add", "-A"], { stdio: "ignore" });
    await shell("rm a.txt");
    expect((await journal.undo()).losses).toMatchObject([{ path: join(root, "a.txt") }]);
  });

  it("programs that a repository names as its filters are not started for it", async () => {
    const { root, shell, journal } = fresh();
    const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { stdio: "ignore" });
    git("init", "-q");
    for (const name of ["big.txt", "small.txt"])
      writeFileSync(join(root, name), "a\n".repeat(name === "big.txt" ? 200_000 : 9));
    writeFileSync(join(root, ".gitattributes"), "*.txt filter=own\n");
    git("add", "-A");
    git("config", "filter.own.smudge", `touch ${root}/started; cat`);
    git("config", "filter.own.clean", `touch ${root}/started; cat`);
    await shell("rm small.txt big.txt");
    const { losses } = await journal.undo();
    expect(losses).toMatchObject([{ path: join(root, "big.txt") }]);
    expect(readdirSync(root)).toEqual([".git", ".gitattributes", "small.txt"]);
  });

  it("programs that let others work run there: they would not see the view", async () => {
    const bench = opened();
    const effects = [runEffect({ argv: ["docker", "run"], text: "docker run", cwd: bench.root })];
    const { output } = await bench.shell("cat /proc/self/mounts", {}, { bound: { effects, holes: [] } });
    expect(output).not.toContain(`haft ${bench.root} overlay`);
  });

  it("a file that was written and then linked over another comes back, and so does the other", async () => {
    const bench = fresh();
    makeRepository(bench.root);
    const before = withoutIndex(bench.root);
    await bench.shell("echo more >> b; ln -f b run.sh", {}, { env: scriptEnv });
    expect((await bench.journal.undo()).losses).toEqual([]);
    expect(withoutIndex(bench.root)).toBe(before);
  });

  it("W08 an earlier change is undone over the leftovers of a lost one", async () => {
    const { file, shell, journal } = await filled();
    await shell("rm a; mkdir a; echo in > a/in", { id: "replaced" });
    expect((await journal.undo({ call: "replaced" })).losses).toMatchObject([{ path: file }]);
    expect(await journal.undo({ call: "filled" })).toMatchObject({ kept: [], losses: [] });
    expect(readFileSync(file, "utf8")).toBe("small");
  });

  it("W08 a leftover that is another name of a file is replaced, and that file stays", async () => {
    const { root, shell, journal } = fresh();
    writeFileSync(join(root, "a"), "a");
    writeFileSync(join(root, "b"), "b");
    linkSync(join(root, "b"), join(root, "b2"));
    await shell("truncate -s 300000 b", { id: "filled" });
    await shell("ln -f a b2", { id: "linked" });
    await journal.undo({ all: true });
    expect(["a", "b", "b2"].map((name) => readFileSync(join(root, name), "utf8"))).toEqual(["a", "b", "b"]);
  });

  it("W08 a person's change to the leftovers of a lost one is kept", async () => {
    const { file, shell, journal } = await filled();
    await shell("echo short > a", { id: "cut" });
    expect((await journal.undo({ call: "cut" })).losses).toMatchObject([{ path: file }]);
    writeFileSync(file, "by a person");
    await expect(journal.undo({ call: "filled" })).rejects.toMatchObject({ code: "conflict" });
    expect(readFileSync(file, "utf8")).toBe("by a person");
  });

  it("W01 undo after any script of commands is identity where nothing is too big", {
    timeout: 20_000 + RUNS * 2_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(script, async (command) => {
        const bench = createBench({ variants: [] });
        try {
          makeRepository(bench.root);
          const before = withoutIndex(bench.root);
          await bench.shell(`${command}\nwait`, {}, { env: scriptEnv });
          const after = withoutIndex(bench.root);
          const [entry] = bench.journal.history().entries;
          if (entry?.state === "dropped") {
            expect(after).toBe(before);
            return;
          }
          expect((await bench.journal.undo()).losses).toEqual([]);
          expect(withoutIndex(bench.root)).toBe(before);
          await bench.journal.redo();
          expect(withoutIndex(bench.root)).toBe(after);
        } finally {
          bench.close();
        }
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  });
});
