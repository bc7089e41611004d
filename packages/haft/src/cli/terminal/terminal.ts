import type { Style } from "../../draw/style.ts";

/** The output streams, and the features of the other end. */
export interface Terminal {
  /** Standard output: results. Waits while the reader is slower. */
  print(text: string): Promise<void>;
  /** Standard error: news, questions, failures. */
  tell(text: string): void;
  /** For what goes to standard output. */
  readonly style: Style;
  /** For what goes to standard error. */
  readonly newsStyle: Style;
  /** Whether a person can be asked. */
  readonly isAttended: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The terminal of this process. Respects `NO_COLOR` and `CI`; a pipe gets plain text. `cwd`: the base folder of shown
 * paths.
 */
export function processTerminal(cwd?: string, env: Environment = process.env): Terminal {
  const { stdin, stdout, stderr } = process;
  const style = (stream: { isTTY?: boolean; columns?: number }): Style => {
    const color = stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
    return {
      color,
      links: color && followsLinks(env),
      // A window may be resized at any time.
      get width() {
        return stream.isTTY && stream.columns ? stream.columns : Number.POSITIVE_INFINITY;
      },
      ...(cwd === undefined ? {} : { cwd }),
    };
  };
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

/** Programs that show OSC 8 sequences as links. Others show them as garbage, or not at all. */
const LINKING_PROGRAMS: ReadonlySet<string> = new Set(["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio"]);
const LINKING_TERMS = /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|contour|wezterm)/;

/** Whether a terminal supports links, according to its environment. `FORCE_HYPERLINK` overrides this. */
export function followsLinks(env: Environment): boolean {
  if (env.FORCE_HYPERLINK !== undefined) return !["", "0", "false"].includes(env.FORCE_HYPERLINK);
  if (env.CI) return false;
  // A multiplexer in between may drop them.
  if (env.TMUX || env.STY || /^(?:screen|tmux)/.test(env.TERM ?? "")) return false;
  return (
    LINKING_PROGRAMS.has(env.TERM_PROGRAM ?? "") ||
    LINKING_TERMS.test(env.TERM ?? "") ||
    Number(env.VTE_VERSION ?? 0) >= 5000 ||
    Number(env.KONSOLE_VERSION ?? 0) >= 201200 ||
    env.WT_SESSION !== undefined
  );
}

/** A closed reader (`haft … | head`) is not a failure: the process ends at once and silently. */
export function endQuietlyOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  }
}
