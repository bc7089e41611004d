// Ways out of the sandbox that the kernel offers. Dangerous files are only opened, never written.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { effects } from "@haft/core/tool";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createScratch, known, type Scratch, UNREAD, WAYS, WITHOUT_SANDBOX } from "../test/support/confined.ts";

describe.skipIf(WITHOUT_SANDBOX).each(WAYS)(
  `a confined program and the kernel, %s (${WITHOUT_SANDBOX ?? "bwrap"})`,
  (way) => {
    let scratch: Scratch;
    beforeEach(async () => {
      scratch = await createScratch({}, way);
    });
    afterEach(() => scratch.close());
    const reading = known(effects.read("/"));

    it("G15 finds no other root behind /proc, and no place outside by a descriptor", async () => {
      const { home, root } = scratch;
      const { stdout } = await scratch.run(
        [
          `for p in self 1 $$ $PPID thread-self; do ls /proc/$p/root/${home}/.ssh /proc/$p/cwd/../../etc/shadow; done 2>/dev/null`,
          `cat /proc/self/root/etc/shadow /proc/1/root${home}/.ssh/id_test 2>/dev/null`,
          `: > /proc/self/root${scratch.outside}/x && echo written; : > /proc/1/root/etc/haft-x && echo written`,
          "ls /proc/self/fd | tr '\\n' ' '",
        ].join("\n"),
      );
      // The runtime shows a hidden folder as an empty one.
      const names = way === "srt" ? stdout.replaceAll(/^\/proc\/.*\/\.ssh:\n+/gm, "") : stdout;
      expect(names).toBe("0 1 2 3 ");
      expect([existsSync(`${scratch.outside}/x`), existsSync(`${root}/x`)]).toEqual([false, false]);
    });

    it("G15 cannot trace the first process, read its memory, or that of others", async () => {
      const { output } = await scratch.run(
        [
          "perl -e 'syscall(101, 16, 1, 0, 0) == 0 and print qq(traced\\n)'",
          "head -c 1 /proc/1/mem >/dev/null 2>&1 && echo memory",
          "cat /proc/kcore /dev/mem /dev/kmem /dev/port >/dev/null 2>&1 && echo memory",
          "test -w /proc/1/oom_score_adj && (echo 1 > /proc/1/oom_score_adj) 2>/dev/null && echo adjusted; true",
        ].join("\n"),
      );
      expect(output).toBe("");
    });

    it("G15 gets no rights from programs that give them to others, nor from names of its own", async () => {
      await writeFile(`${scratch.root}/own`, "#!/bin/sh\nid -u\n", { mode: 0o4755 });
      const { stdout } = await scratch.run(
        "for p in /usr/bin/su /usr/bin/sudo /usr/bin/passwd /usr/bin/newgrp; do test -u $p && $p -c id </dev/null 2>/dev/null; done; unshare -r id -u 2>/dev/null; grep -E '^(CapEff|NoNewPrivs)' /proc/self/status",
      );
      expect(stdout).toBe("CapEff:\t0000000000000000\nNoNewPrivs:\t1\n");
    });

    it("G15 a reader that turns out to write writes nothing, regardless of its grammar", async () => {
      await mkdir(`${scratch.root}/d`);
      const script = `echo x > f; touch d/f ${scratch.outside}/f /tmp/haft-f; rm -rf src; git init r; mkdir n; echo x > /dev/shm/f && echo own; exec 4<>/dev/tcp/127.0.0.1/9`;
      const { stdout, exitCode } = await scratch.run(script, { bound: reading });
      expect([stdout, exitCode === 0]).toEqual(["own\n", false]);
      expect(await readdir(scratch.root)).toEqual([".git", "d", "src"]);
      expect([existsSync("/tmp/haft-f"), existsSync(`${scratch.outside}/f`), existsSync("/dev/shm/f")]).toEqual([
        false,
        false,
        false,
      ]);
    });

    it.skipIf(way === "srt")("G15 a reader that looks at the machine can do nothing to it", async () => {
      const victim = spawn("sleep", ["60"], { stdio: "ignore" });
      const watching = known(effects.run({ argv: ["ps"], text: "ps", cwd: scratch.root, opaque: false }));
      const script = `ps -p ${victim.pid} -o comm=; kill ${victim.pid}; perl -e 'print kill(9, ${victim.pid}), qq(\\n)'; echo x > f; (: < /dev/tcp/127.0.0.1/9)`;
      const { stdout, stderr } = await scratch.run(script, { bound: watching });
      victim.kill();
      expect(stdout).toBe("sleep\n0\n");
      for (const refused of [/kill: .*not permitted/, /Read-only file system/, /connect: Operation not permitted/])
        expect(stderr).toMatch(refused);
    });

    it("G15 a link that is swapped after the grant leads to nothing that was not granted", async () => {
      const { root, outside } = scratch;
      await mkdir(`${root}/out`);
      const bound = known(effects.write(`${root}/out`, "create", { tree: true }));
      await rename(`${root}/out`, `${root}/was`);
      await symlink(outside, `${root}/out`);
      const run = await scratch.run(`echo x > out/new; echo x > was/new; echo x >> ${outside}/b.txt`, { bound });
      expect(run.exitCode).not.toBe(0);
      expect(await readdir(outside)).toEqual(["b.txt"]);
      expect(await readFile(`${outside}/b.txt`, "utf8")).toBe("b\n");
    });

    it("G15 fork bombs end at the limit, if the caller is not root", { tags: ["smoke"] }, async () => {
      const limits = await createScratch({ limits: { processes: 40, memoryMB: 512 } });
      const { stdout } = await limits.run("ulimit -u; ulimit -v; ulimit -c");
      await limits.close();
      expect(stdout).toBe(`40\n${512 * 1024}\n0\n`);
    });

    it("L03 a host that is killed takes its confined programs with it, those in a view too", async () => {
      const base = JSON.stringify(new URL("../test/support/confined.ts", import.meta.url).href);
      const unshare = `around: (spawn) => ({ ...spawn, argv: ["/usr/bin/unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/sh", "-c", 'exec "$@"', "view", ...spawn.argv] })`;
      for (const host of ["", `host: { ${unshare} }`]) {
        if (host !== "" && process.getuid?.() !== 0) continue;
        const mark = `77${Math.floor(Math.random() * 1e9)}`;
        const script = `const { createScratch } = await import(${base}); const s = await createScratch({ ${host} }); console.log(s.base); await s.run("trap '' TERM; sleep ${mark} & wait; sleep ${mark}");`;
        const child = spawn(process.execPath, ["--conditions=haft-source", "--input-type=module", "-e", script], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        let folder = "";
        child.stdout.on("data", (chunk) => {
          folder += chunk;
        });
        await vi.waitFor(async () => expect((await running(mark)).length).toBeGreaterThan(0), 8000);
        child.kill("SIGKILL");
        await vi.waitFor(async () => expect(await running(mark)).toEqual([]), 4000);
        const { rm } = await import("node:fs/promises");
        await rm(folder.trim(), { recursive: true, force: true });
      }
    }, 30_000);

    it("G15 without a grant a command reads and does nothing else", async () => {
      const { stdout } = await scratch.processes.run({
        command: "cat src/a.txt; echo x > f || echo no",
        cwd: scratch.root,
      });
      expect(stdout).toBe("a\nno\n");
      expect((await scratch.run("echo x > f && cat f", { bound: UNREAD })).stdout).toBe("x\n");
    });
  },
);

/** Ids of `sleep` for so long. */
async function running(seconds: string): Promise<readonly string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return ids.filter((_, index) => lines[index] === `sleep\0${seconds}\0`);
}
