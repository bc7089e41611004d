/** A contender in a process of its own, so that no one's memory and code weigh on another. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** The options for opening a contender. */
export interface Opening {
  /** The folder to work in. */
  readonly cwd: string;
  /** A private home folder. */
  readonly home: string;
  /** A choice that the contender's module knows. */
  readonly variant?: string;
  /** Number of tools or rules, for those who take one. */
  readonly count?: number;
}

/** The answer to one request: milliseconds for one time, and the last value. */
export interface Measured {
  readonly ms: number;
  readonly value: unknown;
}

export interface Contender {
  /** Runs an operation, `times` in a row. */
  ask(op: string, input?: unknown, times?: number): Promise<Measured>;
  close(): Promise<void>;
}

interface Answer {
  readonly id: number;
  readonly ms: number;
  readonly value: unknown;
  readonly error?: string;
}

/** Starts a contender; rejects if it cannot be opened. */
export async function openContender(name: string, opening: Opening): Promise<Contender> {
  const child: ChildProcess = fork(join(import.meta.dirname, "driver.mjs"), [name, JSON.stringify(opening)], {
    cwd: opening.cwd,
    // Haft is measured as it is installed, not from its sources.
    execArgv: [],
    env: cleanEnvironment(opening.home),
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let complaint = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    complaint = `${complaint}${chunk}`.slice(-2_000);
  });
  const gone = once(child, "exit").then(() => {
    throw new Error(`${name} ended: ${complaint.trim().split("\n").slice(0, 4).join(" ")}`);
  });
  gone.catch(() => {});
  await Promise.race([once(child, "message"), gone]);
  let count = 0;
  return {
    async ask(op, input, times) {
      const id = ++count;
      const answered = new Promise<Answer>((resolve) => {
        const listen = (answer: Answer) => {
          if (answer.id !== id) return;
          child.off("message", listen);
          resolve(answer);
        };
        child.on("message", listen);
      });
      child.send({ id, op, input, times });
      const answer = await Promise.race([answered, gone]);
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer;
    },
    async close() {
      if (child.exitCode !== null) return;
      child.disconnect();
      const patience = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await gone.catch(() => {});
      clearTimeout(patience);
    },
  };
}

/** Without keys of providers, and with ripgrep and fd in the PATH, so that nobody has to search slowly. */
function cleanEnvironment(home: string): NodeJS.ProcessEnv {
  const { PATH = "", LANG = "C.UTF-8" } = process.env;
  return { PATH: `${join(home, "bin")}:${PATH}`, LANG, HOME: home, TMPDIR: process.env.TMPDIR ?? "/tmp", CI: "1" };
}
