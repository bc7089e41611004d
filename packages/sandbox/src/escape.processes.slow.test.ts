// A confined program must not be able to do these things to other processes, over sockets, or with Haft's own data.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { isWithin } from "@haft/core/tool";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { createScratch, known, type Scratch, UNREAD, WAYS, WITHOUT_SANDBOX } from "../test/support/confined.ts";

const SECRET = "haft-test-secret-7f3a";

describe.skipIf(WITHOUT_SANDBOX).each(WAYS)(
  `processes of a confined program, %s (${WITHOUT_SANDBOX ?? "bwrap"})`,
  (way) => {
    let scratch: Scratch;
    let victim: ChildProcess;
    const servers: Server[] = [];
    let heard = 0;
    beforeAll(async () => {
      const base = { ...process.env, HAFT_TEST_TOKEN: SECRET, LD_PRELOAD: "", AWS_SECRET_ACCESS_KEY: SECRET };
      scratch = await createScratch({ host: { environment: { base } } }, way);
      victim = spawn("sleep", ["60"], { stdio: "ignore" });
      const listen = (where: string | number) =>
        new Promise<Server>((resolve) => {
          const server = createServer((socket) => {
            heard += 1;
            socket.on("error", () => undefined);
            socket.end("hello");
          }).listen(where, () => resolve(server));
          servers.push(server);
        });
      await copyFile(process.execPath, node());
      await listen(`${scratch.outside}/named.sock`);
      await listen(`\0${scratch.base}/abstract`);
      await listen(0);
    });
    afterAll(async () => {
      victim.kill();
      for (const server of servers) server.close();
      await scratch.close();
    });
    /** In the workspace, because this repository may lie below /tmp, which is another folder inside. */
    const node = () => `${scratch.root}/node`;
    const dial = (where: string) =>
      `${JSON.stringify(node())} -e 'require("net").connect(${where}).on("connect", () => { console.log("connected"); process.exit() }).on("error", (e) => { console.log(e.code); process.exit() })'`;

    it("G15 other processes can neither be seen nor signalled", async () => {
      // Aimed at a process of this test only: should the fence ever be broken, nothing else may come to harm.
      const { stdout } = await scratch.run(
        `kill -0 ${victim.pid} 2>/dev/null && echo seen; kill -9 ${victim.pid} 2>/dev/null; ls /proc | grep -c '^[0-9]'; true`,
      );
      expect(Number(stdout)).toBeLessThan(8);
      expect(victim.exitCode ?? victim.signalCode).toBeNull();
    });

    it("G15 the environment holds what is on the list and what was asked for", { tags: ["smoke"] }, async () => {
      const { stdout } = await scratch.run("env; cat /proc/*/environ | tr '\\0' '\\n'; cat /proc/*/cmdline", {
        env: { ADDED: "yes" },
      });
      expect(stdout).not.toContain(SECRET);
      expect(stdout).toMatch(/^ADDED=yes$/m);
      expect(stdout).toMatch(/^PATH=\//m);
      expect(stdout).toMatch(way === "srt" ? /^TMPDIR=\/tmp\/claude$/m : /^TMPDIR=\/tmp$/m);
      expect(stdout).not.toMatch(/^LD_PRELOAD/m);
    });

    it("G15 there are no rights to be had: no capability, no setuid, no user namespace", async () => {
      const { stdout } = await scratch.run(
        "cat /proc/self/status; unshare -Ur true 2>/dev/null && echo namespace; id -u",
      );
      expect(stdout).toMatch(/^CapEff:\t0+$/m);
      if (way !== "srt") expect(stdout).toMatch(/^CapBnd:\t0+$/m);
      expect(stdout).toMatch(/^NoNewPrivs:\t1$/m);
      expect(stdout).not.toContain("namespace");
      expect(stdout).not.toMatch(/^0$/m);
      const mounts = (await scratch.run("cat /proc/self/mounts")).stdout.trim().split("\n");
      const list = mounts.map((line) => ({ path: line.split(" ")[1] ?? "", options: line.split(" ")[3] ?? "" }));
      // A path that a later mount covers cannot be reached.
      const open = list.filter(({ path }, index) => !list.slice(index + 1).some((later) => isWithin(later.path, path)));
      expect(open.length).toBeGreaterThan(10);
      const dangerous = open.filter(({ options }) => !options.split(",").includes("nosuid"));
      expect(dangerous).toEqual([]);
    });

    it("G15 there is no terminal to type into", async () => {
      const { stdout } = await scratch.run("tty; (: < /dev/tty) 2>/dev/null && echo terminal; ps -o tty= -p $$");
      expect(stdout).toMatch(/^not a tty\n\?/);
    });

    it("G15 sockets and hosts outside cannot be reached", async () => {
      const address = servers[2]?.address();
      const port = typeof address === "object" && address ? address.port : 0;
      const targets = [
        `{ path: "${scratch.outside}/named.sock" }`,
        `{ path: "\\0${scratch.base}/abstract" }`,
        `{ port: ${port}, host: "127.0.0.1" }`,
        `{ port: 80, host: "192.0.2.1" }`,
      ];
      for (const target of targets) {
        const { stdout } = await scratch.run(dial(target));
        expect(stdout, target).toMatch(/^(?:EACCES|EPERM|ECONNREFUSED|ENOENT|ENETUNREACH|ENOTSOCK)\n$/);
      }
      expect(heard).toBe(0);
    });

    it("G15 the whole network is there where the settings say so, and not for what only reads", async () => {
      const { root, home } = scratch;
      const open = await createScratch({
        network: "host",
        workspace: () => ({ root, additional: [], home, platform: "linux" }),
      });
      const address = servers[2]?.address();
      const command = dial(`{ port: ${typeof address === "object" ? address?.port : 0}, host: "127.0.0.1" }`);
      const [granted, not] = [
        await open.processes.run({ command, cwd: root, bound: UNREAD }),
        await open.processes.run({ command, cwd: root, bound: known() }),
      ];
      await open.close();
      expect([granted.stdout, not.stdout]).toEqual(["connected\n", "ENETUNREACH\n"]);
    });

    it("G15 a remaining process ends with its command, in any group", async () => {
      const { left, endedWith } = await scratch.run(
        "(sleep 0.3; touch late1) & setsid sh -c 'sleep 0.3; touch late2' & echo ok",
      );
      expect(left).toBe(false);
      if (way !== "srt") expect(endedWith?.length).toBeGreaterThan(1);
      expect((await scratch.run("seq 9 | sort | tail -1; (sleep 0.1; echo waited) & wait")).endedWith).toBeUndefined();
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(["late1", "late2"].filter((name) => existsSync(`${scratch.root}/${name}`))).toEqual([]);
    });

    it.skipIf(way === "srt")(
      "L03 when the time is over programs may put their work down, and then nothing is left",
      async () => {
        const gentle = await scratch.run("trap 'echo bye; exit 3' TERM; while :; do sleep 0.05; done", {
          timeoutMs: 700,
        });
        expect(gentle).toMatchObject({ timedOut: true, cancelled: false, exitCode: 3, stdout: "bye\n" });
        const started = performance.now();
        const stubborn = await scratch.run(
          "trap '' TERM; (trap '' TERM; while :; do date +%N > beat; sleep 0.02; done) & while :; do sleep 0.05; done",
          {
            timeoutMs: 500,
          },
        );
        expect(stubborn).toMatchObject({ timedOut: true, exitCode: null });
        expect(performance.now() - started).toBeLessThan(patience(8000));
        const last = await readFile(`${scratch.root}/beat`, "utf8");
        await new Promise((resolve) => setTimeout(resolve, 150));
        expect(await readFile(`${scratch.root}/beat`, "utf8")).toBe(last);
      },
    );

    it("E13 a cancelled program ends, and one that was cancelled before never begins", async () => {
      const stop = new AbortController();
      const running = scratch.run("echo begun > begun; sleep 30", { signal: stop.signal });
      while (!existsSync(`${scratch.root}/begun`)) await new Promise((resolve) => setTimeout(resolve, 10));
      stop.abort();
      expect(await running).toMatchObject({ cancelled: true, timedOut: false });
      expect(await scratch.run("touch never", { signal: AbortSignal.abort() })).toMatchObject({ cancelled: true });
      expect(existsSync(`${scratch.root}/never`)).toBe(false);
    });
  },
);
