import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAttributes, writeAttributes } from "@haft/host/files";
import { afterAll, describe, expect, it } from "vitest";
import { stateOf } from "../../../../../journal/test/support/journal.ts";
import { canTrace } from "../../../../../journal/test/support/placed-fault.ts";
import { viewWorks } from "../../../../../journal/test/support/view.ts";
import { HAFT, type Scratch, scratch } from "../../../../test/support/haft-process.ts";

/** `HAFT_FAULTS=1` tries each step. */
const STRIDE = Number(process.env.HAFT_FAULTS ?? 15);
/** Any start finds something new, but CI must not fail by chance. */
const FIRST = process.env.CI ? 1 : 1 + Math.floor(Math.random() * STRIDE);

const library = mkdtempSync(join(tmpdir(), "haft-failing-disk-"));
afterAll(() => rmSync(library, { recursive: true, force: true }));
const source = join(import.meta.dirname, "../../../../test/support/failing-disk.c");
const isBuilt =
  process.platform === "linux" &&
  spawnSync("cc", ["-shared", "-fPIC", "-O1", "-w", "-o", join(library, "disk.so"), source, "-ldl"]).status === 0;

const PATCH = [
  ...["*** Begin Patch", "*** Update File: a.txt", "@@", "-old", "+new", "*** Add File: n/er/b", "+b"],
  ...["*** Add File: n/c", "+c", "*** Delete File: d.txt", "*** End Patch"],
].join("\n");
const SCRIPT =
  "echo new > a.txt; rm d.txt; mkdir -p n/er; echo b > n/er/b; chmod 600 e.txt; for i in 1 2 3 4; do echo $i > p$i; done";
const call = (tool: string, input: object) => ["call", tool, JSON.stringify(input), "--allow", tool];

interface Case {
  readonly name: string;
  readonly args: readonly string[];
  /** The steps before it. */
  readonly before?: readonly string[];
}

const patch = call("apply_patch", { input: PATCH });
const commands: readonly Case[] = [
  { name: "Write", args: call("Write", { file_path: "n/er/b", content: "b" }) },
  { name: "apply_patch", args: patch },
  // Without a view a command's own shell writes.
  ...(viewWorks("user") ? [{ name: "Bash", args: call("Bash", { command: SCRIPT }) }] : []),
  { name: "undo", args: ["undo"], before: patch },
];
const cases = commands.flatMap((one) => ["an error", "a kill"].map((how) => ({ ...one, how })));

async function prepared(before: readonly string[] | undefined): Promise<Scratch> {
  const place = scratch();
  for (const name of ["a.txt", "d.txt", "e.txt"]) place.write(name, "old\n");
  if (before) await place.haft(before);
  return place;
}

/** New content on its way in, and old content on its way out. The next command that needs the journal removes them. */
const isTemporary = (path: string): boolean => /\/\.haft-[^/]+\.(tmp|old)$/.test(path);

/** Everything but folders, by path: a folder is writable for its owner while it is filled. */
const filesOf = (cwd: string): readonly string[] =>
  stateOf(cwd, isTemporary)
    .split("\n")
    .filter((line) => line.includes(" file "));

it.skipIf(!viewWorks("user"))("W07 a full disk is told once, and no half-written old content stays on it", async () => {
  using place = scratch();
  place.write("a.bin", "old".repeat(600_000));
  const { cwd, env } = place;
  const state = env.HAFT_STATE_DIR ?? "";
  mkdirSync(state);
  const script = `mount -t tmpfs -o size=400k haft-test ${state} || exit 77; "$@"; find ${state} -name '*.tmp'`;
  const asUser = process.geteuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const program = [process.execPath, ...HAFT, ...call("Bash", { command: "rm a.bin" })];
  const run = spawnSync("unshare", [...asUser, "--mount", "sh", "-c", script, "sh", ...program], { cwd, env });
  if (run.status === 77)
    return void process.stderr.write("No tmpfs can be mounted here: the full disk is not tried.\n");
  const told = /^no_space: The command has ended, but .*: the disk is full\.\nMake room below (.+)\/workspaces\/.*\n$/;
  expect(run.stderr.toString().match(told)?.[1]).toBe(state);
  expect(run.stdout.toString()).toMatch("haft held commit");
  expect(run.stdout.toString()).not.toMatch(".tmp");
  expect(existsSync(join(cwd, "a.bin"))).toBe(true);
});

it.skipIf(!viewWorks("user")).each(["view", "clone"])(
  "W07 in the tier %s the workspace's full disk is named, not that of the journal",
  (tier) => {
    using place = scratch();
    const { cwd, env } = place;
    const settings = place.write("../s.json", JSON.stringify({ journal: { tier } }));
    const fill = "mkdir w; cd w; echo old > a; head -c 2m /dev/zero > fill";
    const script = `mount -t tmpfs -o size=1m haft-test ${cwd} || exit 77; cd ${cwd}; ${fill}; "$@"`;
    const asUser = process.geteuid?.() === 0 ? [] : ["--user", "--map-root-user"];
    const program = [process.execPath, ...HAFT, ...call("Bash", { command: "rm a" }), "--settings", settings];
    const run = spawnSync("unshare", [...asUser, "--mount", "sh", "-c", script, "sh", ...program], { cwd, env });
    if (run.status === 77) return;
    expect(run.stderr.toString()).toContain(`The workspace or its copy could not be written: the disk is full`);
    expect(run.stderr.toString()).toContain(`Make room below ${cwd}/w, then try again.`);
  },
);

