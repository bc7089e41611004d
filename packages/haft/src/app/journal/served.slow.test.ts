import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ApprovalRequest } from "@haft/core/approval";
import { contentsText, type JobState } from "@haft/core/tool";
import { findBwrap } from "@haft/sandbox/facts";
import { describe, expect, it } from "vitest";
import { isCheckoutHidden } from "../../../test/support/seen-place.ts";
import { sessionPlaces } from "../../../test/support/session-places.ts";
import type { HaftOptions } from "../haft.ts";

const places = sessionPlaces("served");

/** A repository that ignores outputs, installed code and a folder of one's own; every question is answered with a no. */
async function fresh(options: HaftOptions = {}) {
  const place = places.make("work/mine", "work/node_modules/x");
  const { base, cwd } = place;
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  write("a.txt", "one\n");
  write(".gitignore", "dist/\nmine/\nnode_modules/\n.env\n");
  write(".env", "TOKEN=hunter2\n");
  write("mine/only.txt", "only\n");
  write("node_modules/x/index.js", "old\n");
  execFileSync("git", ["-C", cwd, "init", "-q"]);
  const asked: ApprovalRequest[] = [];
  const haft = await places.open({
    ...place.options,
    mode: "undoable",
    // The test looks again and again; a model that did would be told.
    loopGuard: false,
    ask: async (request) => {
      asked.push(request);
      return { behavior: "deny" };
    },
    ...options,
  });
  const say = async (tool: string, input: object) => {
    const result = await haft.call(tool, input);
    return { text: contentsText(result.content), error: result.error, output: result.output };
  };
  const start = (command: string, more: object = {}) => say("Bash", { command, run_in_background: true, ...more });
  const text = (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), "utf8") : undefined);
  /** How the job stands when that is so, or after ten seconds. */
  async function until(id: string, isSo: (report: JobState, text: string) => boolean) {
    for (let round = 0; ; round++) {
      const { text: said, output } = await say("process", { action: "log", id });
      const [report] = (output as { jobs: JobState[] }).jobs;
      if (round > 200 || isSo(report!, said)) return { report: report!, said };
      await wait(50);
    }
  }
  return { base, cwd, haft, asked, say, start, until, text, write };
}

const hasBwrap = (await findBwrap([])) !== undefined;

