import { constants } from "node:os";
import { PassThrough, Writable } from "node:stream";
import { fail } from "@haft/core/tool";
import type { Spawn } from "@haft/host";
import { type Running, refuse } from "./running.ts";

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** End of input for a program at a terminal: the key Ctrl-D. */
const END_KEY = "\u0004";

/**
 * Starts a program in its own terminal, with our end as the other side. The program is the session's leader, so keys
 * like Ctrl-C reach what it runs. It cannot reach the person's terminal.
 *
 * @throws HaftError `tool_unavailable` when the package for terminals is missing.
 */
export async function startInTerminal(command: Spawn, { columns, rows }: TerminalSize): Promise<Running> {
  const { spawn } = await loadTerminals();
  const [program = "", ...args] = withDescriptors(command);
  const { cwd } = command;
  const env = { ...command.env, TERM: terminalName(command.env.TERM), COLUMNS: `${columns}`, LINES: `${rows}` };
  const options = { name: env.TERM, cols: columns, rows, cwd, env, encoding: null };
  const terminal = attempt(() => spawn(program, [...args], options), program);
  const output = new PassThrough();
  terminal.onData((data: string | Buffer) => {
    if (output.write(data)) return;
    terminal.pause();
    output.once("drain", () => terminal.resume());
  });
  const exit = new Promise<Awaited<Running["exit"]>>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      output.end();
      const name = SIGNALS.get(signal ?? 0);
      resolve(name === undefined ? { code: exitCode, signal: null } : { code: null, signal: name });
    });
  });
  return { pid: terminal.pid, sources: [output], stdin: keysOf(terminal), exit, said: () => "" };
}

function attempt<T>(start: () => T, program: string): T {
  try {
    return start();
  } catch (thrown) {
    return refuse(thrown as NodeJS.ErrnoException, program);
  }
}

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]));

/** The default `dumb` is for output without a terminal, so it is wrong here. */
const terminalName = (name = "dumb"): string => (name === "dumb" ? "xterm-256color" : name);

/** Its input as a stream. A write that the terminal cannot take is an error of the stream, not of the host. */
const keysOf = (terminal: { write(data: string | Buffer): void }): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      terminal.write(chunk);
      done();
    },
    final(done) {
      terminal.write(END_KEY);
      done();
    },
  });

/** A terminal passes on no descriptors. A shell opens those that a sandbox needs from ours. If it cannot, nothing is started. */
function withDescriptors({ argv, descriptors }: Spawn): readonly string[] {
  if (descriptors === undefined) return argv;
  const opened = descriptors.map((fd, index) => `${index + 4}</proc/${process.pid}/fd/${fd}`);
  return ["/bin/sh", "-c", `exec 3>/dev/null ${opened.join(" ")} && exec "$@"`, "haft-terminal", ...argv];
}

async function loadTerminals(): Promise<typeof import("@lydell/node-pty")> {
  try {
    return await import("@lydell/node-pty");
  } catch {
    return fail(
      "tool_unavailable",
      "A terminal needs the optional package @lydell/node-pty, which is not installed or does not work on this machine.",
      "Install it beside Haft (npm install @lydell/node-pty), or run the command without tty.",
    );
  }
}
