/** Starts the agent on the other machine, over the stdin and stdout of any program that can start Node there. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { fail, type ToolError } from "@haft/core/tool";
import { openPeer, type Peer } from "./peer.ts";

/** A way to start a program on another machine. */
export interface Way {
  /** The machine, for messages: `ssh://build`. */
  readonly name: string;
  /** The command that starts a program there, from the words of that program. */
  readonly argv: (words: readonly string[]) => readonly string[];
  /** Node there: a name or a path. */
  readonly node: string;
  /** The error for what this way said and how it ended, if it is known. */
  explain?(said: string, status: number | null): ToolError | undefined;
}

/** How long the other machine may take until its agent answers. */
const PATIENCE_MS = 30_000;

const MOST_SAID = 8_000;

/**
 * Reads the agent from stdin, unless its file is there, and runs it. The file lies in a private folder of the user and is
 * named after its content, which is checked again each time. On a machine where that folder cannot be made it lies in a
 * new temporary one.
 */
const BOOT = `
const fs = require("fs"), os = require("os"), path = require("path"), crypto = require("crypto"), zlib = require("zlib");
const [major, minor] = process.versions.node.split(".").map(Number);
const say = (word) => fs.writeSync(1, word + "\\n");
const read = (count) => {
  const all = Buffer.alloc(count);
  for (let at = 0; at < count; ) {
    try {
      const got = fs.readSync(0, all, at, count - at);
      if (got === 0) process.exit(1);
      at += got;
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  return all;
};
if (major < 22 || (major === 22 && minor < 13)) say("HAFT old " + process.versions.node);
else {
  say("HAFT ready");
  const [hash, size] = read(81).toString().trim().split(" ");
  const fits = (file) => {
    try {
      return crypto.createHash("sha256").update(fs.readFileSync(file)).digest("hex") === hash;
    } catch {
      return false;
    }
  };
  const home = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
  let file = path.join(home, "haft", "agent-" + hash.slice(0, 16) + ".mjs");
  if (fits(file)) say("HAFT have");
  else {
    say("HAFT send");
    const code = zlib.gunzipSync(read(Number(size)));
    try {
      fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      fs.writeFileSync(file + "." + process.pid, code, { mode: 0o600 });
      fs.renameSync(file + "." + process.pid, file);
    } catch {
      file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "haft-agent-")), "agent.mjs");
      fs.writeFileSync(file, code, { mode: 0o600 });
    }
    if (!fits(file)) process.exit(1);
  }
  import(require("url").pathToFileURL(file).href);
}
`;

/** Words that run the boot script there. It has only letters and digits, so that every shell reads it in the same way. */
const bootWords = (node: string): readonly string[] => [
  node,
  "-e",
  `eval(Buffer.from(/${Buffer.from(BOOT).toString("hex")}/.source,/hex/.source).toString())`,
];

/** The agent as one file. It is built with the package. */
function agentCode(): Buffer {
  for (const place of ["./remote-agent.mjs", "../remote-agent.mjs", "../../haft/dist/remote-agent.mjs"]) {
    const file = fileURLToPath(new URL(place, import.meta.url));
    if (existsSync(file)) return readFileSync(file);
  }
  return fail(
    "execution_failed",
    "The program for remote machines is missing from this installation.",
    "Run `npm run build`.",
  );
}

/** A connection to an agent that has started. */
export interface AgentConnection {
  readonly peer: Peer;
  /** Ends the connection, and waits for the end of the program that carried it. */
  close(): Promise<void>;
}

/**
 * @throws HaftError `tool_unavailable` when the machine cannot be reached or has no usable Node; its message says what was
 * seen, its hint what to do.
 */
export async function startAgent(way: Way): Promise<AgentConnection> {
  const [program = "", ...args] = way.argv(bootWords(way.node));
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    said = `${said}${chunk}`.slice(-MOST_SAID);
  });
  child.stdin.on("error", () => {});
  const exited = exitOf(child);
  const ended = async (): Promise<never> => {
    const status = await exited;
    throw failed(way, status, said);
  };
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const late = new Promise<never>((_, reject) =>
    patience.addEventListener("abort", () => reject(failed(way, null, said || "It did not answer.")), { once: true }),
  );
  try {
    await Promise.race([boot(child, way), ended(), late]);
  } catch (thrown) {
    child.kill();
    throw thrown;
  }
  const peer = openPeer({ input: child.stdout, output: child.stdin, lost: () => lostTo(way, said) });
  return {
    peer,
    async close() {
      peer.close();
      // Without an answer the program is of no use, whatever it waits for.
      const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await exited;
      clearTimeout(timer);
    },
  };
}

async function boot(child: ChildProcess, way: Way): Promise<void> {
  const lines = linesOf(child);
  const ready = await lines.next();
  if (ready.startsWith("old "))
    fail(
      "tool_unavailable",
      `${way.name} has Node ${ready.slice(4)}, which is too old.`,
      "Install Node 22.13 or newer there, or name one that is there: --remote-node PATH, in a program the option node.",
    );
  const code = agentCode();
  const packed = gzipSync(code);
  const size = String(packed.length).padEnd(15);
  child.stdin!.write(`${createHash("sha256").update(code).digest("hex")} ${size}\n`);
  if ((await lines.next()) === "send") child.stdin!.write(packed);
  lines.done();
}

/** The lines of the boot script. Skips the output of a login shell before them. */
function linesOf(child: ChildProcess) {
  let text = "";
  let wake = () => {};
  const listen = (chunk: Buffer) => {
    text += chunk.toString("latin1");
    wake();
  };
  child.stdout!.on("data", listen);
  return {
    async next(): Promise<string> {
      for (;;) {
        const found = /^.*?HAFT (.*)\n/s.exec(text);
        if (found) {
          text = text.slice(found[0].length);
          return found[1]!;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    done: () => child.stdout!.off("data", listen),
  };
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("exit", resolve);
  });

function failed(way: Way, status: number | null, said: string): Error {
  const known = way.explain?.(said, status) ?? missingNode(way, status, said);
  const last = said.trim().split("\n").at(-1) ?? "";
  const { code, message, hint } = known ?? {
    code: "tool_unavailable" as const,
    message: `${way.name} could not be opened${status === null ? "" : ` (exit ${status})`}: ${last || "it said nothing"}.`,
    hint: "Start a program there by hand in the same way, and look at its output.",
  };
  try {
    return fail(code, message, hint);
  } catch (thrown) {
    return thrown as Error;
  }
}

const missingNode = (way: Way, status: number | null, said: string): ToolError | undefined =>
  status === 127 || status === 126 || /not found|no such file/i.test(said)
    ? {
        code: "tool_unavailable",
        message: `${way.name} has no Node: "${way.node}" does not start there.`,
        hint: "Install Node 22.13 or newer there, or name one by its path: --remote-node PATH, in a program the option node.",
      }
    : undefined;

const lostTo = (way: Way, said: string): ToolError => ({
  code: "execution_failed",
  message: `The connection to ${way.name} was lost during this call. ${said.trim().split("\n").at(-1) ?? ""}`.trim(),
  hint: "Its outcome is unknown. Check the files there before you repeat it; running commands were ended.",
});
