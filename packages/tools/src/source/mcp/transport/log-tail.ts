/** The last words of a program, for errors and for whoever looks into its log. */
export interface LogTail {
  add(text: string): void;
  /** The last lines, oldest first. */
  lines(most?: number): readonly string[];
  /** The last lines as one short text; empty when nothing was said. */
  text(): string;
}

/** Characters that are kept. */
const KEPT_CHARS = 16_000;

/** Lines and characters that an error quotes. */
const QUOTED_LINES = 12;
const QUOTED_CHARS = 1_200;

/** Keeps the end of what a program says, and passes every piece on to `also`. */
export function createLogTail(also: (text: string) => void = () => {}): LogTail {
  let kept = "";
  const lines = (most = Number.POSITIVE_INFINITY) => {
    const all = kept.split("\n").filter((line) => line.trim() !== "");
    return most === Number.POSITIVE_INFINITY ? all : all.slice(-most);
  };
  return {
    add(text) {
      kept = (kept + text).slice(-KEPT_CHARS);
      also(text);
    },
    lines,
    text: () => lines(QUOTED_LINES).join("\n").slice(-QUOTED_CHARS),
  };
}

/** An error that quotes what the server said last. */
export function withLastWords(message: string, log: LogTail): string {
  const said = log.text();
  return said === "" ? message : `${message}\nIts last words:\n${said}`;
}