describe.skipIf(!hasBwrap)("L03 a served job", () => {
  it("L03 F30 starts unasked, finds the workspace read-only but for build output, sees what is edited, and has its own tmp", async () => {
    const { cwd, asked, say, start, until, text, write } = await fresh();
    const script = [
      "import os, time",
      "def tell(name, act):",
      "    try: print(name, act(), flush=True)",
      "    except OSError as fault: print(name, 'no', fault.errno, flush=True)",
      "for p in ['a.txt', 'new.txt', 'mine/only.txt', 'node_modules/x/index.js', '.git/config', 'dist/out.js', 'node_modules/.cache/c', '/tmp/t']:",
      "    tell(p, lambda: open(p, 'w').write('x'))",
      "tell('private', lambda: open('.env').read())",
      "while open('a.txt').read() == 'one\\n': time.sleep(0.02)",
      "print('seen', open('a.txt').read(), flush=True)",
      "time.sleep(60)",
    ].join("\n");
    write("job.py", script);
    const { text: begun } = await start("python3 job.py");
    expect(begun).toContain(`The workspace is read-only for it but for`);
    expect(asked).toEqual([]);
    await until("j1", (_, said) => said.includes("private"));
    await say("Read", { file_path: "a.txt" });
    await say("Write", { file_path: "a.txt", content: "two\n" });
    const { said } = await until("j1", (_, words) => words.includes("seen"));
    expect(said.split("\n").slice(0, 10)).toEqual([
      ...["a.txt", "new.txt", "mine/only.txt", "node_modules/x/index.js", ".git/config"].map((name) => `${name} no 30`),
      ...["dist/out.js 1", "node_modules/.cache/c 1", "/tmp/t 1", "private no 13", "seen two"],
    ]);
    const polled = await say("process", { action: "poll", id: "j1" });
    expect(polled.text).toContain("In ignored folders that can be rebuilt: dist, node_modules/.cache.");
    await say("TaskStop", { task_id: "j1" });
    expect([text("mine/only.txt"), text("dist/out.js"), text("new.txt")]).toEqual(["only\n", "x", undefined]);
    expect(existsSync(join(cwd, "node_modules/.vite"))).toBe(false);
    expect(asked).toEqual([]);
  });

  it.skipIf(isCheckoutHidden)(
    "L03 a server in it is reached from this machine at its port, and reaches nobody itself",
    async () => {
      const { haft, asked, say, start, until, write } = await fresh();
      const outside = createServer((socket) => socket.end("in")).listen(0, "127.0.0.1");
      await new Promise((resolve) => outside.once("listening", resolve));
      const { port } = outside.address() as { port: number };
      let reached = 0;
      outside.on("connection", () => reached++);
      write(
        "server.mjs",
        `import { createServer } from "node:http";
import { connect } from "node:net";
connect(${port}, "127.0.0.1").on("error", (fault) => console.log("out", fault.code)).on("connect", () => console.log("out connected"));
createServer((ask, answer) => ask.pipe(answer)).listen(48731);`,
      );
      await start(`${process.execPath} server.mjs`);
      const { report, said } = await until("j1", ({ reachable = [] }) => reachable.length > 0);
      expect(said).toContain("out ECONNREFUSED");
      const [address] = report.reachable ?? [];
      expect(address).toBe("127.0.0.1:48731");
      const big = "x".repeat(300_000);
      const answers = await Promise.all(
        [1, 2, 3].map(async (round) =>
          (await fetch(`http://${address}/`, { method: "POST", body: `${round}${big}` })).text(),
        ),
      );
      expect(answers.map((answer) => [answer[0], answer.length])).toEqual(
        [1, 2, 3].map((round) => [`${round}`, 300_001]),
      );
      expect((await say("process", { action: "poll", id: "j1" })).text).toContain("reached at 127.0.0.1:48731");
      await haft.call("TaskStop", { task_id: "j1" });
      await expect(fetch(`http://${address}/`)).rejects.toThrow();
      outside.close();
      expect([reached, asked]).toEqual([0, []]);
    },
  );

  it.skipIf(isCheckoutHidden)("L03 a port that is taken here is published under another", async () => {
    const { start, until, write } = await fresh();
    const taken = createServer().listen(48732, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    write("server.mjs", `import { createServer } from "node:net"; createServer((s) => s.end("hello")).listen(48732);`);
    await start(`${process.execPath} server.mjs`);
    const { report } = await until("j1", ({ reachable = [] }) => reachable.length > 0);
    taken.close();
    const [host, port] = report.reachable![0]!.split(":");
    expect(port).not.toBe("48732");
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), host).on("error", reject);
      socket.on("data", (bytes) => resolve(bytes.toString()));
    });
    expect(said).toBe("hello");
  });

  it("L01 F30 a declared or known change of a job is asked about, and the job runs directly", {
    tags: ["smoke"],
  }, async () => {
    const { asked, start, text } = await fresh();
    for (const [command, more] of [
      ["python3 gen.py", { writes: ["src/gen"] }],
      ["python3 gen.py > log.txt", {}],
    ] as const)
      expect((await start(command, more)).error?.code).toBe("denied_by_user");
    expect(asked.map(({ why }) => why)).toEqual([
      expect.stringContaining("it changes the workspace while it runs, which cannot be held back"),
      expect.stringContaining("it changes the workspace while it runs, which cannot be held back"),
    ]);
    expect(text("log.txt")).toBeUndefined();
    expect((await start("sleep 1", { writes: ["x"], run_in_background: false })).error?.code).toBe("validation_failed");
  });

  it("L01 a job that fails over the read-only workspace is told how to ask for more", async () => {
    const { start, asked } = await fresh();
    const { text, error } = await start('python3 -c \'open("made", "w")\'', { wait_ms: 10_000 });
    expect(error?.hint).toContain("must list its workspace changes in writes");
    expect(text).toContain("Read-only file system");
    expect(asked).toEqual([]);
  });

  it("L01 a server in the foreground goes into the background at once; with a time of its own it does not", async () => {
    const { asked, say, haft } = await fresh();
    const { text } = await say("Bash", { command: "cd . && python3 -m http.server 48733" });
    expect(text).toMatch(/Background job j1 .* continues/);
    const { error } = await say("Bash", { command: "python3 -m http.server 48734", timeout: 500 });
    expect(error?.code).toBe("timeout");
    expect([haft.jobs.list().length, asked]).toEqual([1, []]);
  });

  it("L04 F30 input to a served job needs no question; input to one in the workspace does", async () => {
    const { asked, say, start, until, text } = await fresh({ rules: { allow: ["Bash(exec bash)"] } });
    await start("env bash", { stdin: true });
    await say("process", { action: "write", id: "j1", stdin: "echo told; echo x > made\n" });
    expect((await until("j1", (_, said) => said.includes("Read-only"))).said).toContain("told");
    expect([asked, text("made")]).toEqual([[], undefined]);
    await start("exec bash", { stdin: true });
    const { error } = await say("process", { action: "write", id: "j2", stdin: "touch made\n" });
    expect([error?.code, asked.length, text("made")]).toEqual(["denied_by_user", 1, undefined]);
  });
});
