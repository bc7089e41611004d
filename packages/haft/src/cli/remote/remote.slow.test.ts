// The command line on another machine, over a real sshd on a loopback port.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, say, streamOf } from "../../../../../test/support/anthropic-wire.ts";
import { hasSshd, startSshd, type TestSshd } from "../../../../../test/support/ssh-server.ts";
import { wireServer } from "../../../../../test/support/wire-server.ts";
import { jsonLines, type Scratch, scratch } from "../../../test/support/haft-process.ts";

let server: TestSshd;
let place: Scratch;
let count = 0;
/** The folder on the other machine. */
let there: string;

beforeAll(async () => {
  if (hasSshd) server = await startSshd();
});
afterAll(() => server?.[Symbol.asyncDispose]());
beforeEach(() => {
  place = scratch();
  if (!hasSshd) return;
  there = join(server.base, `app-${++count}`);
  mkdirSync(there);
  writeFileSync(join(there, "a.txt"), "one\n");
});
afterEach(() => place[Symbol.dispose]());

const on = () => ["--remote", server.address(there), "--remote-node", process.execPath];
const haft = (args: readonly string[], env: Record<string, string> = {}) =>
  place.haft([...args, ...on()], { env: { PATH: `${server.bin}:${place.env.PATH}`, ...env } });
const settings = (value: object, folder = join(place.env.HOME!, ".config/haft")) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "settings.json"), JSON.stringify(value));
};

describe.runIf(hasSshd)("haft with --remote", { timeout: 120_000 }, () => {
  it("works in the folder there, and undo takes it back", { tags: ["smoke"] }, async () => {
    const said = await haft(["call", "Bash", '{"command": "echo two >> a.txt; pwd"}', "--allow", "Bash"]);
    expect([said.stderr, said.code]).toEqual(["", 0]);
    expect(said.stdout).toContain(there);
    expect(readFileSync(join(there, "a.txt"), "utf8")).toBe("one\ntwo\n");
    const preview = await haft(["undo", "--preview"]);
    expect(preview.stdout).toMatch(/a\.txt[\s\S]*-two/);
    expect((await haft(["undo"])).stdout).toContain("a.txt");
    expect(readFileSync(join(there, "a.txt"), "utf8")).toBe("one\n");
    expect((await haft(["redo", "--json"])).code).toBe(0);
    expect(readFileSync(join(there, "a.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("obeys the user's own settings, and neither those of a folder here nor those of the folder there", async () => {
    const permissions = { allow: ["Edit", "Write"], deny: ["write(secret/**)"], additionalDirectories: ["/etc"] };
    settings({ permissions });
    settings({ permissions: { deny: ["Write"] } }, join(place.cwd, ".haft"));
    settings({ permissions: { deny: ["Write"] } }, join(there, ".haft"));
    const write = (path: string) =>
      haft(["call", "Write", JSON.stringify({ file_path: path, content: "x" }), "--json"]);
    expect((await write("b.txt")).code).toBe(0);
    expect(existsSync(join(there, "b.txt"))).toBe(true);
    expect((await write("secret/c.txt")).stdout).toContain("denied_by_rule");
    const outside = await haft(["explain", "Read", '{"file_path": "/etc/hostname"}', "--json"]);
    expect(JSON.parse(outside.stdout)).toMatchObject({ decision: "ask" });
  });

  it("counts no grant of a folder of the same path here", async () => {
    await place.haft(["trust", there]);
    const mine = await place.haft([
      "call",
      "Write",
      '{"file_path": "b.txt", "content": "x"}',
      "--cwd",
      there,
      "--json",
    ]);
    expect(mine.stdout).toContain("needs_approval");
    const session = await place.haft(["log", "--cwd", there, "--json"]);
    expect(session.code).toBe(0);
    expect((await haft(["call", "Read", '{"file_path": "a.txt"}', "--session", "last"])).stderr).toContain(
      "no session yet",
    );
  });

  it("runs the hooks of the user on this machine", async () => {
    const seen = join(place.cwd, "seen.json");
    const command = `cat > ${seen}; echo no >&2; exit 2`;
    settings({ hooks: { PreToolUse: [{ matcher: "Write", hooks: [{ type: "command", command }] }] } });
    const { stdout } = await haft([
      ...["call", "Write", '{"file_path": "b.txt", "content": "x"}', "--json", "--allow", "Write"],
    ]);
    expect(stdout).toContain("denied_by_hook");
    expect(JSON.parse(readFileSync(seen, "utf8"))).toMatchObject({ cwd: there, tool_name: "Write" });
    expect(existsSync(join(there, "b.txt"))).toBe(false);
  });

  it("runs an agent that works there, and reads long results that are kept here", async () => {
    const command = "seq 1 60000";
    await using model = await wireServer([
      { events: streamOf([call("t1", "Bash", { command }), call("t2", "Read", { file_path: "a.txt" })]) },
      { events: streamOf([say("Done.")]) },
    ]);
    const env = { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${model.url}/v1` };
    const run = await haft(["run", "Work.", "--model", "anthropic/claude-test", "--json", "--allow", "Bash"], env);
    expect([run.stderr, run.code]).toEqual(["", 0]);
    const events = jsonLines(run.stdout);
    expect(events[0]).toMatchObject({ type: "session", cwd: there });
    expect(JSON.stringify(events.find(({ toolCallId, content }) => toolCallId === "t2" && content))).toContain("one");
    const kept = /\/haft-results\/[\w./-]+/.exec(model.bodies[1] ?? "")?.[0] ?? "";
    const session = String(events[0]?.id);
    const read = ["call", "Read", JSON.stringify({ file_path: kept, offset: 59_999 }), "--session", session];
    expect((await haft(read)).stdout).toContain("60000");
    const system = model.bodies[0] ?? "";
    expect(system).toContain(`You work in ${there}`);
    expect(system).toContain("on another machine");
  });

  it.each<[string, () => readonly string[], RegExp]>([
    ["an address of nothing", () => ["--remote", "build:/app"], /is not an address of a folder.*ssh:\/\/user@host/s],
    ["a password in an address", () => ["--remote", "ssh://me:secret@build/app"], /must not contain passwords/],
    ["a folder of this machine", () => ["--cwd", "/tmp", ...on()], /--cwd and --remote exclude/],
    ["a queue", () => ["--queue", "redis://127.0.0.1:1", ...on()], /--queue and --remote exclude/],
    ["Node without a machine", () => ["--remote-node", "/usr/bin/node"], /goes with --remote/],
    [
      "a folder that is missing there",
      () => ["--remote", server.address("/nowhere"), ...on().slice(2)],
      /does not exist/,
    ],
    ["a port without a server", () => ["--remote", "ssh://127.0.0.1:1/"], /no SSH server/],
    ["a container that is none", () => ["--remote", "docker://-x/app"], /cannot be the name of a container/],
  ])("refuses %s with exit code 2", async (_, args, why) => {
    const { code, stderr } = await place.haft(["call", "Read", '{"file_path": "a.txt"}', ...args()], {
      env: { PATH: `${server.bin}:${place.env.PATH}` },
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(why);
    expect(stderr).not.toContain("secret");
  });
});