it.skipIf(!canTrace || !viewWorks("user")).each([
  ["unlink", 1, "Applied"],
  ["unlink", 2, "Applied"],
  ["unlink", 3, "Applied"],
  ["write", 1, "Nothing was applied. The journal could not be written: the disk reports errors"],
  ["write", 2, "Applied"],
  ["write", 3, "Applied"],
])(
  "W05 W07 with an error at %s %d of Haft's own files, `haft held commit` says whether it applied",
  async (name, when, said) => {
    using place = scratch();
    const { cwd, env } = place;
    place.write("a", "old\n");
    await place.haft(call("Bash", { command: "echo new > a; sleep 60", timeout: 1000 }));
    const id = JSON.parse((await place.haft(["held", "--json"])).stdout).id as string;
    const [log = ""] = globSync(join(env.HAFT_STATE_DIR ?? "", "**/journal.jsonl"));
    const only = name === "write" ? ["-P", log] : [];
    const trace = [
      "-f",
      "-o",
      "/dev/null",
      ...only,
      "-e",
      `trace=${name}`,
      "-e",
      `inject=${name}:error=EIO:when=${when}`,
    ];
    const commit = [process.execPath, ...HAFT, "held", "commit", id];
    const { stdout, stderr, status } = spawnSync("strace", [...trace, ...commit], { cwd, env, encoding: "utf8" });
    const isApplied = said === "Applied";
    expect(`${stdout}${stderr}`).toContain(said);
    expect([status, readFileSync(join(cwd, "a"), "utf8")]).toEqual(isApplied ? [0, "new\n"] : [1, "old\n"]);
    expect((await place.haft(["held", "commit", id])).code).toBe(isApplied ? 1 : 0);
    const { code, stderr: doubt } = await place.haft(["undo"]);
    expect([code, doubt, readFileSync(join(cwd, "a"), "utf8")]).toEqual([0, "", "old\n"]);
  },
);

it.skipIf(!canTrace)(
  "W08 L01 an undo whose attribute program is killed says what is back and what is not",
  async (context) => {
    using place = scratch();
    const { cwd, env } = place;
    const own = { "user.own": Buffer.from("v").toString("hex") };
    place.write("b", "b\n");
    mkdirSync(join(cwd, "q"));
    if (writeAttributes([{ path: join(cwd, "q"), attributes: own }]).size > 0) return context.skip();
    await place.haft(call("Bash", { command: "rm -r q b" }));
    const trace = ["-f", "-o", "/dev/null", "-e", "trace=lsetxattr", "-e", "inject=lsetxattr:signal=SIGKILL:when=1"];
    const undo = spawnSync("strace", [...trace, process.execPath, ...HAFT, "undo"], { cwd, env, encoding: "utf8" });
    expect([undo.status, undo.stdout]).toEqual([
      1,
      [
        "Undone: c1 (Bash)",
        "  b: file restored",
        "  q: folder restored",
        "  q: not completely undone. These attributes could not be set: user.own.\n",
      ].join("\n"),
    ]);
    expect((await place.haft(["undo"])).code).toBe(0);
    expect(readAttributes([join(cwd, "q")])?.get(0)).toEqual(own);
  },
);

describe.skipIf(!isBuilt)("a disk that fails under haft", () => {
  for (const { name, how, args, before } of cases)
    it(`W07 at no step of ${name} does ${how} leave half a file, or keep undo from bringing all of it back`, {
      tags: name === "Write" ? ["smoke"] : [],
      timeout: 300_000,
    }, async () => {
      using whole = await prepared(before);
      const start = filesOf(whole.cwd);
      await whole.haft(args);
      const end = filesOf(whole.cwd);
      const known = new Set([...start, ...end]);
      let tried = 0;
      for (let at = FIRST; ; at += STRIDE) {
        using place = await prepared(before);
        const base = join(place.cwd, "..");
        const seen = join(library, `seen-${at}-${how}`);
        rmSync(seen, { force: true });
        const env = { LD_PRELOAD: join(library, "disk.so"), FAIL_BELOW: base, FAIL_AT: `${at}`, FAIL_SEEN: seen };
        const { code, stderr, stdout } = await place.haft(args, {
          env: how === "a kill" ? { ...env, FAIL_BY_KILL: "1" } : env,
        });
        if (!existsSync(seen)) break;
        tried += 1;
        const step = `step ${at}: ${stdout}${stderr}`;
        // The exit code alone must tell that the work was not done.
        if (code === 0) expect(filesOf(place.cwd), step).toEqual(end);
        expect(`${stdout}${stderr}`, step).not.toMatch(/\n {4}at |node:internal/);
        expect(
          filesOf(place.cwd).filter((line) => !known.has(line)),
          step,
        ).toEqual([]);
        const undone = await place.haft(["undo", "--all"]);
        const isDone = undone.code === 0 || /nothing to undo|undone already/.test(undone.stderr);
        expect(isDone, `${step}\n${undone.stdout}${undone.stderr}`).toBe(true);
        expect(stateOf(place.cwd), step).toBe("/a.txt file 644 old\n\n/d.txt file 644 old\n\n/e.txt file 644 old\n");
        const verified = await place.haft(["log", "verify"]);
        expect(
          verified.code === 0 || /no session|no record/i.test(verified.stderr),
          verified.stdout + verified.stderr,
        ).toBe(true);
      }
      expect(tried).toBeGreaterThan(1);
    });
});
