/**
 * What `npm start` does. With a model it is the agent itself, in this folder. Without one it plays a recorded session
 * on a scratch copy of a small repository: real files, real processes, real decisions. It ends well only if the tests
 * of that repository are green afterwards, one call was refused by a rule, and one change was approved.
 */
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const haft = join(here, "../../packages/haft/bin/haft.mjs");
const keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"];
const rules = ["--allow", "Bash(node --test *)", "--deny", "write(.git/**)"];
const isTerminal = Boolean(process.stdin.isTTY && process.stdout.isTTY);

const given = process.argv.slice(2);
if (given.length > 0 || (isTerminal && keys.some((key) => process.env[key]))) {
  process.exit(run(haft, given, {}).status ?? 1);
}

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-first-session-")));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const repo = join(scratch, "till");
const env = { ...process.env, HAFT_STATE_DIR: join(scratch, "state") };
makeRepository();

console.log(`A recorded session, played on a scratch copy in ${repo}\n`);
const replay = run(haft, ["replay", join(here, "session.json"), "--cwd", repo, "--no-user-settings", ...rules], {
  env,
});
const problems = [...(replay.status === 0 ? [] : [`the replay ended with ${replay.status}`]), ...check()];
for (const problem of problems) console.error(`✗ ${problem}`);
if (problems.length === 0) console.log("\n✓ tests green · one call refused by a rule · one change approved");

if (isTerminal && problems.length === 0) {
  console.log('\nYour turn, on the same copy: try  Read {"file_path": "package.json"}  or  !ls  (Ctrl-D ends)');
  run(haft, ["--cwd", repo, "--no-user-settings", ...rules], { env });
}
process.exitCode = problems.length === 0 ? 0 : 1;

function run(script, args, options) {
  return spawnSync(process.execPath, [script, ...args], { stdio: "inherit", ...options });
}

/** The frozen files with a history made now, so that nothing depends on this machine's git settings. */
function makeRepository() {
  cpSync(join(here, "repo"), repo, { recursive: true });
  const who = ["-c", "user.name=Till", "-c", "user.email=till@example.invalid", "-c", "commit.gpgsign=false"];
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    [...who, "commit", "-qm", "Add up receipts"],
  ]) {
    const { status, stderr } = spawnSync("git", args, { cwd: repo, encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${args.at(-1)} failed: ${stderr}. The demo needs git on the PATH.`);
  }
}

/** Looks for itself instead of believing the replay. */
function check() {
  const tests = spawnSync(process.execPath, ["--test"], { cwd: repo });
  const records = globSync(join(scratch, "state/workspaces/*/sessions/*/session.jsonl"));
  const calls = records
    .flatMap((path) => readFileSync(path, "utf8").split("\n").filter(Boolean))
    .map((line) => JSON.parse(line))
    .filter(({ t }) => t === "call");
  const refused = calls.filter(({ result }) => result.error?.code === "denied_by_rule");
  const approved = calls.filter(({ approval, status }) => approval && status === "ok");
  return [
    ...(tests.status === 0 ? [] : ["the tests are not green"]),
    ...(refused.length === 1 ? [] : [`${refused.length} calls were refused by a rule instead of one`]),
    ...(approved.length === 1 ? [] : [`${approved.length} changes were approved instead of one`]),
  ];
}
