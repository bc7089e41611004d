import { execFileSync, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createProcesses, type Spawn } from "./index.ts";

const processes = createProcesses();
let cwd: string;
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(`${tmpdir()}/haft-process-`));
});
afterAll(async () => {
  await processes.close();
  await rm(cwd, { recursive: true, force: true });
});

const run = (command: string, rest: { timeoutMs?: number; env?: Record<string, string> } = {}) =>
  processes.run({ command, cwd, ...rest });

describe("a command", () => {
  it.each([
    "exit 7",
    "false",
    "echo a; (",
    "set -e; false; echo no",
    "set -u; echo $nothing",
    "return 3",
    "echo $# $*",
    "trap 'echo bye' EXIT; exit 4",
    "trap 'echo err' ERR; false; true",
    "exec echo replaced",
    "cat <<END\nopen here-document",
    "echo one \\",
    "f() { exit 9; }; f",
    "set -x; true",
    "pwd() { echo mine; }; exit() { echo mine; }; builtin exit 5",
    "readonly x=1; x=2; echo after",
    "exec 3>/dev/null; echo three >&3; echo $?",
    "echo to-err > /dev/stderr; echo to-out > /dev/stdout",
    "echo a | tee /dev/stderr",
    "kill -TERM $$",
    "! true",
    ": # comment",
    "",
  ])("L01 %j means what it means to bash -c", async (command) => {
    const plain = bashOf(command);
    const { exitCode, signal, stdout, stderr } = await run(command);
    expect({ exitCode, signal: signal ?? null, stdout }).toEqual(plain.outcome);
    expect(withoutPrefix(stderr)).toBe(withoutPrefix(plain.stderr));
  });

  it("L01 tells the folder in which it ended, and not where it cannot be learnt", async () => {
    expect((await run("mkdir -p d; cd d")).cwd).toBe(`${cwd}/d`);
    expect((await run("cd d; false")).cwd).toBe(`${cwd}/d`);
    expect((await run("cd d; exit 0")).cwd).toBeUndefined();
  });

  it("L01 gives programs no descriptors but input, output and errors", async () => {
    expect((await run("ls /proc/self/fd | wc -l; exec 3>&1; echo own >&3")).stdout).toBe("4\nown\n");
  });

  it("G07 L01 runs no function that a script only defines, with any name", async () => {
    const names = [
      "builtin",
      "set",
      "exit",
      "unset",
      "eval",
      ":",
      "pwd",
      "echo",
      "command",
      "true",
      "test",
      "[",
      "bash",
    ];
    const all = names.map((name) => `${name}() { touch "ran-${name}"; }`);
    const files = await readdir(cwd);
    for (const script of [...all, all.join("; "), `set -euxv; cd d; ${all.slice(0, 5).join("; ")}`]) {
      const { exitCode, stdout, cwd: last } = await run(`mkdir -p d; ${script}`);
      expect([exitCode, stdout]).toEqual([0, ""]);
      expect(last).toBe(script.includes("cd d") ? `${cwd}/d` : cwd);
    }
    expect((await readdir(cwd)).filter((name) => !files.includes(name) && name !== "d")).toEqual([]);
    expect(await readdir(`${cwd}/d`)).toEqual([]);
    const own = await run(
      "builtin() { echo mine; }; exit() { echo own; }; trap 'cat <(echo trapped)' EXIT; builtin; exit; (exit 7); false",
    );
    expect([own.exitCode, own.stdout]).toEqual([1, "mine\nown\nown\ntrapped\n"]);
  });

  it("G07 L01 a script is read in the encoding in which it was judged, regardless of the host's locale", async () => {
    const base = { PATH: "/usr/bin:/bin", LANG: "zh_TW.BIG5", LC_ALL: "zh_CN.GB18030", LC_CTYPE: "ja_JP.SJIS" };
    const own = createProcesses({ environment: { base, set: { LC_TIME: "de_DE.UTF-8" } } });
    const said = async (env = {}) =>
      (await own.run({ command: "echo $LANG $LC_ALL $LC_CTYPE $LC_TIME", cwd, env })).stdout.trim();
    expect(await said()).toBe("C.UTF-8 C.UTF-8 C.UTF-8 de_DE.UTF-8");
    expect(await said({ LC_ALL: "en_GB.utf8", LANG: "zh_CN.UTF-8" })).toBe(
      "zh_CN.UTF-8 en_GB.utf8 C.UTF-8 de_DE.UTF-8",
    );
    await own.close();
  });

  it("G15 tells what a folder and a program are, and that they are others now", async () => {
    await run("mkdir -p one two bin; printf '#!/bin/sh\n' > bin/tool; chmod +x bin/tool");
    const own = createProcesses({ environment: { base: { PATH: `/nowhere:${cwd}/bin:/usr/bin` } } });
    const look = () => Promise.all([{ cwd: `${cwd}/one`, program: "tool" }, { cwd: `${cwd}/one` }].map(own.identify));
    const before = await look();
    expect(await look()).toEqual(before);
    await run("echo true >> bin/tool");
    const [program, folder] = await look();
    expect([program === before[0], folder === before[1]]).toEqual([false, true]);
    await run("mv one old; mv two one");
    expect((await look())[1]).not.toBe(before[1]);
    expect(await own.identify({ cwd, program: "no-such" })).toMatch(/ -$/);
  });

  it("L03 a host that is killed leaves nobody", async () => {
    const module = JSON.stringify(new URL("./index.ts", import.meta.url).href);
    const script = `import { createProcesses } from ${module}; await createProcesses().run({ command: process.argv[1], cwd: "/" });`;
    const argv = ["--conditions=haft-source", "--input-type=module", "-e", script];
    const host = spawn(process.execPath, [...argv, `echo $$ > ${cwd}/pid; sleep 77 & trap '' TERM; wait; sleep 78`], {
      stdio: "ignore",
    });
    const pid = await vi.waitFor(async () => Number(await readFile(`${cwd}/pid`, "utf8")) || expect.fail(), 5000);
    host.kill("SIGKILL");
    await vi.waitFor(async () => expect(await livingIn(pid)).toEqual([]), 4000);
  });

  it("L01 leaves nothing of its pipes behind", async () => {
    // A folder that no other process of the machine uses.
    const temporary = await mkdtemp(`${cwd}/tmp-`);
    vi.stubEnv("TMPDIR", temporary);
    const own = createProcesses();
    const commands = ["echo a", "false", "sleep 1 & true"];
    await Promise.all(commands.map((command) => own.run({ command, cwd })));
    await own.close();
    vi.unstubAllEnvs();
    expect(await readdir(temporary)).toEqual([]);
  });

  it("L02 gets an environment for nobody watching, without smuggled code", async () => {
    const base = {
      PATH: process.env.PATH,
      BASH_ENV: "/tmp/evil",
      LD_PRELOAD: "x.so",
      KEEP: "me",
      PROMPT_COMMAND: "id",
      EMPTY: undefined,
    };
    const own = createProcesses({ environment: { base, allow: ["PROMPT_COMMAND"], deny: ["KEEP"] } });
    const { stdout } = await own.run({ command: "env", cwd, env: { ADDED: "yes" } });
    const names = stdout.split("\n").map((line) => line.split("=")[0]);
    expect(names).toEqual(expect.arrayContaining(["PAGER", "GIT_PAGER", "TERM", "ADDED", "PROMPT_COMMAND"]));
    for (const gone of ["BASH_ENV", "LD_PRELOAD", "KEEP", "__haft_script"]) expect(names).not.toContain(gone);
  });

  it("L02 characters that arrive in two pieces stay whole", async () => {
    const pieces: string[] = [];
    const outcome = await processes.run({
      command: `printf '\\xc3'; sleep 0.1; printf '\\xa4'; printf '\\xff'`,
      cwd,
      onOutput: (piece) => pieces.push(piece),
    });
    expect(outcome.stdout).toBe("ä\ufffd");
    expect(pieces.join("")).toBe("ä\ufffd");
  });

  it("L01 much output keeps its beginning and end in bounded memory", async () => {
    const small = createProcesses({ captureChars: 10_000 });
    const { output } = await small.run({ command: "seq 1 200000", cwd });
    expect(output.length).toBeLessThan(10_000 + 70_000);
    expect(output).toMatch(/^1\n2\n3\n/);
    expect(output).toMatch(/\[[\d,]+ characters of output are not kept\]/);
    expect(output).toMatch(/\n200000\n$/);
  });

  it("L01 all output of a program that ends at once is there", async () => {
    const sizes = await Promise.all(
      [1, 65_536, 1_000_000].map(async (size) => (await run(`head -c ${size} /dev/zero | tr '\\0' x`)).stdout.length),
    );
    expect(sizes).toEqual([1, 65_536, 1_000_000]);
  });

  it("L01 text goes through a command unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
        async (text) => {
          const quoted = text.replaceAll("'", `'\\''`);
          expect((await run(`printf %s '${quoted}'`)).stdout).toBe(text);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("L01 a remaining process survives its next output, until the end of the session", async () => {
    const own = createProcesses();
    const { left } = await own.run({ command: "(while :; do echo tick; sleep 0.05; done) & echo $! > pid", cwd });
    expect(left).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await run("kill -0 $(cat pid)")).exitCode).toBe(0);
    await own.close();
    expect((await run("grep -q '^State:.[ZX]' /proc/$(cat pid)/status || ! kill -0 $(cat pid)")).exitCode).toBe(0);
  });

  it("L01 bad requests are refused with a cure", async () => {
    await expect(processes.run({ command: "pwd", cwd: `${cwd}/none` })).rejects.toMatchObject({
      code: "file_not_found",
    });
    await expect(run("echo \0")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(run(`: ${"x".repeat(200_000)}`)).rejects.toMatchObject({ code: "invalid_input" });
    const shellless = createProcesses({ shell: "/no/such/shell" });
    await expect(shellless.run({ command: "true", cwd })).rejects.toMatchObject({ code: "tool_unavailable" });
  });

  it("L01 works in a shell that is not bash", async () => {
    const posix = createProcesses({ shell: "/bin/sh" });
    expect(await posix.run({ command: "echo $0; exit 2", cwd })).toMatchObject({ exitCode: 2, stdout: "/bin/sh\n" });
  });

  it("E13 one that was cancelled before it began never runs", async () => {
    const outcome = await processes.run({ command: "touch ran", cwd, signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ cancelled: true, exitCode: null });
    expect(await readdir(cwd)).not.toContain("ran");
  });

  it("L01 can be wrapped", async () => {
    const wrap = (plain: Spawn): Spawn => ({ ...plain, argv: ["env", "WRAPPED=1", ...plain.argv] });
    expect(await processes.run({ command: "echo $WRAPPED; cd /", cwd }, wrap)).toMatchObject({
      ...{ stdout: "1\n", cwd: "/" },
    });
  });
});

/** bash by itself, its output in real pipes. */
function bashOf(command: string) {
  const script = 'out=$("$BASH" --noprofile --norc -c "$1" 2>"$2"; printf x$?); printf %s "$out"';
  const errors = `${cwd}/stderr`;
  const all = execFileSync("bash", ["-c", script, "bash", command, errors], { cwd, input: "", encoding: "utf8" });
  const [, stdout = "", code] = /^(.*)x(\d+)$/s.exec(all) ?? [];
  const stderr = execFileSync("cat", [errors], { encoding: "utf8" });
  const wasKilled = Number(code) === 143;
  return {
    outcome: { exitCode: wasKilled ? null : Number(code), signal: wasKilled ? "SIGTERM" : null, stdout },
    stderr,
  };
}

/** bash puts its name, and `-c` and a line where it knows them, in front of its messages. */
const withoutPrefix = (text: string): string =>
  text.replace(/^\S*bash: (?:-c: |eval: )?(?:line \d+: )?/gm, "").replace(/^\++ /gm, "+ ");

/** The living processes of a group. */
async function livingIn(group: number): Promise<readonly string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "latin1").catch(() => "")));
  return stats.filter((stat) => {
    const [state, , of] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(of) === group && state !== "Z";
  });
}
