// A sandbox that stands before its command is known is used only while it is what would be put up now.
import { spawn } from "node:child_process";
import { link, mkdir, readdir, readFile, rename, rm, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { type Bound, type Effect, effects, type RunRequest } from "@haft/core/tool";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { patience } from "../../../test/support/patience.ts";
import { createScratch, known, type Scratch, UNREAD, WITHOUT_SANDBOX, waitingFor } from "../test/support/confined.ts";

const READER: Bound = known();
const HOST = { ahead: { idleMs: 60_000 } };

describe.skipIf(WITHOUT_SANDBOX)("a sandbox that stands ready", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await createScratch({ host: HOST });
  });
  afterEach(() => scratch.close());

  async function warm(rest: Partial<RunRequest> = {}): Promise<void> {
    await vi.waitFor(async () => expect(await scratch.stands(rest)).toBe(true), { timeout: 20_000, interval: 1 });
  }
  const run = (command: string, rest: Partial<RunRequest> = {}) =>
    scratch.processes.run({ command, cwd: scratch.root, bound: UNREAD, ...rest });
  const text = (path: string) => readFile(`${scratch.root}/${path}`, "utf8");

  it("G15 is there from the third like command on, for readers and for writers", async () => {
    for (const bound of [READER, UNREAD]) {
      const stood: boolean[] = [];
      for (let round = 0; round < 3; round++) stood.push(await scratch.stands({ bound }));
      expect(stood).toEqual([false, false, true]);
    }
    const outcome = await run("echo made > made; echo out; echo err >&2; cd src");
    expect(outcome).toMatchObject({ stood: true, stdout: "out\n", stderr: "err\n", cwd: `${scratch.root}/src` });
    expect(await text("made")).toBe("made\n");
  });

  it("G15 is there, or on its way, for each of many commands on each other's heels", async () => {
    const stood: boolean[] = [];
    for (let round = 0; round < 8; round++) stood.push(await scratch.stands({ bound: READER }));
    expect(stood).toEqual([false, false, true, true, true, true, true, true]);
  });

  it.each([
    [2, "closely", 600_000],
    [1, "after pauses", -1],
  ])(
    "G15 %i of them wait where commands follow each other %s",
    async (count, _, closeMs) => {
      await using own = await createScratch({ host: { ahead: { idleMs: 60_000, closeMs } } });
      for (let round = 0; round < 4; round++) await own.stands({ bound: READER });
      await vi.waitFor(async () => expect(await waitingFor(own.base)).toHaveLength(count), {
        timeout: patience(20_000),
      });
    },
    60_000,
  );

  it("G15 is there for the first command where it was asked for before, once, and only for its like", {
    tags: ["smoke"],
  }, async () => {
    const bound: Bound = known({ do: "read", basis: "proved", path: scratch.root, tree: true });
    await scratch.processes.prepare?.({ cwd: scratch.root, bound });
    await vi.waitFor(async () => expect(await waitingFor(scratch.base)).toHaveLength(1), { timeout: 20_000 });
    await scratch.processes.prepare?.({ cwd: scratch.root, bound });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await waitingFor(scratch.base)).toHaveLength(1);
    expect(await run("ls", { bound: UNREAD })).not.toHaveProperty("stood");
    expect(await run("ls src", { bound: READER })).toMatchObject({ stood: true, stdout: "a.txt\n" });
  });

  it("G17 is thrown away when something protected was replaced, put aside and back, or is new", async () => {
    const config = `${scratch.root}/.git/config`;
    const changes: Record<string, () => Promise<unknown>> = {
      replaced: async () => {
        await writeFile(`${config}.new`, "[core]\n");
        await rename(`${config}.new`, config);
      },
      "taken away and back": async () => {
        await link(config, `${scratch.root}/kept`);
        await unlink(config);
        await link(`${scratch.root}/kept`, config);
        await rm(`${scratch.root}/kept`);
      },
      "a folder made anew": async () => {
        await rename(`${scratch.root}/.git/hooks`, `${scratch.base}/hooks`);
        await mkdir(`${scratch.root}/.git/hooks`);
      },
      nested: () => mkdir(`${scratch.root}/deep/.git/hooks`, { recursive: true }),
      "a link": () => symlink(`${scratch.root}/src`, `${scratch.root}/.vscode`),
    };
    for (const [name, change] of Object.entries(changes)) {
      await warm();
      await change();
      const outcome = await run("echo evil >> .git/config; echo evil > .git/hooks/x; echo evil > deep/.git/hooks/x");
      expect([name, outcome.stood]).toEqual([name, undefined]);
      expect(await text(".git/config"), name).not.toContain("evil");
      for (const folder of [".git/hooks", "deep/.git/hooks"])
        expect(await readdir(`${scratch.root}/${folder}`).catch(() => []), name).not.toContain("x");
    }
  });

  it("G15 is thrown away when something private or a socket is new, or the workspace is another folder", async () => {
    const server = createServer();
    const changes: Record<string, () => Promise<unknown>> = {
      secret: () => scratch.put({ "ws/src/.env": "KEY=secret\n" }),
      "private folder": () => scratch.put({ "home/.aws/credentials": "secret\n" }),
      socket: () => new Promise<void>((resolve) => server.listen(`${scratch.outside}/named.sock`, resolve)),
      workspace: async () => {
        await rename(scratch.root, `${scratch.base}/old`);
        await mkdir(`${scratch.root}/src`, { recursive: true });
      },
    };
    const look = `cat src/.env ${scratch.home}/.aws/credentials; test -S ${scratch.outside}/named.sock && echo socket; touch here`;
    for (const [name, change] of Object.entries(changes)) {
      await warm();
      await change();
      const outcome = await run(look);
      expect([name, outcome.stood, outcome.stdout]).toEqual([name, undefined, ""]);
    }
    server.close();
    expect([await readdir(scratch.root), await readdir(`${scratch.base}/old`)]).toEqual([
      ["here", "src"],
      expect.arrayContaining(["here"]),
    ]);
  });

  it("G15 is there again right after a command that changed what is held", async () => {
    await warm();
    const made = await run("git init -q one; mkdir deep; git init -q deep/two");
    expect(made.stood).toBe(true);
    const stood: boolean[] = [];
    for (let round = 0; round < 5; round++) stood.push(await scratch.stands());
    // One sandbox may be prepared while the command runs and one right after it, before its changes are noted.
    expect(stood.slice(2)).toEqual([true, true, true]);
  });

  it("G15 is for one grant, environment and folder only", async () => {
    await warm();
    const others: Record<string, Partial<RunRequest>> = {
      environment: { env: { OTHER: "1" } },
      folder: { cwd: `${scratch.root}/src` },
      hole: { bound: { ...UNREAD, holes: [hole("write", `${scratch.root}/src/a.txt`)] } },
      grant: {
        bound: { effects: [...UNREAD.effects, effects.write(`${scratch.outside}/b.txt`, "modify")], holes: [] },
      },
      reader: { bound: READER },
    };
    for (const [name, other] of Object.entries(others))
      expect([name, (await run(":", other)).stood]).toEqual([name, undefined]);
    expect((await run(":")).stood).toBe(true);
  });
  const hole = (access: "read" | "write", path: string): Bound["holes"][number] => ({
    do: access,
    matches: (candidate) => candidate === path,
  });

  it("L01 an end by a signal differs from an exit in both kinds of shell, for readers and writers", async () => {
    const ends: readonly (readonly [string, object])[] = [
      ["exit 143", { exitCode: 143 }],
      ["exit 137", { exitCode: 137 }],
      ["(exit 139); exit", { exitCode: 139 }],
      ["kill -TERM $$", { exitCode: null, signal: "SIGTERM" }],
      ["kill -KILL $$", { exitCode: null, signal: "SIGKILL" }],
      ["exec bash -c 'kill -SEGV $$'", { exitCode: null, signal: "SIGSEGV" }],
    ];
    for (const bound of [READER, UNREAD])
      for (const [script, end] of ends) {
        const fresh = await run(script, { bound, env: { FRESH: script } });
        await warm({ bound });
        const standing = await run(script, { bound });
        expect([fresh.stood, standing.stood]).toEqual([undefined, true]);
        for (const outcome of [fresh, standing]) {
          expect(outcome, script).toMatchObject(end);
          expect("signal" in outcome, script).toBe("signal" in end);
        }
      }
  }, 60_000);

  it("L03 a writer in one has its time, can be cancelled, puts its work down, and leaves nobody", async () => {
    await warm();
    const gentle = await run("trap 'echo bye > bye; exit 3' TERM; echo begun; while :; do sleep 0.02; done", {
      timeoutMs: 400,
    });
    expect(gentle).toMatchObject({ stood: true, timedOut: true, exitCode: 3, stdout: "begun\n" });
    expect(await text("bye")).toBe("bye\n");
    await warm();
    const stop = new AbortController();
    const stubborn = run(
      "trap '' TERM; (setsid sh -c 'while :; do date +%N > beat; sleep 0.01; done' &); while :; do :; done",
      {
        signal: stop.signal,
      },
    );
    await vi.waitFor(() => stat(`${scratch.root}/beat`), { timeout: 5000 });
    stop.abort();
    expect(await stubborn).toMatchObject({ cancelled: true, exitCode: null, signal: "SIGKILL" });
    const last = await text("beat");
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await text("beat")).toBe(last);
  });

  it("L03 nothing of a command lives on when its outcome is there, not even for a moment", async () => {
    await warm();
    for (let round = 0; round < 5; round++) {
      await run("for i in 1 2 3 4; do (trap '' TERM HUP; while :; do date +%N > beat$$-$i; done) & done; sleep 0.05");
      const seen = await beats();
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(await beats()).toEqual(seen);
    }
  });
  async function beats(): Promise<readonly string[]> {
    const names = (await readdir(scratch.root)).filter((name) => name.startsWith("beat"));
    return Promise.all(names.map(async (name) => `${name} ${(await stat(`${scratch.root}/${name}`)).mtimeMs}`));
  }

  it("L03 at most three wait, and those that nobody wants end by themselves", async () => {
    const short = await createScratch({ host: { ahead: { idleMs: 700 } } });
    const like = (index: number): Effect => effects.write(`${short.root}/src/${index}`, "create");
    for (let index = 0; index < 5; index++)
      for (let round = 0; round < 2; round++)
        await short.stands({
          bound: { effects: [...UNREAD.effects, like(index)], holes: [] },
          env: { INDEX: `${index}` },
        });
    await vi.waitFor(async () => expect((await waitingFor(short.base)).length).toBeLessThanOrEqual(3), {
      timeout: 600,
    });
    expect((await waitingFor(short.base)).length).toBeGreaterThan(0);
    await vi.waitFor(async () => expect(await waitingFor(short.base)).toEqual([]), { timeout: 5000 });
    await short.close();
  });

  it("L03 ends with its host, however that goes", async () => {
    const support = JSON.stringify(new URL("../test/support/confined.ts", import.meta.url).href);
    const script = `const { createScratch } = await import(${support}); const s = await createScratch({}, "standing");
      while (!(await s.stands())); console.log(s.base); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--conditions=haft-source", "--input-type=module", "-e", script]);
    let base = "";
    child.stdout.on("data", (chunk) => {
      base += chunk;
    });
    await vi.waitFor(() => expect(base).toContain("\n"), 20_000);
    expect((await waitingFor(base.trim())).length).toBeGreaterThan(0);
    child.kill("SIGKILL");
    await vi.waitFor(async () => expect(await waitingFor(base.trim())).toEqual([]), 5000);
    await rm(base.trim(), { recursive: true, force: true });
  }, 40_000);
});
