import type { Style } from "../draw/style.ts";

/** Where output goes, and what the other end can show. */
export interface Terminal {
  /** Standard output: results. Waits while the reader is slower than we are. */
  print(text: string): Promise<void>;
  /** Standard error: news, questions, failures. */
  tell(text: string): void;
  /** For what goes to standard output. */
  readonly style: Style;
  /** For what goes to standard error. */
  readonly newsStyle: Style;
  /** Whether somebody can be asked. */
  readonly isAttended: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The terminal of this process. `NO_COLOR` and `CI` are honoured; a pipe gets plain text. */
export function processTerminal(env: Environment = process.env): Terminal {
  const { stdin, stdout, stderr } = process;
  const style = (stream: { isTTY?: boolean; columns?: number }): Style => ({
    color: stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb",
    width: stream.isTTY && stream.columns ? stream.columns : Number.POSITIVE_INFINITY,
  });
  return {
    async print(text) {
      if (stdout.write(text)) return;
      await new Promise<void>((resume) => stdout.once("drain", resume));
    },
    tell: (text) => void stderr.write(text),
    style: style(stdout),
    newsStyle: style(stderr),
    isAttended: stdin.isTTY === true && stderr.isTTY === true && !env.CI,
  };
}

/** A reader that has gone away (`haft … | head`) is no failure: the process ends at once and says nothing. */
export function endQuietlyOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  }
}
