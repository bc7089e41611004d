import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { createHaft } from "haft";

const here = dirname(fileURLToPath(import.meta.url));
const WIDTH = 48;

/** A scratch copy of the repository, the sessions that work on it, and their output. */
export function createStage() {
  const isTerminal = Boolean(process.stdin.isTTY && process.stdout.isTTY);
  const hasColor = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR && process.env.TERM !== "dumb";
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-first-session-")));
  const repo = join(scratch, "till");
  const state = join(scratch, "state");
  makeRepository(repo);
  const begun = performance.now();
  const counts = { calls: 0, asked: 0, refused: 0, undone: 0 };
  const problems = [];
  const notices = new Set();
  let number = 0;

  const ink = (codes, text) => (hasColor ? `\u001b[${codes}m${text}\u001b[0m` : text);
  const say = (text) => console.log(text);

  /** One call as a row: its mark, what it is, and how it ended. */
  function row(outcome, end) {
    const isOk = outcome.status === "ok";
    const mark = isOk ? ink(32, "●") : ink(31, "✗");
    say(`   ${mark} ${nameOf(outcome).padEnd(WIDTH)} ${isOk ? ink(2, end) : ink(31, end)}`);
  }

  return {
    isTerminal,
    repo,
    problems,
    env: { ...process.env, HAFT_STATE_DIR: state },
    say,
    ink,
    row,
    title(text) {
      say(`\n${ink(1, `${++number}  ${text}`)}`);
    },
    note(text) {
      for (const line of text.match(/.{1,74}(?:\s|$)/g) ?? []) say(`   ${ink(2, line.trimEnd())}`);
    },
    /** Counts on a fact. */
    expect(isSo, words) {
      if (!isSo) problems.push(words);
    },
    /** A session on the copy. */
    open: (options = {}) =>
      createHaft({
        ...{ cwd: repo, settings: false, stateDir: state, withoutUserSettings: true },
        // A machine without a sandbox says so once, not for every session.
        onNotice: ({ message }) => notices.add(message),
        ...options,
      }),
    /** Runs calls as one message of a model would make them. */
    async run(haft, calls) {
      const numbered = calls.map(([tool, input]) => ({ id: `call_${++counts.calls}`, tool, input }));
      const outcomes = await haft.run(numbered);
      for (const { status, approval } of outcomes) {
        if (status === "denied") counts.refused++;
        if (approval) counts.asked++;
      }
      return outcomes;
    },
    /** Asks the person at the terminal; where there is none, the script answers and says so. */
    async ask({ title, show }) {
      say(`   ${ink(33, "?")} ${title}`);
      const changed = show.unified.split("\n").filter((line) => /^[-+](?![-+])/.test(line));
      for (const line of changed)
        say(`     ${ink(line.startsWith("+") ? 32 : 31, `${line[0]} ${line.slice(1).trim()}`)}`);
      if (!isTerminal) {
        say(`     Allow? ${ink(2, "yes, says this script: nobody is at a terminal")}`);
        return { behavior: "allow" };
      }
      const lines = createInterface({ input: process.stdin, output: process.stdout });
      const answer = await lines.question("     Allow? [Y/n] ").finally(() => lines.close());
      return /^\s*n/i.test(answer) ? { behavior: "deny", message: "Not now." } : { behavior: "allow" };
    },
    /** One hash of every file: its name, whether it can be run, and its bytes. */
    treeHash() {
      const hash = createHash("sha256");
      const isOwn = (name) => !name.startsWith(".git/") && statSync(join(repo, name)).isFile();
      const names = globSync("**/*", { cwd: repo }).filter(isOwn).sort();
      for (const name of names) {
        const path = join(repo, name);
        hash
          .update(`${name}\0${statSync(path).mode & 0o111 ? "x" : "-"}\0`)
          .update(readFileSync(path))
          .update("\0");
      }
      return { hash: hash.digest("hex").slice(0, 16), files: names.length };
    },
    undone() {
      counts.undone++;
    },
    sum() {
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      const { calls, asked, refused, undone } = counts;
      if (notices.size > 0) say("");
      for (const notice of notices) this.note(notice);
      say(`\n${ink(1, `${calls} calls · ${asked} asked · ${refused} refused · ${undone} undone · ${seconds} s`)}`);
    },
    remove: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

/** `Bash ls`, `Read src/a.js`: the tool and what it is called with. */
function nameOf({ call, input }) {
  const { command, file_path: path, pattern } = input;
  return `${call.tool} ${command ?? path ?? pattern}`;
}

/** The frozen files with a history made now, so that nothing depends on this machine's git settings. */
function makeRepository(repo) {
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
