import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { canTrace } from "../../../../../journal/test/support/placed-fault.ts";
import { ended, HAFT, type Scratch, scratch } from "../../../../test/support/haft-process.ts";

let place: Scratch;
beforeEach(() => {
  place = scratch();
  place.write("a.txt", "one\n");
});
afterEach(() => place[Symbol.dispose]());

const hasBwrap = (await findBwrap([])) !== undefined;
const bash = (command: string, more: object = {}) => ["call", "Bash", JSON.stringify({ command, ...more })];
const text = (name: string) =>
  existsSync(join(place.cwd, name)) ? readFileSync(join(place.cwd, name), "utf8") : undefined;

describe.skipIf(!hasBwrap)("haft held", () => {
  const dryRun = () => place.haft([...bash("sed -i s/one/two/ a.txt; echo b > b.txt", { dry_run: true })]);
  const ids = async () =>
    (await place.haft(["held", "--json"])).stdout
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line).id as string]));

  it("W05 a dry run's held change is listed, shown, applied and undone", async () => {
    expect((await dryRun()).stdout).toContain("haft held commit");
    const [id = ""] = await ids();
    expect((await place.haft(["held", "show", id.slice(0, 10)])).stdout).toMatch(
      /a\.txt: file changed\n.*-one\n.*\+two/s,
    );
    expect(text("a.txt")).toBe("one\n");
    expect(await place.haft(["held", "commit", id])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("b.txt: file made"),
    });
    expect([text("a.txt"), text("b.txt"), await ids()]).toEqual(["two\n", "b\n", []]);
    await place.haft(["undo"]);
    expect([text("a.txt"), text("b.txt")]).toEqual(["one\n", undefined]);
  });

  it("W05 U09 a diff shows what talks to a terminal, and leaves nothing out for it", { tags: ["smoke"] }, async () => {
    place.write("made.sh", `printf 'first\\n\\033]0;x\\nrm -rf /\\n\\007\\nlast\\n' > "$(printf 'a\\nb.txt')"`);
    const { stdout: said } = await place.haft([...bash("sh made*", { dry_run: true })]);
    expect(said).toMatch(/^ {2}a␊b\.txt: file made\n {4}@@ -0,0 /m);
    expect(said).toContain("haft held commit");
    const [id = ""] = await ids();
    const { stdout } = await place.haft(["held", "show", id]);
    expect(stdout).toMatch(/^ {2}a␊b\.txt: file made\n {4}@@ -0,0 /m);
    for (const line of ["+first", "+␛]0;x", "+rm -rf /", "+␇", "+last"]) expect(stdout).toContain(`    ${line}\n`);
  });

  it("W05 W07 a killed command's changes are listed at once, with the reason, and can be applied", async () => {
    const begun = join(place.cwd, "../begun");
    const child = place.start([...bash(`echo kept > k.txt; touch ${begun}; sleep 60`), "--allow", "Bash"]);
    while (!existsSync(begun)) await wait(20);
    child.kill("SIGKILL");
    await ended(child);
    const { stdout, stderr } = await place.haft(["held"]);
    expect(stdout).toMatch(/\(Bash\): was cut off when Haft was killed\n$/);
    expect(stderr).toMatch(
      /killed in the middle of Bash \(call c1 of session .+\): .*its changes are held.*haft held commit /s,
    );
    expect((await place.haft(["held"])).stderr).toBe("");
    const [id = ""] = await ids();
    await place.haft(["held", "commit", id]);
    expect(text("k.txt")).toBe("kept\n");
  });

  it.skipIf(!canTrace)("W05 W07 a commit that was killed is completed by the next command, which says so", async () => {
    place.write("b.txt", "b\n");
    await place.haft(bash("rm a.txt; ln -s b.txt a.txt; rm b.txt", { dry_run: true }));
    const [id = ""] = await ids();
    const trace = ["-f", "-o", "/dev/null", "-e", "trace=symlink", "-e", "inject=symlink:signal=SIGKILL:when=1"];
    const { cwd, env } = place;
    const command = [process.execPath, ...HAFT, "held", "commit", id];
    expect(spawnSync("strace", [...trace, ...command], { cwd, env }).signal).toBe("SIGKILL");
    const { stderr } = await place.haft(["held", "commit", id]);
    expect(stderr).toMatch(/killed in the middle of Bash \(call c1 of session .+\): its changes are now applied\./);
    expect([lstatSync(join(cwd, "a.txt")).isSymbolicLink(), text("b.txt")]).toEqual([true, undefined]);
    await place.haft(["undo"]);
    expect([text("a.txt"), text("b.txt")]).toEqual(["one\n", "b\n"]);
  });

  it("W05 the list of what waits for an answer says that a result is held", async () => {
    expect((await place.haft(["approvals", "list"])).stdout).toBe("No questions are waiting.\n");
    await dryRun();
    expect((await place.haft(["approvals", "list"])).stdout).toContain(
      "The changes of one command are held. Apply or discard them: haft held list",
    );
    expect((await place.haft(["approvals", "list", "--json"])).stdout).toBe("[]\n");
  });

  it("W04 a batch as a dry run changes nothing and asks nobody", async () => {
    const calls = [
      { tool: "Write", input: { file_path: "new.txt", content: "x" } },
      { tool: "Bash", input: { command: "rm a.txt" } },
    ];
    const { code, stdout } = await place.haft(["batch", "--dry-run"], { input: JSON.stringify(calls) });
    expect(code).toBe(0);
    expect(
      stdout
        .split("\n")
        .slice(0, 2)
        .map((line) => JSON.parse(line).text ?? line),
    ).toEqual([
      expect.stringContaining("Dry run: nothing was changed."),
      expect.stringContaining("a.txt: file removed"),
    ]);
    expect([text("a.txt"), text("new.txt")]).toEqual(["one\n", undefined]);
  });

  it("W03 W05 a file that was changed meanwhile is a conflict, and a discarded change is gone", async () => {
    await dryRun();
    const [id = ""] = await ids();
    writeFileSync(join(place.cwd, "a.txt"), "theirs\n");
    expect((await place.haft(["held", "commit", id])).code).toBe(1);
    expect([text("a.txt"), text("b.txt")]).toEqual(["theirs\n", "b\n"]);
    const [left = ""] = await ids();
    await place.haft(["held", "discard", left]);
    expect(await ids()).toEqual([]);
    expect(await place.haft(["held", "show", left])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("haft held list"),
    });
  });

  it("W03 W05 a command whose file was changed meanwhile says so, and how its version is applied", async () => {
    const [begun, go] = [join(place.cwd, "../begun"), join(place.cwd, "../go")];
    const work = `echo two >> a.txt; touch ${begun}; while [ ! -e ${go} ]; do sleep 0.02; done`;
    const child = place.start([...bash(work), "--allow", "Bash"]);
    const end = ended(child);
    while (!existsSync(begun)) await wait(20);
    writeFileSync(join(place.cwd, "a.txt"), "theirs\n");
    writeFileSync(go, "");
    const { code, stdout, stderr } = await end;
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /a\.txt\. The command's version is held\. `haft held commit \S+ --force` applies it all the same\./,
    );
    expect(stderr).toMatch(/^conflict: The command has ended, but some of its changes were not applied: somebody else/);
  });

  it("W05 a file that somebody has changed in the held view is not applied", async () => {
    await dryRun();
    const [id = ""] = await ids();
    const shown = JSON.parse((await place.haft(["held", "show", id, "--json"])).stdout);
    expect(shown.changes.map(({ path }: { path: string }) => path)).toEqual([
      join(place.cwd, "a.txt"),
      join(place.cwd, "b.txt"),
    ]);
    const { globSync } = await import("node:fs");
    const [upper = ""] = globSync(`${place.env.HAFT_STATE_DIR}/**/upper/b.txt`);
    writeFileSync(upper, "evil\n");
    expect(await place.haft(["held", "commit", id])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("have changed since they were shown"),
    });
    expect([text("a.txt"), text("b.txt")]).toEqual(["one\n", undefined]);
  });
});

