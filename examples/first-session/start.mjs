/**
 * `npm start` shows five things that Haft does, on a scratch copy of a small repository. Files, processes and decisions are
 * real; no model takes part. It ends with 0 only if everything went as it says. Arguments go to `haft` itself.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createStage } from "./stage.mjs";
import { steps } from "./steps.mjs";

const haft = fileURLToPath(new URL("../../packages/haft/bin/haft.mjs", import.meta.url));
const given = process.argv.slice(2);

if (given.length > 0) process.exitCode = runHaft(given);
else {
  const stage = createStage();
  try {
    await play(stage);
  } finally {
    stage.remove();
  }
}

async function play(stage) {
  stage.say("Haft, on a scratch copy of examples/first-session/repo. No key, no network, no");
  stage.say("model: the calls below are written down in steps.mjs, the rest happens now.");
  for (const step of steps) await step(stage);
  stage.sum();
  for (const problem of stage.problems) console.error(`✗ ${problem}`);
  process.exitCode = stage.problems.length === 0 ? 0 : 1;
  if (stage.isTerminal && stage.problems.length === 0) {
    stage.say("\nYour turn, on the same copy. Ctrl-C twice leaves.");
    runHaft(["--cwd", stage.repo, "--scratch", "--no-user-settings", "--deny", "write(.git/**)"], stage.env);
  }
}

function runHaft(args, env = process.env) {
  return spawnSync(process.execPath, [haft, ...args], { stdio: "inherit", env }).status ?? 1;
}
