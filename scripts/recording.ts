// Plays a session of the terminal UI in tmux, with a scripted model, and writes it as an animated SVG for the README.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { call, say, streamOf } from "../test/support/anthropic-wire.ts";
import { wireServer } from "../test/support/wire-server.ts";
import { type Frame, recordingSvg, type Theme } from "./recording-svg.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const [COLUMNS, ROWS] = [84, 24];
/** Milliseconds between two looks at the screen. */
const LOOK_MS = 50;

const answers = () => [
  {
    events: streamOf([
      say("I look at the price and at its test first."),
      call("c1", "Read", { file_path: "price.js" }),
      call("c2", "Grep", { pattern: "price", output_mode: "content" }),
    ]),
  },
  {
    events: streamOf([
      call("c3", "Edit", {
        file_path: "price.js",
        old_string: "return amount * rate;",
        new_string: "return Math.round(amount * rate * 100) / 100;",
      }),
    ]),
  },
  { events: streamOf([call("c4", "Bash", { command: "node --test", description: "Run the tests" })]) },
  { events: streamOf([say("Prices are rounded to cents now, and **the test passes**.")]) },
];

const FILES = {
  "price.js": "const rate = 1.19;\n\nexport function price(amount) {\n  return amount * rate;\n}\n",
  "price.test.js":
    'import assert from "node:assert";\nimport { test } from "node:test";\nimport { price } from "./price.js";\n\ntest("rounds to cents", () => assert.equal(price(9.99), 11.89));\n',
  "package.json": '{ "type": "module" }\n',
};

/** The screens of one session, each with the milliseconds for which it is shown. */
export async function recorded(theme: Theme): Promise<readonly Frame[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-recording-")));
  const cwd = join(base, "home/shop");
  mkdirSync(cwd, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
  await using server = await wireServer(answers());
  const socket = `haft-recording-${process.pid}`;
  const tmux = (...args: readonly string[]) => execFileSync("tmux", ["-L", socket, ...args], { encoding: "utf8" });
  const env = {
    ...{ PATH: process.env.PATH ?? "", HOME: join(base, "home"), HAFT_STATE_DIR: join(base, "state"), LANG: "C.UTF-8" },
    ...{ ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${server.url}/v1`, HAFT_THEME: theme, TERM: "xterm-256color" },
  };
  const program = [
    "--conditions=haft-source",
    "--disable-warning=ExperimentalWarning",
    `${root}packages/haft/src/cli/main.ts`,
  ];
  const frames: { text: string; ms: number }[] = [];
  const look = (): string => {
    const text = tmux("capture-pane", "-e", "-p", "-t", "0");
    const last = frames.at(-1);
    if (last?.text === text) last.ms += LOOK_MS;
    else frames.push({ text, ms: LOOK_MS });
    return tmux("capture-pane", "-p", "-t", "0");
  };
  /** Watches until this is to be seen, then for some time more. */
  const shows = async (words: string, thenMs: number): Promise<void> => {
    for (const end = Date.now() + 60_000; !look().includes(words); await wait(LOOK_MS))
      if (Date.now() > end) throw new Error(`The screen never shows "${words}":\n${look()}`);
    for (let ms = 0; ms < thenMs; ms += LOOK_MS) {
      look();
      await wait(LOOK_MS);
    }
  };
  try {
    const window = ["-d", "-x", String(COLUMNS), "-y", String(ROWS), "-c", cwd];
    const settings = Object.entries(env).map(([key, value]) => `${key}=${value}`);
    const command = [process.execPath, ...program, "--model", "anthropic/claude-sonnet-5"];
    tmux("-f", "/dev/null", "new-session", ...window, "env", "-i", ...settings, ...command);
    await shows("mode default", 600);
    frames.splice(0, frames.length - 1);
    for (const letter of "round prices to cents") {
      tmux("send-keys", "-t", "0", "-l", letter);
      await shows("", 60);
    }
    tmux("send-keys", "-t", "0", "Enter");
    await shows("Yes, always", 2_400);
    tmux("send-keys", "-t", "0", "y");
    await shows("node --test", 1_800);
    tmux("send-keys", "-t", "0", "y");
    await shows("the test passes", 3_000);
    return frames;
  } finally {
    execFileSync("tmux", ["-L", socket, "kill-server"]);
    rmSync(base, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const theme of ["dark", "light"] as const) {
    const svg = recordingSvg(await recorded(theme), { columns: COLUMNS, rows: ROWS, theme });
    writeFileSync(`${root}docs/img/terminal-${theme}.svg`, svg);
  }
