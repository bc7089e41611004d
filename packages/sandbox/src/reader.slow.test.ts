// Read-only commands run in a leaner sandbox, which may be prepared before the command is known.
import { spawn } from "node:child_process";
import { link, mkdir, readdir, readFile, rename, rm, unlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { totalmem } from "node:os";
import type { Effect } from "@haft/core/tool";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createScratch, known, type Scratch, WITHOUT_SANDBOX } from "../test/support/confined.ts";
import { seccompFilter } from "./seccomp/index.ts";

describe.skipIf(WITHOUT_SANDBOX)(`a proved reader (${WITHOUT_SANDBOX ?? "bwrap"})`, () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await createScratch({ host: { ahead: { idleMs: 60_000 } } });
  });
  afterEach(() => scratch.close());
  const read = (command: string, ...reads: readonly Effect[]) => scratch.run(command, { bound: known(...reads) });
  /** After two like it, a command finds a fence that stands already: it takes a moment to be put up. */
  const warm = async () => {
    for (let round = 0; round < 3; round++) expect((await read("echo ok")).stdout).toBe("ok\n");
    await new Promise((resolve) => setTimeout(resolve, 300));
  };

  it("G15 can make no socket, and no half of a pair that could speak to others", { tags: ["smoke"] }, async () => {
    const heard: string[] = [];
    const abstract: Server = createServer(() => heard.push("abstract"));
    await new Promise<void>((resolve) => abstract.listen(`\0${scratch.base}/abstract`, resolve));
    const tries = [
      ...[1, 2, 10, 16, 17].map((family) => `socket(S, ${family}, ${family > 10 ? 3 : 1}, 0) and print "${family} ";`),
      'socketpair(A, B, 1, 2, 0) and print "datagrams ";',
      'socketpair(A, B, 1, 1, 0) and print "stream ";',
      'syscall(42, 3, 0, 0) < 0 and printf "%d", $!+0;',
    ];
    const { stdout } = await read(`perl -MSocket -e '${tries.join(" ")}'`);
    abstract.close();
    expect([stdout, heard]).toEqual([process.arch === "x64" ? "stream 101" : expect.stringContaining("stream"), []]);
  });

  it("G15 each of its programs may keep half of the machine's memory at most", async () => {
    const { stdout } = await read("ulimit -d; sh -c 'ulimit -d'");
    const [kib = "", inner] = stdout.split("\n");
    expect(inner).toBe(kib);
    expect(Number(kib) * 1024).toBeLessThanOrEqual(Math.max(totalmem() / 2, 1024 ** 3));
  });

  it("G15 the filter of a reader refuses sockets and datagrams, and nothing that others may do", () => {
    for (const machine of ["x64", "arm64"] as const)
      expect(seccompFilter(machine, { mayConnect: false }).length).toBeGreaterThan(seccompFilter(machine).length);
  });

  it("G15 a private file looks like a file that may not be opened, and its size says nothing", async () => {
    await scratch.put({ "ws/.env": "KEY=secret\n", "ws/deep/.env.local": "KEY=secret\n" });
    const { stdout, stderr } = await read("ls -l .env deep/.env.local; cat .env deep/.env.local; wc -c src/a.txt");
    expect(stdout).toMatch(/^----------\s+1 \S+\s+\S+\s+0 .*\.env\n----------\s.* 0 .*\.env\.local\n2 src\/a\.txt\n$/s);
    expect(stderr.match(/Permission denied/g)).toHaveLength(2);
    const chmod = await read("chmod 644 .env; cat .env");
    expect(chmod.stdout).toBe("");
    expect(await readFile(`${scratch.root}/.env`, "utf8")).toBe("KEY=secret\n");
  });

  it("G15 keys in a tree are hidden from readers unless they were named; a build finds them", async () => {
    const keys = ["server.key", "deep/a.pem", "deep/id_rsa", "deep/store.p12"];
    const others = ["deep/cert.pem", "deep/id_rsa.pub", "deep/a.keys"];
    await scratch.put(Object.fromEntries([...keys, ...others].map((name) => [`ws/${name}`, `in ${name}\n`])));
    const all = await read("grep -rh '^in ' . | sort");
    expect(all.stdout.trim().split("\n")).toEqual([...others].sort().map((name) => `in ${name}`));
    expect(all.stderr.match(/Permission denied/g)).toHaveLength(keys.length);
    const path = `${scratch.root}/deep/a.pem`;
    expect((await read("cat deep/*.pem", { do: "read", basis: "proved", path })).stdout).toBe(
      "in deep/a.pem\nin deep/cert.pem\n",
    );
    expect((await scratch.run(`cat ${keys.join(" ")}`)).stdout.trim().split("\n")).toHaveLength(keys.length);
  });

  it("G15 many keys are samples: the nearest are hidden, and nobody is kept from looking at the rest", async () => {
    const names = Array.from({ length: 500 }, (_, index) => `fixtures/${index}.pem`);
    await scratch.put(Object.fromEntries(["server.key", ...names].map((name) => [`ws/${name}`, "in\n"])));
    const { stdout } = await read("grep -rl in server.key fixtures | wc -l; cat server.key");
    expect(stdout).toBe("401\n");
  });

  it("G15 a fence that stood already hides what became private, was replaced, or came back since", async () => {
    const file = `${scratch.root}/.env`;
    const isHidden = async () => {
      const { stdout, stderr } = await read("cat .env");
      expect([stdout, stderr]).toEqual(["", expect.stringContaining("Permission denied")]);
    };
    await warm();
    await writeFile(file, "new");
    await isHidden();
    await warm();
    await writeFile(`${file}.tmp`, "replaced");
    await rename(`${file}.tmp`, file);
    await isHidden();
    await warm();
    await link(file, `${scratch.root}/kept`);
    await unlink(file);
    await link(`${scratch.root}/kept`, file);
    await rm(`${scratch.root}/kept`);
    await isHidden();
    await warm();
    await rm(`${scratch.home}/.ssh`, { recursive: true });
    await scratch.put({ "home/.ssh/id_test": "another" });
    expect((await read(`cat ${scratch.home}/.ssh/id_test`)).stdout).toBe("");
    await warm();
    await mkdir(`${scratch.root}/other`);
    await rename(file, `${scratch.root}/other/.env`);
    expect((await read("cat other/.env")).stdout).toBe("");
  });

  it("G15 a command says and does the same whether its fence stood already or not", async () => {
    const scripts = [
      "pwd; cd src; cat a.txt",
      "exit 3",
      "echo out; echo err >&2; echo more",
      "nonsense |",
      "printf %s \"$0|$#|$-|$BASH_SUBSHELL|$SECONDS\"; echo 'späß' \"a\\b\"; cat <<'E'\n$x\nE",
      "echo $LINENO; false; echo $?; ls /proc/self/fd | tr '\\n' ' '",
      'read line; echo "[$line] $?"; env | sort',
      "set -e; false; echo not",
    ];
    const told = async (command: string) => {
      // Two streams have no order between them.
      const { durationMs, output, ...rest } = await scratch.run(command, { bound: known() });
      return rest;
    };
    const cold: unknown[] = [];
    for (const script of scripts) {
      const fresh = await createScratch({ workspace: () => ({ ...workspaceOf(), additional: [] }) });
      const { durationMs, output, stood, ...rest } = await fresh.processes.run({
        command: script,
        cwd: scratch.root,
        bound: known(),
      });
      cold.push(rest);
      await fresh.close();
    }
    await warm();
    for (const [index, script] of scripts.entries()) expect(await told(script), script).toEqual(cold[index]);
  });
  const workspaceOf = () => ({
    ...{ root: scratch.root, readable: [scratch.home, scratch.outside], home: scratch.home, platform: "linux" },
  });

  it("G15 a fence that stood already keeps time, can be cancelled, and serves one command only", async () => {
    await warm();
    const slow = await scratch.run("echo begun; sleep 20", { bound: known(), timeoutMs: 300 });
    expect(slow).toMatchObject({ timedOut: true, stdout: "begun\n" });
    await warm();
    const stop = new AbortController();
    const cancelled = scratch.run("sleep 20", { bound: known(), signal: stop.signal });
    setTimeout(() => stop.abort(), 200);
    expect(await cancelled).toMatchObject({ cancelled: true, timedOut: false });
    await warm();
    const names = ["a", "b", "c", "d"];
    const all = await Promise.all(names.map((name) => read(`echo ${name} > /dev/shm/f; sleep 0.1; cat /dev/shm/*`)));
    expect(all.map(({ stdout }) => stdout)).toEqual(names.map((name) => `${name}\n`));
  });

  it("L03 a fence that stands ahead ends with its host, however that goes", async () => {
    const support = JSON.stringify(new URL("../test/support/confined.ts", import.meta.url).href);
    for (const end of ["SIGKILL", "close"] as const) {
      const script = `const { createScratch, known } = await import(${support}); const s = await createScratch({ host: { ahead: { idleMs: 60_000 } } });
        for (let i = 0; i < 3; i++) await s.run("echo ok", { bound: known() });
        await new Promise((done) => setTimeout(done, 300)); console.log(s.base);
        process.stdin.once("data", async () => { await s.close(); process.exit(0); });`;
      const child = spawn(process.execPath, ["--conditions=haft-source", "--input-type=module", "-e", script]);
      let base = "";
      child.stdout.on("data", (chunk) => {
        base += chunk;
      });
      await vi.waitFor(() => expect(base).toContain("\n"), 10_000);
      expect((await running(base.trim())).length).toBeGreaterThan(0);
      if (end === "SIGKILL") child.kill("SIGKILL");
      else child.stdin.write("\n");
      await vi.waitFor(async () => expect(await running(base.trim())).toEqual([]), 4000);
      await rm(base.trim(), { recursive: true, force: true });
    }
  }, 30_000);
});

/** Ids of the sandboxes that stand for a folder. */
async function running(folder: string): Promise<readonly string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return ids.filter((_, index) => lines[index]?.includes("bwrap") && lines[index].includes(folder));
}
