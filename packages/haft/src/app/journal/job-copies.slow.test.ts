import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsText } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { describe, expect, it } from "vitest";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import type { HaftOptions } from "../haft.ts";

const places = sessionPlaces("job-copies");
/** The job goes on when the test has written this file outside the workspace. */
const WAIT = (gate: string) => `while [ ! -e ${gate} ]; do sleep 0.02; done`;

async function fresh(options: HaftOptions = {}) {
  const place = places.make("work/node_modules/x");
  const { base, cwd } = place;
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  const read = (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8") : undefined);
  write("a.txt", "1\n2\n3\n4\n5\n");
  write("untracked.txt", "u\n");
  write(".gitignore", "node_modules/\n");
  write("node_modules/x/index.js", "installed\n");
  execFileSync("git", ["-C", cwd, "init", "-q"]);
  const haft = await places.open({
    ...place.options,
    stateDir: `${place.base}/home/.local/state/haft`,
    mode: "bypassPermissions",
    loopGuard: false,
    ...options,
  });
  const call = (tool: string, input: object) => haft.call(tool, input);
  const say = async (tool: string, input: object) => contentsText((await call(tool, input)).content);
  const start = (command: string, more: object = {}) =>
    say("Bash", { command, run_in_background: true, in_copy: true, ...more });
  const ended = (id = "j1") => say("TaskOutput", { task_id: id, block: true, timeout: 30_000 });
  const gate = join(base, "go");
  return { base, cwd, haft, call, say, start, ended, read, write, gate, go: () => writeFileSync(gate, "") };
}

const hasBwrap = (await findBwrap([])) !== undefined;

describe("L03 a background job in a copy of the workspace", () => {
  it("L03 sees no later change, has ignored files, and is merged as one step of undo when it ends", {
    tags: ["smoke"],
  }, async () => {
    const { cwd, haft, say, start, ended, read, write, gate, go } = await fresh();
    const script = `pwd; ${WAIT(gate)}; cat a.txt untracked.txt node_modules/x/index.js; sed -i s/5/five/ a.txt; rm untracked.txt; echo n > new.txt`;
    const said = await start(script);
    expect(said).toContain("It works in a copy of the workspace; its changes are merged when it has ended.");
    write("a.txt", "one\n2\n3\n4\n5\n");
    expect(await say("Edit", { file_path: "a.txt", old_string: "2", new_string: "two" })).not.toContain("error");
    go();
    const over = await ended();
    expect(over).toContain(`${cwd}\n1\n2\n3\n4\n5\nu\ninstalled\n`);
    expect(over).toMatch(/Its changes are merged: a\.txt, new\.txt, untracked\.txt\. The user can undo call \S+\./);
    expect(over).toContain(`Merged with others' changes: ${cwd}/a.txt.`);
    expect([read("a.txt"), read("new.txt"), read("untracked.txt")]).toEqual([
      "one\ntwo\n3\n4\nfive\n",
      "n\n",
      undefined,
    ]);
    const undone = await haft.undo();
    expect([undone.losses, undone.calls.map(({ tool }) => tool)]).toEqual([[], ["Bash"]]);
    expect([read("a.txt"), read("new.txt"), read("untracked.txt")]).toEqual(["one\ntwo\n3\n4\n5\n", undefined, "u\n"]);
  });

  it("L03 leaves the workspace alone while it runs, and ends what it leaves running before the merge", async () => {
    const { start, ended, read, gate, go } = await fresh();
    await start(`echo early > early.txt; ${WAIT(gate)}; (sleep 30; echo late > late.txt) & echo over`);
    expect(read("early.txt")).toBeUndefined();
    go();
    expect(await ended()).toContain("Its remaining processes were ended with it, because it ran in a copy.");
    expect([read("early.txt"), read("late.txt")]).toEqual(["early\n", undefined]);
  });

  it("L03 holds its version of lines that others changed too", async () => {
    const { haft, call, start, ended, read, write, gate, go } = await fresh({
      ask: async () => ({ behavior: "allow" }),
    });
    await start(`${WAIT(gate)}; sed -i s/3/job/ a.txt; echo fine > b.txt`);
    write("a.txt", "1\n2\nperson\n4\n5\n");
    go();
    expect(await ended()).toMatch(/Others changed these too, so the job's version is held as \S+ \(HeldChanges\)/);
    expect([read("a.txt"), read("b.txt")]).toEqual(["1\n2\nperson\n4\n5\n", "fine\n"]);
    const { output } = await haft.call("HeldChanges", { action: "list" });
    const { held } = output as { readonly held: readonly { readonly id: string }[] };
    expect(held).toMatchObject([{ tool: "Bash" }]);
    await call("HeldChanges", { action: "commit", id: held[0]?.id });
    expect(read("a.txt")).toBe("1\n2\njob\n4\n5\n");
  });

  it("L03 tells the changes of a job that ends at once, and of one that fails", async () => {
    const { start, read } = await fresh();
    expect(await start("echo quick > quick.txt", { wait_ms: 20_000 })).toContain("Its changes are merged: quick.txt.");
    const failed = await start("echo half > half.txt; exit 3", { wait_ms: 20_000 });
    expect(failed).toContain("half.txt");
    expect(failed).toMatch(/exit code 3/i);
    expect([read("quick.txt"), read("half.txt")]).toEqual(["quick\n", "half\n"]);
    expect(await start("true", { wait_ms: 20_000 })).toContain("It changed no files.");
  });

  it("L03 keeps what it did until the session ends", async () => {
    const { haft, say, start, read } = await fresh();
    const said = await start("echo kept > kept.txt; echo ready; sleep 30", { wait_ms: 300 });
    if (!said.includes("ready"))
      await expect.poll(() => say("process", { action: "log", id: "j1" })).toContain("ready");
    await haft[Symbol.asyncDispose]();
    expect(read("kept.txt")).toBe("kept\n");
  });

  it("L03 starts nothing where there is no copy", async () => {
    const off = await fresh({ journal: false });
    expect(await off.start("echo x > x.txt")).toMatch(
      /There is no copy of the workspace for a job: The journal is off/,
    );
    const direct = await fresh({ settings: { journal: { tier: "direct" } } });
    expect(await direct.start("echo x > x.txt")).toMatch(/gets no copy of the workspace here/);
    const { error } = await direct.call("Bash", { command: "true", in_copy: true });
    expect(error).toMatchObject({ code: "validation_failed", message: "in_copy is only for background commands." });
    expect([off.read("x.txt"), direct.read("x.txt")]).toEqual([undefined, undefined]);
  });

  it.skipIf(!hasBwrap)("F30 L03 runs unasked in mode undoable, in the sandbox, though it changes files", async () => {
    const asked: string[] = [];
    const { haft, start, ended, read } = await fresh({
      mode: "undoable",
      ask: async ({ tool }) => {
        asked.push(tool);
        return { behavior: "deny" };
      },
    });
    const hook = `require("fs").writeFileSync(".git/hooks/post-checkout", "")`;
    const said = await start(`sed -i s/1/one/ a.txt; rm untracked.txt; ${process.execPath} -e '${hook}' || true`);
    const over = await ended();
    expect([read("a.txt"), read("untracked.txt")], said + over).toEqual(["one\n2\n3\n4\n5\n", undefined]);
    expect(read(".git/hooks/post-checkout")).toBeUndefined();
    expect(asked).toEqual([]);
    await haft.undo();
    expect([read("a.txt"), read("untracked.txt")]).toEqual(["1\n2\n3\n4\n5\n", "u\n"]);
  });
});
