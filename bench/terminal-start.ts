/** The time from the start of the built command line in a terminal to its first frame. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const HAFT = fileURLToPath(new URL("../packages/haft/bin/haft.mjs", import.meta.url));
const STARTING = "starting now";
/** In the line that takes the prompt. */
const FRAME = "Type a task";

/** Milliseconds of each start. The first start writes bytecode, and is left out. `undefined` without `script` of util-linux. */
export async function firstFrames(rounds: number): Promise<readonly number[] | undefined> {
  const { stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });
  if (!stdout?.includes("util-linux")) return undefined;
  const home = realpathSync(mkdtempSync(join(tmpdir(), "haft-bench-")));
  try {
    const all: number[] = [];
    for (let round = 0; round <= rounds; round++) all.push(await firstFrame(home));
    return all.slice(1);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function firstFrame(home: string): Promise<number> {
  const command = `stty cols 100 rows 40; echo '${STARTING}'; exec '${process.execPath}' '${HAFT}' --model anthropic/none`;
  const env = {
    ...{ PATH: process.env.PATH ?? "", HOME: home, HAFT_STATE_DIR: join(home, "state"), LANG: "C.UTF-8" },
    ...{ ANTHROPIC_API_KEY: "none", HAFT_THEME: "dark", TERM: "xterm-256color", SHELL: "/bin/sh" },
  };
  const terminal = spawn("script", ["--quiet", "--flush", "--command", command, "/dev/null"], {
    ...{ cwd: home, env, stdio: ["pipe", "pipe", "ignore"] },
  });
  const ended = new Promise<void>((resolve) => terminal.once("exit", () => resolve()));
  let [seen, from] = ["", Number.NaN];
  for await (const chunk of terminal.stdout) {
    seen += String(chunk);
    if (Number.isNaN(from) && seen.includes(STARTING)) from = performance.now();
    if (seen.includes(FRAME)) break;
  }
  const took = performance.now() - from;
  terminal.kill();
  await ended;
  if (!seen.includes(FRAME)) throw new Error(`The terminal ended before its first frame: ${seen}`);
  return took;
}
