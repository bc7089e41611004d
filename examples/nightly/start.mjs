/**
 * A nightly job, without a model: it is rehearsed and approved once, then fires and needs one file more than it was granted.
 * `haft approvals` answers that from another process. It ends well only if nothing was written without an approval.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAgent, runSchedules } from "haft";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-nightly-")));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const [cwd, home, stateDir] = ["work", "home", "state"].map((name) => join(scratch, name));
for (const folder of [cwd, home]) mkdirSync(folder);
const place = { home, stateDir, env: {}, onNotice: () => {} };

/** A model that writes these files and then reports. */
const writes = (...files) => ({
  name: "script/writer",
  async *step({ messages }) {
    const isDone = messages.at(-1).role === "results";
    if (isDone) yield { type: "part", key: "t", part: { type: "text", text: "The report is written." } };
    for (const [n, file_path] of isDone ? [] : files.entries())
      yield {
        type: "part",
        key: `c${n}`,
        part: { type: "tool-call", id: `c${n}`, tool: "Write", input: { file_path, content: "42\n" } },
      };
    yield { type: "finish", reason: isDone ? "stop" : "calls" };
  },
});

/** The command line in a process of its own. */
function haft(...args) {
  const source = process.execArgv.includes("--conditions=haft-source");
  const cli = new URL(
    source ? "../../packages/haft/src/cli/main.ts" : "../../packages/haft/bin/haft.mjs",
    import.meta.url,
  );
  const env = { ...process.env, HOME: home, HAFT_STATE_DIR: stateDir };
  return spawnSync(process.execPath, [...process.execArgv, fileURLToPath(cli), ...args], {
    cwd: home,
    env,
    encoding: "utf8",
  }).stdout;
}

let ok = true;
function check(is, what) {
  ok &&= is;
  console.log(`${is ? "✓" : "✗"} ${what}`);
}

const agent = await createAgent({
  ...place,
  cwd,
  settings: false,
  model: writes("report.txt"),
  ask: async ({ title, show }) => {
    if (title.startsWith("Add"))
      check(JSON.stringify(show).includes("Edit(/report.txt)"), "the rehearsal found the rule that the job needs");
    return { behavior: "allow" };
  },
});
const added = await agent.haft.call("cron", { action: "add", expression: "0 3 * * *", prompt: "Write the report." });
check(!added.error && !existsSync(join(cwd, "report.txt")), "the job is added, and nothing was written");
await agent.haft.call("cron", { action: "run", id: added.output.schedules[0].id });
await agent[Symbol.asyncDispose]();

const stop = new AbortController();
const { promise: ended, resolve } = Promise.withResolvers();
const running = runSchedules({
  ...place,
  model: writes("report.txt", "totals.txt"),
  signal: stop.signal,
  onEnd: (_, end) => resolve(end),
});
let open = [];
while (open.length === 0) {
  await new Promise((next) => setTimeout(next, 200));
  open = JSON.parse(haft("approvals", "list", "--json"));
}
check(open[0].title === "Write totals.txt" && !existsSync(join(cwd, "totals.txt")), `waits: ${open[0].title}`);
haft("approvals", "allow", open[0].id);
const { status } = await ended;
check(status === "completed" && existsSync(join(cwd, "totals.txt")), `after a yes from another process: ${status}`);
stop.abort();
await running;
process.exitCode = ok ? 0 : 1;
