/**
 * A story of an agent with three workers, without a model: reads and commands go to the plain workers, and what needs a browser to the
 * one that has it. The model is scripted; Redis, queue and workers are real. It ends well only if every call ran where it belongs.
 * It needs `redis-server` in the PATH.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "haft";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-workers-example-")));
const [cwd, home] = [join(scratch, "work"), join(scratch, "home")];
for (const folder of [cwd, home]) mkdirSync(folder);
writeFileSync(join(cwd, "page.html"), "<title>Three workers</title>\n");
const keyFile = join(scratch, "queue.key");
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

const haft = process.env.HAFT_BIN
  ? [process.env.HAFT_BIN]
  : [new URL("../../packages/haft/bin/haft.mjs", import.meta.url).pathname];
const worker = (...labels) =>
  started(
    process.execPath,
    [
      ...[...haft, "worker", "--queue", url, "--key-file", keyFile, "--workspace", cwd],
      ...labels.flatMap((label) => ["--label", label]),
    ],
    /takes calls for/,
  );

const call = (id, tool, input) => ({ type: "part", key: id, part: { type: "tool-call", id, tool, input } });
const turns = [
  [
    call("a", "Read", { file_path: "page.html" }),
    call("b", "Bash", { command: "echo plain > plain.txt" }),
    call("c", "Bash", { command: "chromium --version > browser.txt || echo browser > browser.txt" }),
    { type: "finish", reason: "calls" },
  ],
  [
    { type: "part", key: "t", part: { type: "text", text: "Done." } },
    { type: "finish", reason: "stop" },
  ],
];
const model = {
  name: "story/scripted",
  async *step({ messages }) {
    yield* turns[messages.filter(({ role }) => role === "assistant").length];
  },
};

try {
  await started(
    "redis-server",
    [
      "--port",
      `${port}`,
      "--bind",
      "127.0.0.1",
      "--dir",
      scratch,
      "--appendonly",
      "yes",
      "--maxmemory-policy",
      "noeviction",
    ],
    /Ready to accept connections/,
  );
  await Promise.all([worker(), worker(), worker("browser")]);
  const queue = { url, keyFile, placement: [{ command: "chromium", on: ["browser"] }] };
  const place = { cwd, home, stateDir: join(scratch, "state"), settings: false };
  const agent = await createAgent({ ...place, mode: "bypassPermissions", model, queue });
  const { reason } = await agent.prompt("Look at the page.");
  await agent[Symbol.asyncDispose]();
  const report = spawn(process.execPath, [...haft, "workers", "--queue", url, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { workers, events } = JSON.parse((await report.stdout.toArray()).join(""));
  const ran = events.filter(({ is }) => is === "ended");
  const withBrowser = workers.find(({ labels }) => labels.includes("browser")).id;
  const checks = {
    [`the agent has ended (${reason})`]: reason !== "error" && reason !== "cancelled",
    "three workers take calls": workers.length === 3,
    "three calls ran on workers": ran.length === 3,
    "one of them ran on the worker with the browser": ran.filter(({ worker }) => worker === withBrowser).length === 1,
    "the files are there": ["plain.txt", "browser.txt"].every((name) => readFileSync(join(cwd, name), "utf8") !== ""),
  };
  for (const [name, ok] of Object.entries(checks)) console.log(`${ok ? "✓" : "✗"} ${name}`);
  process.exitCode = Object.values(checks).every(Boolean) ? 0 : 1;
} finally {
  for (const child of children.toReversed()) {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.kill()) await gone;
  }
  rmSync(scratch, { recursive: true, force: true });
}
