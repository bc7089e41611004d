/** The memory of the built command line in a terminal, while a model behind a real socket makes it work. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { call, say, streamOf } from "../test/support/anthropic-wire.ts";
import { wireServer } from "../test/support/wire-server.ts";

const HAFT = fileURLToPath(new URL("../packages/haft/bin/haft.mjs", import.meta.url));
/** Less than the most turns of one prompt. */
const TURNS = 95;
/** Words of a turn; each 7 letters of them are one event. */
const WORDS = "I look at the next part of it, and say at some length why. ".repeat(12);
const DONE = "That was all.";

/** Megabytes that stay in memory after a session of some 10,000 events. `undefined` without tmux, or without /proc. */
export async function terminalMemory(): Promise<number | undefined> {
  if (process.platform !== "linux" || spawnSync("tmux", ["-V"]).status !== 0) return undefined;
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-bench-")));
  const cwd = join(base, "work");
  mkdirSync(cwd);
  const turns = Array.from({ length: TURNS }, (_, at) => ({
    events: streamOf([say(WORDS), call(`c${at}`, "Bash", { command: `seq ${at} ${at + 20}` })]),
  }));
  await using server = await wireServer([...turns, { events: streamOf([say(DONE)]) }]);
  const socket = `haft-bench-${process.pid}`;
  const tmux = (...args: readonly string[]) => execFileSync("tmux", ["-L", socket, ...args], { encoding: "utf8" });
  const env = {
    ...{ PATH: process.env.PATH ?? "", HOME: base, HAFT_STATE_DIR: join(base, "state"), LANG: "C.UTF-8" },
    ...{ ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}/v1`, HAFT_THEME: "dark", TERM: "screen" },
  };
  const shows = async (text: string): Promise<void> => {
    for (const end = Date.now() + 300_000; !tmux("capture-pane", "-p", "-t", "0").includes(text); await wait(200))
      if (Date.now() > end) throw new Error(`The terminal never shows "${text}".`);
  };
  try {
    const settings = Object.entries(env).map(([key, value]) => `${key}=${value}`);
    const command = ["env", "-i", ...settings, process.execPath, HAFT, "--model", "anthropic/claude-test"];
    tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", "-c", cwd, ...command);
    await shows("mode default");
    tmux("send-keys", "-t", "0", "-l", "go");
    tmux("send-keys", "-t", "0", "Enter");
    await shows(DONE);
    const pid = tmux("display-message", "-p", "-t", "0", "#{pane_pid}").trim();
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } finally {
    spawnSync("tmux", ["-L", socket, "kill-server"]);
    rmSync(base, { recursive: true, force: true });
  }
}
