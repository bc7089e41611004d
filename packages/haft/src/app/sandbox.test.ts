import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { contentsText, type Effect } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { seenPlace } from "../../test/support/seen-place.ts";
import { createHaft } from "./create-haft.ts";
import type { HaftOptions } from "./haft.ts";

let base: string;
let cwd: string;
beforeEach(() => {
  // Not in the temporary folder: of that a confined program sees another one.
  base = seenPlace("sandbox");
  cwd = join(base, "work");
  // A root of its own.
  mkdirSync(join(cwd, ".haft"), { recursive: true });
  mkdirSync(join(base, "home"));
  writeFileSync(join(base, "outside.txt"), "theirs");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function sandboxed(settings: object, ask?: HaftOptions["ask"]) {
  const file = join(base, "settings.json");
  writeFileSync(file, JSON.stringify(settings));
  return createHaft({
    cwd,
    home: join(base, "home"),
    stateDir: join(base, "state"),
    env: {},
    settings: file,
    mode: "bypassPermissions",
    ...(ask ? { ask } : {}),
  });
}

/** A line of the mount table that only a sandbox has. */
const INSIDE = /^\d+ \d+ \S+ \/ \/proc ro,/m;
const hasBwrap = (await findBwrap([])) !== undefined;

describe.skipIf(!hasBwrap)("commands in the sandbox", () => {
  it("G15 enableSandbox: a write inside is made, one outside is not", async () => {
    await using haft = await sandboxed({ bash: { enableSandbox: true } });
    const inside = await haft.call("Bash", { command: "echo mine > inside.txt && cat inside.txt" });
    expect([inside.error, contentsText(inside.content)]).toEqual([undefined, "mine"]);
    expect(readFileSync(join(cwd, "inside.txt"), "utf8")).toBe("mine\n");
    // A script: what it does cannot be read from the command, so nothing outside was granted.
    writeFileSync(join(cwd, "script.sh"), `echo mine > ${join(base, "outside.txt")}`);
    await haft.call("Bash", { command: "sh script.sh" });
    expect(readFileSync(join(base, "outside.txt"), "utf8")).toBe("theirs");
  });

  it("G15 there is no network, and a background job is in the same fence", async () => {
    await using haft = await sandboxed({ sandbox: { tier: "bwrap" } });
    const net = await haft.call("Bash", { command: "cat < /dev/tcp/127.0.0.1/9 2>&1; tail -n +3 /proc/net/dev" });
    expect(contentsText(net.content)).toMatch(/refused\n *lo:[^\n]*$/);
    const script = `echo mine > ${join(base, "outside.txt")}; echo in > inside.txt; touch .envrc; sleep 2; kill -9 $$`;
    writeFileSync(join(cwd, "script.sh"), script);
    const job = await haft.call("Bash", { command: "exec sh script.sh", run_in_background: true });
    const { id } = (job.output as { job: { id: string } }).job;
    const told = contentsText((await haft.call("TaskOutput", { task_id: id, block: true, timeout: 5000 })).content);
    expect(readFileSync(join(base, "outside.txt"), "utf8")).toBe("theirs");
    expect(readFileSync(join(cwd, "inside.txt"), "utf8")).toBe("in\n");
    expect(existsSync(join(cwd, ".envrc"))).toBe(false);
    expect(contentsText(job.content)).toMatch(/outside.txt: (?:Read-only|Directory nonexistent|No such)/i);
    expect(told).toContain(`The command made ${join(cwd, ".envrc")}`);
    expect(haft.jobs.list()).toMatchObject([{ id, exitCode: null, signal: "SIGKILL" }]);
  });

  it("G15 a file that a command leaves in /tmp is there for the next command, and not in the real /tmp", async () => {
    await using haft = await sandboxed({ sandbox: { tier: "bwrap" } });
    const name = `/tmp/haft-test-${process.pid}`;
    await haft.call("Bash", { command: `sh -c 'echo kept > ${name}'` });
    expect(contentsText((await haft.call("Bash", { command: `sh -c 'cat ${name}'` })).content)).toBe("kept");
    expect(existsSync(name)).toBe(false);
  });

  it("G15 the first command of a session may be one that only reads, in a workspace below /tmp, which it cannot write to", async () => {
    rmSync(base, { recursive: true });
    base = realpathSync(mkdtempSync("/tmp/haft-sandbox-"));
    cwd = join(base, "work");
    mkdirSync(join(cwd, ".haft"), { recursive: true });
    writeFileSync(join(cwd, "there.txt"), "here");
    await using haft = await sandboxed({ bash: { enableSandbox: true } });
    expect(contentsText((await haft.call("Bash", { command: "cat there.txt" })).content)).toBe("here");
    const mounts = contentsText((await haft.call("Bash", { command: "cat /proc/self/mountinfo" })).content);
    expect(mounts).toMatch(/ \/tmp ro,/);
    expect(mounts).not.toMatch(/ \/tmp rw,/);
  });

  it("G17 a command cannot make a protected file, even if it was allowed", async () => {
    await using haft = await sandboxed({ bash: { enableSandbox: true } });
    writeFileSync(join(cwd, "script.sh"), "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; echo x > .envrc; true");
    await haft.call("Bash", { command: "sh script.sh" });
    expect([existsSync(join(cwd, ".git/hooks/pre-commit")), existsSync(join(cwd, ".envrc"))]).toEqual([false, false]);
  });
});

describe.skipIf(!hasBwrap)("an access that the sandbox refused", () => {
  const outside = () => join(base, "outside.txt");
  const script = () => writeFileSync(join(cwd, "script.sh"), `echo once >> runs; echo mine > ${outside()}`);

  it("G15 is told, and stays refused without a person, in any mode", async () => {
    script();
    await using haft = await sandboxed({ sandbox: { tier: "bwrap" } });
    const { error } = await haft.call("Bash", { command: "bash script.sh" });
    expect(error).toMatchObject({ code: "command_failed", hint: expect.stringContaining(outside()) });
    expect(readFileSync(join(cwd, "runs"), "utf8")).toBe("once\n");
  });

  it("G15 is asked for exactly, and runs once more after a yes", async () => {
    script();
    const asked: (readonly Effect[])[] = [];
    await using haft = await sandboxed({ sandbox: { tier: "bwrap" } }, async (request) => {
      asked.push(request.effects);
      return { behavior: "allow" };
    });
    const { error } = await haft.call("Bash", { command: "bash script.sh" });
    expect(error).toBeUndefined();
    expect(asked).toMatchObject([[{ do: "write", path: outside(), change: "modify" }]]);
    expect(readFileSync(outside(), "utf8")).toBe("mine\n");
    expect(readFileSync(join(cwd, "runs"), "utf8")).toBe("once\nonce\n");
  });

  it("G15 stays refused after a no, and where a rule denies it nobody is asked", async () => {
    script();
    let asked = 0;
    const deny = { permissions: { deny: [`Edit(/${outside()})`] } };
    for (const [settings, times] of [
      [{}, 1],
      [deny, 0],
    ] as const) {
      asked = 0;
      await using haft = await sandboxed({ sandbox: { tier: "bwrap" }, ...settings }, async () => {
        asked += 1;
        return { behavior: "deny" };
      });
      expect((await haft.call("Bash", { command: "bash script.sh" })).error?.code).toBe("command_failed");
      expect(asked).toBe(times);
    }
    expect(readFileSync(outside(), "utf8")).toBe("theirs");
  });

  it("G15 opens the network for the host that was wanted, and no other", async () => {
    const server = createServer((_, answer) => answer.end("hello from outside\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const asked: (readonly Effect[])[] = [];
    const settings = { sandbox: { tier: "bwrap", network: ["allowed.example"] } };
    await using haft = await sandboxed(settings, async (request) => {
      asked.push(request.effects);
      return { behavior: "allow" };
    });
    // The relay's processes are stopped, so that they still run when the command ends: they are not the command's.
    const fetch = `exec 5<>/dev/tcp/127.0.0.1/3128; printf 'GET http://127.0.0.1:${port}/ HTTP/1.0\\r\\n\\r\\n' >&5; grep hello <&5 || exit
for at in /proc/[0-9]*; do read -r name <$at/comm; case $name in *sh | bwrap) ;; *) kill -STOP \${at#/proc/} ;; esac; done 2>/dev/null; exit 0`;
    writeFileSync(join(cwd, "fetch.sh"), fetch);
    const result = await haft.call("Bash", { command: "bash fetch.sh" });
    server.close();
    expect(contentsText(result.content)).toBe("hello from outside");
    expect(asked).toMatchObject([[{ do: "connect", host: `127.0.0.1:${port}`, sends: true }]]);
  });
});

describe.skipIf(!hasBwrap)("commands that are proved to only read", () => {
  it("G15 run in a read-only view without any setting, and an approved command runs as approved", async () => {
    await using haft = await sandboxed({});
    const reader = await haft.call("Bash", { command: "cat /proc/self/mountinfo" });
    expect(contentsText(reader.content)).toMatch(INSIDE);
    writeFileSync(join(cwd, "script.sh"), "cat /proc/self/mountinfo; echo mine > inside.txt");
    const writer = await haft.call("Bash", { command: "sh script.sh" });
    expect(contentsText(writer.content)).not.toMatch(INSIDE);
    expect(readFileSync(join(cwd, "inside.txt"), "utf8")).toBe("mine\n");
  });

  it("G15 a private file is not in it unless it was granted by name", async () => {
    writeFileSync(join(cwd, ".env"), "TOKEN=1");
    await using haft = await sandboxed({});
    expect(contentsText((await haft.call("Bash", { command: "grep -r TOKEN ." })).content)).not.toContain("TOKEN=1");
    expect(contentsText((await haft.call("Bash", { command: "cat .env" })).content)).toBe("TOKEN=1");
  });

  it("G15 see the machine where that is what they tell of, and temporary files", async () => {
    await using haft = await sandboxed({});
    const ps = await haft.call("Bash", { command: `ps -p ${process.pid} -o pid=` });
    expect(contentsText(ps.content)).toContain(`${process.pid}`);
    expect(contentsText((await haft.call("Bash", { command: `ls ${base}` })).content)).toContain("outside.txt");
    expect(
      contentsText((await haft.call("Bash", { command: `stat -c %u ${cwd}; ls /; seq 9 | sort -r` })).content),
    ).toMatch(new RegExp(`^${process.getuid?.()}\\n`));
  });

  it("G15 in the background too", async () => {
    await using haft = await sandboxed({});
    const job = await haft.call("Bash", { command: "cat /proc/self/mountinfo", run_in_background: true });
    expect(contentsText(job.content)).toMatch(INSIDE);
  });

  it("G15 are refused, and never run without, when the sandbox is gone or broken in the middle of a session", async () => {
    const bin = join(base, "bin");
    mkdirSync(bin);
    const install = (text: string) => writeFileSync(join(bin, "bwrap"), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    install('exec /usr/bin/bwrap "$@"');
    const before = process.env.PATH;
    process.env.PATH = `${bin}:${before}`;
    try {
      await using haft = await sandboxed({});
      expect((await haft.call("Bash", { command: "cat /proc/self/mountinfo" })).error).toBeUndefined();
      const isFake = `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`;
      const breaks = [() => install(isFake), () => install("echo 'bwrap: no' >&2; exit 1")];
      for (const breakIt of [...breaks, () => rmSync(join(bin, "bwrap"))]) {
        breakIt();
        const { error } = await haft.call("Bash", { command: "cat /proc/self/mountinfo" });
        expect(error).toMatchObject({ code: "sandbox_unavailable", hint: expect.stringContaining("haft doctor") });
      }
      // Commands that need no sandbox by default still run.
      expect((await haft.call("Bash", { command: "sh -c 'echo x > made'" })).error).toBeUndefined();
    } finally {
      process.env.PATH = before;
    }
  });

  it("G15 run as they are where no sandbox is, and that is said once at the start", async () => {
    const before = process.env.PATH;
    process.env.PATH = "/nowhere";
    try {
      await using haft = await sandboxed({});
      expect(haft.notices).toMatchObject([
        { code: "sandbox_missing", message: expect.stringContaining("only read run unconfined") },
      ]);
      expect((await haft.call("Bash", { command: "echo hi" })).error).toBeUndefined();
    } finally {
      process.env.PATH = before;
    }
  });

  it("G15 with `none` nothing is confined", async () => {
    await using haft = await sandboxed({ sandbox: "none" });
    expect(contentsText((await haft.call("Bash", { command: "cat /proc/self/mountinfo" })).content)).not.toMatch(
      INSIDE,
    );
  });
});

it("G15 a tier that does not work here refuses every command, and never weakens", async () => {
  // If the runtime works, the command runs confined. If not, nothing runs, and the error names the cure.
  await using other = await sandboxed({ sandbox: { tier: "srt" } });
  const { error, content } = await other.call("Bash", { command: `echo x > ${join(base, "outside.txt")}; touch ran` });
  if (error) {
    expect(error).toMatchObject({ code: "sandbox_unavailable" });
    expect(contentsText(content)).toMatch(/ordinary user|socat|npm install/);
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  }
  expect(readFileSync(join(base, "outside.txt"), "utf8")).toBe("theirs");
});

it("G15 a host of the settings that cannot be one is an error with its cure, and opens nothing", async () => {
  for (const network of [["https://example.org/x"], ["10.0.0.0/a"], ["a b"]])
    await expect(sandboxed({ sandbox: { tier: "auto", network } })).rejects.toMatchObject({
      code: "validation_failed",
      hint: expect.stringContaining("10.0.0.0/8"),
    });
});
