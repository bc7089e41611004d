import { spawn } from "node:child_process";

/** A program that stays for the next request, because a start takes milliseconds. */
export interface ResidentProgram {
  /** Sends a request. Resolves to its answer of one line; `undefined` if the program ends before that, twice. */
  ask(request: string | Buffer): Promise<string | undefined>;
}

interface ResidentOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** How long it waits for the next request, in milliseconds. Default 10,000. */
  readonly idleMs?: number;
}

const IDLE_MS = 10_000;

/**
 * A program that answers each request on its standard input with one line. It starts with the first request. It keeps nobody
 * waiting at the end: it ends with its input.
 */
export function residentProgram(
  program: string,
  args: readonly string[],
  { env, idleMs = IDLE_MS }: ResidentOptions = {},
): ResidentProgram {
  let running: ResidentProgram | undefined;
  return {
    async ask(request) {
      // A program that somebody ended is replaced once.
      for (let attempt = 0; attempt < 2; attempt++) {
        running ??= start(program, args, { env, idleMs }, (ended) => {
          if (running === ended) running = undefined;
        });
        const answer = await running.ask(request);
        if (answer !== undefined) return answer;
      }
      return undefined;
    },
  };
}

function start(
  program: string,
  args: readonly string[],
  { env, idleMs }: ResidentOptions,
  onEnd: (ended: ResidentProgram) => void,
): ResidentProgram {
  const child = spawn(program, args, {
    ...{ cwd: "/", stdio: ["pipe", "pipe", "ignore"] as const },
    ...(env === undefined ? {} : { env }),
  });
  const { stdin, stdout } = child;
  const waiting: ((answer: string | undefined) => void)[] = [];
  // A request may take longer than a program waits for the next one.
  const idle = setTimeout(() => (waiting.length > 0 ? idle.refresh() : end()), idleMs).unref();
  let output = "";

  /** While nobody waits, the program does not keep this process alive. */
  function settle(): void {
    for (const one of [child, stdin, stdout] as readonly { ref?(): void; unref?(): void }[])
      if (waiting.length > 0) one.ref?.();
      else one.unref?.();
  }

  function end(): void {
    clearTimeout(idle);
    onEnd(resident);
    stdin.end();
    for (const answer of waiting.splice(0)) answer(undefined);
    settle();
  }

  const resident: ResidentProgram = {
    ask: (request) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        settle();
        idle.refresh();
        stdin.write(request);
      }),
  };
  stdout.setEncoding("latin1").on("data", (text: string) => {
    const lines = (output + text).split("\n");
    output = lines.pop() ?? "";
    for (const line of lines) waiting.shift()?.(line);
    idle.refresh();
    settle();
  });
  for (const part of [child, stdin, stdout]) part.on("error", end);
  child.on("close", end);
  settle();
  return resident;
}
