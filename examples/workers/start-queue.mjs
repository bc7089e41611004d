/** Redis and workers on this machine, as the stories here need them. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const haft = process.env.HAFT_BIN ?? new URL("../../packages/haft/bin/haft.mjs", import.meta.url).pathname;

/** Starts Redis with a key for its queue, in a scratch folder. `close` ends everything that was started. */
export async function startQueue() {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-workers-example-")));
  const [cwd, home, keyFile] = ["work", "home", "queue.key"].map((name) => join(scratch, name));
  for (const folder of [cwd, home]) mkdirSync(folder);
  writeFileSync(keyFile, "a key for this example and nothing else\n".repeat(2), { mode: 0o600 });
  const port = 20_000 + (process.pid % 20_000);
  const url = `redis://127.0.0.1:${port}`;
  const children = [];

  /** Starts a program, and waits until it says that it is ready. */
  async function started(program, args, ready) {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    children.push(child);
    let said = "";
    await new Promise((resolve, reject) => {
      child.once("error", reject).once("exit", () => reject(new Error(`${program} ended: ${said}`)));
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (text) => {
          said += text;
          if (ready.test(said)) resolve();
        });
    });
  }

  const place = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", scratch];
  const safety = ["--appendonly", "yes", "--maxmemory-policy", "noeviction"];
  await started("redis-server", [...place, ...safety], /Ready to accept connections/);
  return {
    ...{ cwd, home, url, keyFile, scratch },
    /** Starts a worker with more arguments for `haft worker`. */
    worker: (...more) =>
      started(
        process.execPath,
        [haft, "worker", "--queue", url, "--key-file", keyFile, "--workspace", cwd, ...more],
        /takes calls for/,
      ),
    /** What `haft workers --json` says. */
    async report() {
      const args = [haft, "workers", "--queue", url, "--json"];
      const { stdout } = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      return JSON.parse((await stdout.toArray()).join(""));
    },
    async close() {
      for (const child of children.toReversed()) {
        const gone = new Promise((resolve) => child.once("exit", resolve));
        if (child.exitCode === null && child.kill()) await gone;
      }
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** A call in the answer of a scripted model. */
export const call = (id, tool, input) => ({ type: "part", key: id, part: { type: "tool-call", id, tool, input } });

/** The last answer of a scripted model. */
export const done = [
  { type: "part", key: "t", part: { type: "text", text: "Done." } },
  { type: "finish", reason: "stop" },
];

/** Prints the checks, and sets the exit code. */
export function tell(checks) {
  for (const [name, ok] of Object.entries(checks)) console.log(`${ok ? "✓" : "✗"} ${name}`);
  process.exitCode = Object.values(checks).every(Boolean) ? 0 : 1;
}
