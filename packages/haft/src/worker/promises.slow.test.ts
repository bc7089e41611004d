// Promises of a queue beyond a single call: undo, the sandbox, cancelling, approvals, and a host that dies.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { hasRedis, startRedis, type TestRedis } from "../../../../test/support/redis-server.ts";
import { createHaft } from "../app/create-haft.ts";
import type { HaftOptions } from "../app/haft.ts";
import { startWorker } from "./index.ts";

const env = { ...process.env, HAFT_QUEUE_KEY: "k".repeat(64) };
const canConfine = existsSync("/usr/bin/bwrap");

describe.runIf(hasRedis)("a queue", { timeout: 60_000 }, () => {
  let redis: TestRedis;
  let scratch: string;
  let folder: string;
  const closing: (() => Promise<unknown>)[] = [];
  const base = () => ({ withoutUserSettings: true, stateDir: join(scratch, "state"), home: scratch, env }) as const;
  const work = async (more: Partial<HaftOptions> = {}) => {
    const haft = { ...base(), ...more };
    const worker = await startWorker({ url: redis.url, workspaces: [folder], version: "test", heartbeatMs: 300, haft });
    closing.push(() => worker.close());
    return worker;
  };
  const open = async (more: HaftOptions = {}) => {
    const all = {
      ...base(),
      cwd: folder,
      queue: redis.url,
      mode: "bypassPermissions" as const,
      loopGuard: false as const,
    };
    const haft = await createHaft({ ...all, onNotice() {}, ...more });
    closing.push(async () => haft[Symbol.asyncDispose]());
    return haft;
  };
  const lines = (name: string): readonly string[] =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean) : [];

  beforeAll(async () => {
    redis = await startRedis();
  });
  beforeEach(() => {
    scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-promises-")));
    folder = join(scratch, "workspace");
    mkdirSync(folder);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    rmSync(scratch, { recursive: true, force: true });
  });
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
  });

  it("takes back what a command changed on a worker", { tags: ["smoke"] }, async () => {
    const worker = await work();
    const haft = await open();
    writeFileSync(join(folder, "a.txt"), "old\n");
    const command = "echo new > a.txt; mkdir sub; echo b > sub/b.txt";
    expect((await haft.call("Bash", { command }, { id: "change" })).error).toBeUndefined();
    expect([lines("a.txt"), lines("sub/b.txt"), worker.info().done]).toEqual([["new"], ["b"], 1]);
    await haft.undo("change");
    expect([lines("a.txt"), existsSync(join(folder, "sub"))]).toEqual([["old"], false]);
  });

  it.runIf(canConfine)("confines a command on a worker by the rules of both sides", async () => {
    const settings = join(scratch, "worker.json");
    writeFileSync(settings, JSON.stringify({ sandbox: { tier: "bwrap" } }));
    await work({ settings, rules: { deny: ["Read(./theirs.txt)"] } });
    const haft = await open({ rules: { deny: ["Read(./ours.txt)"] } });
    for (const name of ["ours", "theirs", "open"]) writeFileSync(join(folder, `${name}.txt`), `secret of ${name}\n`);
    const command = `node -e 'for (const f of ["ours", "theirs", "open"]) try { console.log(String(require("fs").readFileSync(f + ".txt"))) } catch {}'`;
    const said = JSON.stringify((await haft.call("Bash", { command })).content);
    expect(said).toContain("secret of open");
    expect(said).not.toMatch(/secret of (?:ours|theirs)/);
  });

  it.runIf(canConfine)("hides a file that a rule of the host closes from a command that only reads", async () => {
    await work();
    const haft = await open({ rules: { deny: ["Read(./closed.txt)"] } });
    for (const name of ["closed", "open"]) writeFileSync(join(folder, `${name}.txt`), `secret of ${name}\n`);
    const said = JSON.stringify((await haft.call("Bash", { command: "cat *.txt" })).content);
    expect(said).toContain("secret of open");
    expect(said).not.toContain("secret of closed");
  });

  it("refuses a command that could break a deny rule of the worker, if nothing keeps it from that", async () => {
    await work({ rules: { deny: ["Read(./theirs.txt)"] } });
    const haft = await open();
    writeFileSync(join(folder, "theirs.txt"), "secret\n");
    const refused = await haft.call("Bash", { command: "cat *.txt > all" });
    expect(refused.error).toMatchObject({ code: "denied_by_rule" });
    expect(refused.error?.message).toContain("Read(./theirs.txt)");
    expect(existsSync(join(folder, "all"))).toBe(false);
  });

  it("ends a command on a worker when its call is cancelled", async () => {
    const worker = await work();
    const haft = await open();
    const controller = new AbortController();
    const { signal } = controller;
    const run = haft.call(
      "Bash",
      { command: "echo $$ > pid; cp pid begun; sleep 600" },
      { signal, onUpdate: () => {} },
    );
    await vi.waitFor(() => expect(worker.info().active).toBe(1), patience(10_000));
    controller.abort(new Error("enough"));
    expect((await run).error).toMatchObject({ code: "cancelled" });
    await vi.waitFor(() => expect(worker.info().active).toBe(0), patience(10_000));
  });

  it("uses a yes up when the call can start on a worker, and not before", async () => {
    const ask = (id: string, who: "person" | "nobody") =>
      hostProcess("queue-asker", [redis.url, folder, scratch, id, who]);
    const first = ask("c1", "person");
    await first.says(/yes/);
    await kill(first.child);
    await work();
    await ask("c2", "nobody").says(/done/);
    await ask("c3", "nobody").says(/needs_approval/);
    expect(lines("log")).toEqual(["ran"]);
  });

  it("goes on where a killed host was: results stay, running calls are found, nothing starts unasked", async () => {
    const worker = await work();
    const calls = [
      { id: "answered", tool: "Bash", input: { command: "echo answered >> log" } },
      {
        id: "running",
        tool: "Bash",
        input: { command: "echo running >> log; while [ ! -e ../gate ]; do sleep 0.05; done; echo ended" },
      },
      { id: "never", tool: "Bash", input: { command: "echo never >> log" } },
    ];
    writeFileSync(join(scratch, "calls.json"), JSON.stringify(calls));
    const { child } = hostProcess("queue-host", [redis.url, folder, scratch]);
    await vi.waitFor(() => expect(worker.info()).toMatchObject({ done: 1, active: 1 }), patience(10_000));
    await kill(child);
    const haft = await open({ session: "kills", queue: { url: redis.url, startWithinMs: 30_000 } });
    const again = ({ id, tool, input }: (typeof calls)[number]) => haft.call(tool, input, { id });
    expect((await again(calls[0]!)).error).toBeUndefined();
    const found = again(calls[1]!);
    writeFileSync(join(scratch, "gate"), "");
    expect(JSON.stringify((await found).content)).toContain("ended");
    expect(lines("log")).toEqual(["answered", "running"]);
    expect(worker.info().done).toBe(2);
  });
});

function hostProcess(name: string, args: readonly string[]) {
  const program = fileURLToPath(new URL(`../../test/support/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ["--conditions=haft-source", program, ...args], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (text: Buffer) => {
    said += text;
  });
  const says = (words: RegExp) => vi.waitFor(() => expect(said).toMatch(words), patience(10_000));
  return { child, says };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}
