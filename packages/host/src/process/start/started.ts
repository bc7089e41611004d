import { type ChildProcess, spawn } from "node:child_process";
import { HaftError } from "@haft/core/tool";
import { errnoOf } from "../../files/fault.ts";

/** A program to start: with its own session and group, which it leads. */
export interface StartRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Its open descriptors, from number 0 on. The first is for reading, the next three for writing, the others for reading. */
  readonly stdio: readonly (number | "ignore" | "pipe")[];
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A started program. */
export interface Started {
  /** Also the id of its group. */
  readonly pid: number;
  /** Rejects if it could not be started. */
  readonly ended: Promise<Ending>;
  isOver(): boolean;
  /** Sets whether it keeps this process running. It does at first. */
  hold(isHeld: boolean): void;
}

/** Starts a program as a child of this process. The streams of descriptors that are `"pipe"` are those of the child. */
export async function startChild({
  argv,
  cwd,
  env,
  stdio,
}: StartRequest): Promise<Started & Pick<ChildProcess, "stdio">> {
  const [program = "", ...args] = argv;
  let child: ChildProcess;
  try {
    child = spawn(program, args, { cwd, env, detached: true, stdio: [...stdio] });
  } catch (thrown) {
    throw startError(errnoOf(thrown), program, thrown);
  }
  const ended = new Promise<Ending>((resolve, reject) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", (thrown) => reject(startError(errnoOf(thrown), program, thrown)));
  });
  // Awaited later; a failure until then is not lost.
  ended.catch(() => undefined);
  if (child.pid === undefined) await ended;
  return {
    ...{ pid: child.pid!, ended, stdio: child.stdio },
    isOver: () => child.exitCode !== null || child.signalCode !== null,
    hold: (isHeld) => (isHeld ? child.ref() : child.unref()),
  };
}

/** The error for a program that does not start, by the code of the system's error. */
export function startError(code: string | undefined, program: string, thrown: unknown): unknown {
  if (code === "E2BIG")
    return new HaftError({
      ...{ code: "invalid_input", message: "The command is too long for the system." },
      hint: "Write it to a script file and run that.",
    });
  if (code === "ENOENT")
    return new HaftError({
      ...{ code: "tool_unavailable", message: `${program} cannot be started: it does not exist.` },
      hint: "Install it, or name another shell.",
    });
  return thrown;
}