describe("haft log", () => {
  const heads = () => join(place.cwd, "..", "heads.jsonl");
  const withHead = () => ["--settings", place.write("../s.json", JSON.stringify({ journal: { head: heads() } }))];
  const write = (content: string, ...more: string[]) =>
    place.haft(["call", "Write", JSON.stringify({ file_path: "b.txt", content }), "--allow", "Write", ...more]);

  it("shows what calls changed, all of a session or one", async () => {
    await write("first\n");
    expect((await place.haft(["log", "--diff"])).stdout).toMatch(/b\.txt: file made\n.*\+first/s);
    expect((await place.haft(["log", "--diff", "c1", "--json"])).stdout).toContain('"changes":[{"path"');
    expect(await place.haft(["log", "--diff", "c9"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no call"),
    });
  });

  it("W08 verify finds a line that was changed, taken out, or is missing at the end where a head is kept elsewhere", async () => {
    const more = withHead();
    await write("first\n", ...more);
    await write("second\n", ...more, "--session", "last");
    expect(await place.haft(["log", "verify", ...more])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("The records are whole."),
    });
    const record = JSON.parse((await place.haft(["log", "verify", "--json", ...more])).stdout).records[0]
      .path as string;
    const lines = readFileSync(record, "utf8").split("\n");
    const tamper = async (changed: readonly string[]) => {
      writeFileSync(record, changed.join("\n"));
      return JSON.parse((await place.haft(["log", "verify", "--json", ...more])).stdout);
    };
    expect(await tamper(lines.with(1, lines[1]!.replace("Write", "Read")))).toMatchObject({
      sound: false,
      records: [{ broken: [3] }, {}],
    });
    expect(await tamper(lines.toSpliced(1, 1))).toMatchObject({ sound: false, records: [{ broken: [2] }, {}] });
    expect(await tamper(lines.toSpliced(-2, 1))).toMatchObject({
      sound: false,
      records: [{ broken: [], hasHead: false }, {}],
    });
    expect(await tamper(lines)).toMatchObject({ sound: true });
  });

  it("W08 verify looks for heads where the settings of a trusted folder keep them", async () => {
    place.write(".haft/settings.json", JSON.stringify({ journal: { head: heads() } }));
    await place.haft(["trust"]);
    await write("first\n");
    const found = JSON.parse((await place.haft(["log", "verify", "--json"])).stdout);
    expect(found).toMatchObject({ sound: true, records: [{ hasHead: true }, { hasHead: true }] });
  });

  it("W08 verify knows a session whose record was emptied: by its head, and without one by what it changed", async () => {
    const more = withHead();
    await write("first\n", ...more);
    await place.haft(["call", "Write", '{"file_path": "d.txt", "content": "x"}', "--allow", "Write", ...more]);
    const verified = async (...args: string[]) =>
      JSON.parse((await place.haft(["log", "verify", "--json", ...args])).stdout);
    const { session, records } = await verified(...more);
    writeFileSync(records[0].path, "");
    for (const args of [more, []]) {
      const found = await verified(...args);
      expect([found.sound, found.session === session]).toEqual([false, false]);
      expect(found.records[2]).toMatchObject({ path: records[0].path, lines: 0, isEmptied: true });
    }
    rmSync(records[0].path);
    expect((await verified(...more)).records[2]).toMatchObject({ path: records[0].path, hasHead: false });
  });

  it("W08 the head that is kept is the one after old contents were dropped", async () => {
    const journal = { head: heads(), bytes: 1_000_000 };
    const more = ["--settings", place.write("../s.json", JSON.stringify({ journal }))];
    const verified = async () => JSON.parse((await place.haft(["log", "verify", "--json", ...more])).stdout);
    const isCollected = (path: string) => readFileSync(path, "utf8").startsWith('{"t":"collected"');
    let path = "";
    for (let at = 0; at < 8 && !(path && isCollected(path)); at++) {
      place.write("b.txt", `${at}${"x".repeat(300_000)}`);
      await place.haft(["call", "Bash", '{"command": "echo small > b.txt"}', "--allow", "Bash", ...more]);
      const { sound, records } = await verified();
      path = records[1].path;
      expect(sound).toBe(true);
    }
    expect(isCollected(path)).toBe(true);
  });

  it("W08 undo tells of a journal that is not what was written", async () => {
    const more = withHead();
    await write("first\n", ...more);
    expect(await place.haft(["undo", "--preview", ...more])).toMatchObject({ code: 0, stderr: "" });
    const { path } = JSON.parse((await place.haft(["log", "verify", "--json", ...more])).stdout).records[1];
    const lines = readFileSync(path, "utf8").split("\n");
    const told = { stderr: expect.stringMatching(/journal was altered.*haft log verify/) };
    writeFileSync(path, lines.with(0, lines[0]!.replace("c1", "c7")).join("\n"));
    expect(await place.haft(["undo", "--preview"])).toMatchObject(told);
    writeFileSync(path, `${lines[0]}\n`);
    expect(await place.haft(["undo", "--preview", ...more])).toMatchObject(told);
  });

  it("W08 verify misses what was taken back, too, when it was cut off the journal", async () => {
    const more = withHead();
    await write("first\n", ...more);
    const verified = async () => JSON.parse((await place.haft(["log", "verify", "--json", ...more])).stdout);
    const journal = (await verified()).records[1].path as string;
    const before = readFileSync(journal, "utf8");
    expect((await place.haft(["undo", ...more])).code).toBe(0);
    expect(await verified()).toMatchObject({ sound: true, records: [{ hasHead: true }, { hasHead: true }] });
    writeFileSync(journal, before);
    expect(await verified()).toMatchObject({ sound: false, records: [{ hasHead: true }, { hasHead: false }] });
  });
});

it("W06 a mode whose tier is missing is refused, with the cure", async () => {
  const refused = await place.haft(["call", "Read", "{}", "--mode", "undoable"], { env: { HAFT_JOURNAL: "off" } });
  expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("views or copies") });
});
