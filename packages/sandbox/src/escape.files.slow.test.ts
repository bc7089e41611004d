// A confined program must not be able to do these things with files. Each is really tried, on scratch files only.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, realpath } from "node:fs/promises";
import { effects } from "@haft/core/tool";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createScratch, known, type Scratch, UNREAD, WAYS, WITHOUT_SANDBOX } from "../test/support/confined.ts";

describe.skipIf(WITHOUT_SANDBOX).each(WAYS)(
  `files of a confined program, %s (${WITHOUT_SANDBOX ?? "bwrap"})`,
  (way) => {
    let scratch: Scratch;
    beforeEach(async () => {
      scratch = await createScratch({}, way);
    });
    afterEach(() => scratch.close());
    const text = (path: string) => readFile(`${scratch.base}/${path}`, "utf8");
    /** Each line is tried alone and has to fail. */
    async function allFail(...lines: readonly string[]): Promise<void> {
      const script = lines.map((line, index) => `( ${line} ) >/dev/null 2>&1 && echo "escaped: ${index}"`).join("\n");
      expect((await scratch.run(`${script}\ntrue`)).output).toBe("");
    }

    it("G15 work in the workspace is possible and there at once", { tags: ["smoke"] }, async () => {
      const outcome = await scratch.run(
        "echo new > src/n && mv src/a.txt c.txt && mkdir d && rmdir d && echo $PWD; cd src",
      );
      expect(outcome).toMatchObject({
        exitCode: 0,
        stdout: `${scratch.root}\n`,
        cwd: `${scratch.root}/src`,
        left: false,
      });
      expect([await text("ws/src/n"), await text("ws/c.txt")]).toEqual(["new\n", "a\n"]);
    });

    it("G15 nothing outside can be changed, by any way of writing", async () => {
      const b = `${scratch.outside}/b.txt`;
      await allFail(
        `echo x > ${b}`,
        `echo x >> ${b}`,
        `rm -f ${b}`,
        `mv ${b} ${b}2`,
        `touch ${scratch.outside}/new`,
        `mkdir ${scratch.outside}/new`,
        `chmod 777 ${b}`,
        `ln ${b} hard`,
        `ln ${b} ${scratch.outside}/hard`,
        `ln -s ${b} soft && echo x > soft`,
        `cd src && ln -s ${scratch.outside} out && echo x > out/new`,
        `mount -o remount,rw ${scratch.outside}`,
        `umount ${scratch.outside}`,
        `umount -l ${scratch.root}`,
        `truncate -s 0 ${b}`,
      );
      expect(await text("outside/b.txt")).toBe("b\n");
      expect(await readdir(scratch.outside)).toEqual(["b.txt"]);
    });

    it("G15 a hidden part of the temporary folder is absent, and is not touched", async () => {
      const { stdout } = await scratch.run(`ls ${scratch.base}; ls /tmp; echo x > /tmp/own && cat /tmp/own`);
      expect(stdout.split("\n")).not.toContain("state");
      expect(stdout).toMatch(/x\n$/);
      expect(existsSync("/tmp/own")).toBe(false);
    });

    it("G17 protected files that exist stay as they are", async () => {
      const names = [
        ".git/config",
        ".git/hooks/pre-commit.sample",
        ".npmrc",
        ".vscode/s.json",
        ".haft/s.json",
        "a/b/.envrc",
      ];
      for (const name of names) await scratch.put({ [`ws/${name}`]: name });
      const lines = names.flatMap((name) => [`echo x >> ${name}`, `rm -f ${name}`, `mv ${name} y`, `ln ${name} y`]);
      await allFail(...lines, "echo x > .git/hooks/pre-commit", "echo x > .vscode/tasks.json", "rm -rf .vscode .haft");
      expect(await Promise.all(names.map((name) => text(`ws/${name}`)))).toEqual(names);
    });

    it("G17 nothing on the way to a protected file can be put aside", async () => {
      await scratch.put({ "ws/a/b/.vscode/s.json": "1" });
      await allFail("mv .git g && mkdir -p .git/hooks", "mv a c", "mv a/b c", "rm -rf .git", `mv ${scratch.root} x`);
      expect(await text("ws/a/b/.vscode/s.json")).toBe("1");
    });

    it("G17 protected files that a command makes are taken away and named", async () => {
      const made = [".envrc", ".mcp.json", ".husky/pre-commit", "sub/.git/hooks/pre-commit", "a/.vscode/tasks.json"];
      const script = made.map((name) => `mkdir -p "$(dirname ${name})" && echo x > ${name}`).join("; ");
      const { denied, exitCode } = await scratch.run(script);
      expect(exitCode).toBe(0);
      for (const name of made) {
        expect(existsSync(`${scratch.root}/${name}`), name).toBe(false);
        expect(denied).toContain(`${scratch.root}/${name.replace(/\/(pre-commit|tasks\.json)$/, "")}`);
      }
      const [stamp = ""] = await readdir(`${scratch.state}/quarantine`);
      expect(await text(`state/quarantine/${stamp}/.envrc`)).toBe("x\n");
    });

    it("G17 one that is left running cannot make them later either", async () => {
      await scratch.run(
        "(while :; do touch .envrc src/late; done) & (setsid sh -c 'while :; do touch .mcp.json; done') & sleep 0.05",
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect([existsSync(`${scratch.root}/.envrc`), existsSync(`${scratch.root}/.mcp.json`)]).toEqual([false, false]);
    });

    it("G17 a repository that is made or cloned is ordinary work, one that runs something is not", async () => {
      await scratch.put({ "ws/t/hooks/x.sample": "", "ws/evil/.git/none": "" });
      const make = "git init -q --template=$PWD/t one; git clone -q one two 2>/dev/null; cp -r one evil2";
      const { denied } = await scratch.run(`${make}; git -C evil2 config core.fsmonitor 'touch x'`);
      expect(["one", "two"].map((name) => existsSync(`${scratch.root}/${name}/.git/config`))).toEqual([true, true]);
      expect(existsSync(`${scratch.root}/evil2/.git/config`)).toBe(false);
      expect(denied).toContain("evil2/.git/config");
    });

    it("G17 a repository cannot be led to a configuration elsewhere, and worktrees still work", async () => {
      await scratch.run("mkdir evil; echo '[core] fsmonitor = x' > evil/config; echo ../evil > .git/commondir");
      expect(existsSync(`${scratch.root}/.git/commondir`)).toBe(false);
      const git = "git -c user.name=n -c user.email=e@x";
      const { denied } = await scratch.run(
        `git init -q r; cd r; ${git} commit -q --allow-empty -m x; git worktree add -q ../w; cd ../w; git status`,
      );
      expect(denied).toBeUndefined();
      expect((await scratch.run("git -C w status --short && echo fine")).stdout).toBe("fine\n");
    });

    it("G17 secrets cannot be opened, under no name", async () => {
      await scratch.put({ "ws/.env": "TOKEN=1", "ws/x/.env.local": "TOKEN=2", "home/.netrc": "TOKEN=3" });
      await scratch.put({ "ws/.env.example": "TOKEN=" });
      const { home, state } = scratch;
      await allFail(
        ...["cat .env", "cat x/.env.local", "cp .env y", "ln .env y", "mv .env y", "mv x z && cat z/.env.local"],
        ...[
          `cat ${home}/.ssh/id_test`,
          `ls ${home}/.ssh/id_test`,
          `cat ${home}/.netrc`,
          `umount ${home}/.ssh`,
          `ls ${state}`,
        ],
        ...["cat /etc/shadow", "cat /proc/kcore", "cat /proc/kmsg"],
        ...(way === "srt" ? [] : [`ls ${home}/.ssh`, "cat /proc/kallsyms", "cat /proc/keys"]),
      );
      expect((await scratch.run("cat .env.example")).stdout).toBe("TOKEN=");
      const bound = known(effects.read(`${scratch.root}/.env`), effects.read(`${home}/.ssh/id_test`));
      expect((await scratch.run(`cat .env ${home}/.ssh/id_test`, { bound })).stdout).toBe("TOKEN=1key\n");
    });

    // The runtime cannot open a folder in one that it hides all but a part of: here, the temporary folder.
    it.skipIf(way === "srt")("G15 a grant whose writes are all known opens those places only", async () => {
      await mkdir(`${scratch.root}/out`);
      const bound = known(effects.write(`${scratch.root}/out/x`, "create"));
      const { stdout } = await scratch.run(
        "echo 1 > out/x && echo yes; echo 2 > src/y && echo no; touch z && echo no",
        {
          bound,
        },
      );
      expect(stdout).toBe("yes\n");
      expect((await scratch.run("touch out/y || echo no", { bound: known() })).stdout).toBe("no\n");
      const unbound = await scratch.processes.run({ command: "touch out/y && echo yes", cwd: scratch.root });
      expect(unbound).toMatchObject({ stdout: "", denied: expect.stringContaining("ask for a write") } as const);
    });

    it("G15 holes of the grant are closed", async () => {
      await scratch.put({ "ws/keep/k": "k", "ws/not/n": "n" });
      const hole = (access: "read" | "write", part: string) => ({
        do: access,
        matches: (path: string) => path.includes(part),
      });
      const bound = { ...UNREAD, holes: [hole("write", "/keep"), hole("read", "/not")] };
      const { stdout } = await scratch.run(
        "cat keep/k; echo x > keep/k || echo no; cat not/n || echo no; rm -r keep || echo no",
        { bound },
      );
      expect(stdout).toBe("kno\nno\nno\n");
    });

    it("G15 the kernel's switches and devices are out of reach", async () => {
      // Only asked for, never opened: this is the real machine.
      const { stdout } = await scratch.run(
        "for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sysrq-trigger /proc/mtrr /proc/irq/default_smp_affinity /sys/power/state /sys/kernel/uevent_helper /etc /usr/bin /; do test -w $f && ! test -c $f && echo $f; done; ls /dev",
      );
      const usual = "core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero".split(" ");
      expect(stdout.trim().split("\n")).toEqual(usual);
      await allFail("mknod n b 8 0", "mknod n c 1 1", "test -w /proc/1/mem && test $$ != 1 && cat /dev/mem");
    });

    it.each(["a:b,c", "back\\slash", "new\nline", "-dash", "quote'\"$(x)", "sp ace", "ünï", "*?[x]"])(
      "G15 works below a folder named %j",
      async (name) => {
        const root = `${await realpath(scratch.root)}/${name}`;
        await scratch.put({ [`ws/${name}/.envrc`]: "old" });
        const odd = await createScratch({
          workspace: () => ({ root, additional: [], home: scratch.home, platform: "linux" }),
        });
        const outcome = await odd.processes.run({
          command: "echo x > f; cat f; echo x > .envrc",
          cwd: root,
          bound: UNREAD,
        });
        await odd.close();
        expect(outcome).toMatchObject({ stdout: "x\n", exitCode: 1, cwd: root });
        expect(await text(`ws/${name}/.envrc`)).toBe("old");
      },
    );
  },
);
