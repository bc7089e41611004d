import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { isRunning, temporary } from "../../test/support/jobs.ts";
import { createJobs } from "./index.ts";

const place = await temporary();
afterAll(() => place.remove());

/** Starts a helper that leaves the group and loses its parent, and writes its process id to `file`. */
const daemon = (file: string, more = "") =>
  `(${more} setsid bash -c 'echo $$ > ${file}; trap "" TERM HUP; while :; do sleep 1; done' &) `;
const idIn = async (name: string): Promise<number> => {
  for (let tries = 0; tries < 100; tries++) {
    const text = await readFile(`${place.folder}/${name}`, "utf8").catch(() => "");
    if (text.endsWith("\n")) return Number(text);
    await wait(20);
  }
  throw new Error(`${name} never came`);
};

describe("the end of background jobs", () => {
  it("L08 stopping ends the whole tree, helpers that left the group and lost their parent too", async () => {
    const jobs = createJobs();
    const { id, pid } = await jobs.start({ command: `${daemon("a")}; sleep 30 & wait`, cwd: place.folder });
    const helper = await idIn("a");
    expect(await isRunning(helper)).toBe(true);
    const started = performance.now();
    expect(await jobs.stop(id)).toMatchObject({ status: "ended", endedBy: "stop", signal: "SIGTERM" });
    expect(performance.now() - started).toBeLessThan(patience(2000));
    expect([await isRunning(pid), await isRunning(helper)]).toEqual([false, false]);
    await jobs.close();
  });

  it("L08 one that hid its mark and its session is ended while its parent is still there to tell of it", async () => {
    const jobs = createJobs();
    const hidden = `setsid env -i bash -c 'echo $$ > h; trap "" TERM HUP; while :; do /bin/sleep 1; done' & wait`;
    const { id } = await jobs.start({ command: hidden, cwd: place.folder });
    const helper = await idIn("h");
    await jobs.stop(id);
    expect(await isRunning(helper)).toBe(false);
    await jobs.close();
  });

  it("L03 the end of the session ends what jobs left that are long over, and one without its mark", async () => {
    const jobs = createJobs();
    const over = await jobs.start({ command: daemon("b"), cwd: place.folder });
    await jobs.wait(over.id, { timeoutMs: 3000 });
    const command = `env -i bash -c 'echo $$ > c; trap "" TERM; while :; do /bin/sleep 1; done' & wait`;
    await jobs.start({ command, cwd: place.folder });
    const helpers = [await idIn("b"), await idIn("c")];
    await jobs.close();
    expect(await Promise.all(helpers.map(isRunning))).toEqual([false, false]);
  });

  it("L03 a job whose child goes on says so, and stopping it ends the child", { tags: ["smoke"] }, async () => {
    const jobs = createJobs();
    const { id } = await jobs.start({ command: "sleep 30 & echo $! > d", cwd: place.folder });
    expect(await jobs.wait(id, { timeoutMs: 3000 })).toMatchObject({ status: "ended", exitCode: 0, left: true });
    const child = await idIn("d");
    expect(await isRunning(child)).toBe(true);
    expect(await jobs.stop(id)).toMatchObject({ left: false, exitCode: 0 });
    expect(await isRunning(child)).toBe(false);
    await jobs.close();
  });

  it.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)(
    "L03 a host that %s ends leaves nobody after two seconds",
    async (signal) => {
      const host = startHost([
        `cd ${place.folder}; ${daemon(signal)}; sleep 60 & wait`,
        "trap '' TERM; while :; do sleep 1; done",
      ]);
      const pids = await said(host);
      const helper = await idIn(signal);
      expect(await Promise.all([...pids, helper].map(isRunning))).toEqual([true, true, true]);
      host.kill(signal);
      await once(host, "exit");
      const deadline = performance.now() + 2000;
      const anybody = async () => (await Promise.all([...pids, helper].map(isRunning))).includes(true);
      while ((await anybody()) && performance.now() < deadline) await wait(20);
      expect(await anybody()).toBe(false);
    },
  );

  it("L03 jobs do not keep a host that is done from going", async () => {
    const code = `const { createJobs } = await import(${JSON.stringify(new URL("./index.ts", import.meta.url).href)});
      const { pid } = await createJobs().start({ command: "sleep 60", cwd: "/" }); console.log(pid);`;
    const host = spawn(process.execPath, [...SOURCES, "--input-type=module", "-e", code], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [pid] = await said(host);
    if (host.exitCode === null) await once(host, "exit");
    await wait(1000);
    expect(await isRunning(pid!)).toBe(false);
  });
});

const SOURCES = ["--conditions=haft-source", "--disable-warning=ExperimentalWarning"];

function startHost(commands: readonly string[]): ChildProcess {
  const script = new URL("../../test/support/jobs-host.ts", import.meta.url).pathname;
  return spawn(process.execPath, [...SOURCES, script, ...commands], { stdio: ["ignore", "pipe", "inherit"] });
}

async function said(host: ChildProcess): Promise<readonly number[]> {
  const [line] = (await once(host.stdout!, "data")) as [Buffer];
  return line.toString().trim().split(" ").map(Number);
}
