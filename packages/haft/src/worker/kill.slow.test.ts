import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { patience } from "../../../../test/support/patience.ts";
import { hasRedis, startRedis } from "../../../../test/support/redis-server.ts";

/** Kills of a worker, the host or Redis, in turn, each at a random moment. The full run: `HAFT_QUEUE_KILLS=500`. */
const KILLS = Number(process.env.HAFT_QUEUE_KILLS ?? (process.env.HAFT_RUNS === "1" ? 3 : 1));
/** More than are made between two kills. The host makes no new ones after the last kill. */
const CALLS_A_KILL = 100;
const BEAT_MS = 300;

const program = (name: string): string => fileURLToPath(new URL(`../../test/support/${name}.ts`, import.meta.url));

/** A process that is started anew when it is killed. */
function keptAlive(name: string, args: readonly string[]) {
  let child: ChildProcess | undefined;
  let isDone = false;
  let startMs = 0;
  async function start(): Promise<void> {
    const env = { ...process.env, HAFT_QUEUE_KEY: "k".repeat(64) };
    const started = spawn(process.execPath, ["--conditions=haft-source", program(name), ...args], {
      env,
      stdio: ["ignore", "pipe", process.env.HAFT_QUEUE_LOG ? "inherit" : "ignore"],
    });
    child = started;
    const since = Date.now();
    await new Promise<void>((resolve) => {
      started.stdout!.on("data", (text: Buffer) => {
        if (text.includes("done")) isDone = true;
        if (text.includes("ready")) startMs = Date.now() - since;
        if (text.includes("ready") || text.includes("done")) resolve();
      });
      started.once("exit", () => resolve());
    });
  }
  /** Returns whether there was something to kill. */
  async function kill(): Promise<boolean> {
    const victim = child;
    if (!victim || victim.exitCode !== null || victim.signalCode !== null) return false;
    const gone = new Promise((resolve) => victim.once("exit", resolve));
    victim.kill("SIGKILL");
    await gone;
    return true;
  }
  const isAlive = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;
  return { start, kill, isAlive, isDone: () => isDone, startMs: () => startMs };
}

interface Answer {
  readonly id: string;
  readonly code: string;
  readonly message?: string;
}

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];

async function campaign(kills: number) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "haft-kills-")));
  const folder = join(home, "workspace");
  mkdirSync(folder);
  const log = join(folder, "log.txt");
  writeFileSync(join(folder, "read.txt"), "to be read\n");
  let calls = Array.from({ length: kills * CALLS_A_KILL }, (_, index) => {
    const id = `c${index}`;
    const write = { tool: "Write", input: { file_path: join(folder, `${id}.txt`), content: id } };
    const read = { tool: "Read", input: { file_path: join(folder, "read.txt") } };
    const run = { tool: "Bash", input: { command: `sleep 0.02; echo ${id} >> log.txt; sleep 0.02` } };
    return { id, ...[run, read, write, run][index % 4]! };
  });
  writeFileSync(join(home, "calls.json"), JSON.stringify(calls));
  await using redis = await startRedis();
  const workers = [1, 2].map(() => keptAlive("queue-worker", [redis.url, folder, home, String(BEAT_MS)]));
  const host = keptAlive("queue-host", [redis.url, folder, home]);
  const all = [...workers, host];
  await Promise.all(all.map((one) => one.start()));
  let done = 0;
  while (done < kills && !host.isDone()) {
    // On a busy machine a start takes long. Kills that come sooner would meet nothing but starts.
    await sleep(20 + Math.random() * Math.max(600, ...all.map((one) => one.startMs())));
    const victim = [...all, undefined][Math.floor(Math.random() * 4)];
    if (!victim) {
      await redis.kill();
      await sleep(Math.random() * 100);
      await redis.restart();
    } else if (!(await victim.kill())) {
      // It met a dead Redis at its start.
      void victim.start();
      continue;
    }
    done++;
    // The others go on meanwhile, and the next kill may meet it at its start.
    void victim?.start();
  }
  // The host may have sent the next calls after the last answer.
  const sent = linesOf(join(home, "answers.jsonl")).length + 8;
  writeFileSync(join(home, "last"), String(sent));
  calls = calls.slice(0, sent);
  // It hangs when no answer comes any more, however many are left.
  const answered = (): number => statSync(join(home, "answers.jsonl"), { throwIfNoEntry: false })?.size ?? 0;
  let [bytes, until] = [answered(), Date.now() + patience(60_000)];
  while (!host.isDone() && Date.now() < until) {
    if (answered() > bytes) [bytes, until] = [answered(), Date.now() + patience(60_000)];
    // A host that was killed, or met a dead Redis at its start, starts again.
    await Promise.all(all.filter((one) => !one.isAlive() && !host.isDone()).map((one) => one.start()));
    await sleep(50);
  }
  const finished = host.isDone();
  await Promise.all(all.map((one) => one.kill()));
  const answers = linesOf(join(home, "answers.jsonl")).flatMap((line): Answer[] =>
    line.endsWith("}") ? [JSON.parse(line)] : [],
  );
  const effects = linesOf(log);
  const codeOf = new Map(answers.map(({ id, code }) => [id, code]));
  const by = (tool: string, test: (id: string) => boolean) =>
    calls.filter((call) => call.tool === tool && test(call.id)).map(({ id }) => id);
  const report = {
    kills: done,
    finished,
    calls: calls.length,
    unanswered: calls.filter(({ id }) => !codeOf.has(id)).length,
    codes: Object.groupBy(answers, ({ code }) => code),
    doubled: effects.filter((id, index) => effects.indexOf(id) !== index),
    lost: by("Bash", (id) => codeOf.get(id) === "ok" && !effects.includes(id)),
    lostWrites: by("Write", (id) => codeOf.get(id) === "ok" && !existsSync(join(folder, `${id}.txt`))),
  };
  rmSync(home, { recursive: true, force: true });
  return report;
}

describe.runIf(hasRedis)("kills of a worker, a host and Redis", () => {
  it("lose no call, double no effect and hang nothing", {
    tags: ["smoke"],
    timeout: 60_000 + KILLS * 20_000,
  }, async () => {
    const { codes, ...report } = await campaign(KILLS);
    const counts = Object.fromEntries(Object.entries(codes).map(([code, list]) => [code, list!.length]));
    if (process.env.HAFT_QUEUE_KILLS) console.log(JSON.stringify({ ...report, counts }));
    const others = Object.entries(codes).flatMap(([code, list]) =>
      ["ok", "outcome_unknown"].includes(code) ? [] : list!,
    );
    expect({ ...report, others }).toMatchObject({
      ...{ kills: KILLS, finished: true, unanswered: 0, doubled: [], lost: [], lostWrites: [], others: [] },
    });
    expect(counts.ok).toBeGreaterThan(report.calls / 2);
  });
});
