/** The last output of a program, for errors and for log viewers. */
export interface LogTail {
  add(text: string): void;
  /** The last lines, oldest first. */
  lines(most?: number): readonly string[];
  /** Characters written in total: a position from which `text` can continue. */
  readonly said: number;
  /**
   * The last lines, all or those since a position, as one short text; empty without output. After a crash it begins with the reason, and
   * leaves out the stack.
   */
  text(since?: number): string;
}

/** Characters that are kept. */
const KEPT_CHARS = 16_000;

/** Lines and characters that an error quotes. */
const QUOTED_LINES = 12;
const QUOTED_CHARS = 1_200;

/** Stack frames, and Node's last line: they name places, and would displace the reason. */
const STACK = /^\s+at |^\s+File ".*", line \d|^\s*\.{3} \d+ lines matching cause|^Node\.js v\d/;

/** A line that names an error. An indented match belongs to another line. */
const REASON = /^(?=\S).*(?:Error|Exception|Rejection)\b/;

/** The end of the output, in few lines; after a crash from the line with the reason on. */
function quoted(lines: readonly string[]): string {
  const said = lines.filter((line) => !STACK.test(line));
  const last = said.slice(-QUOTED_LINES);
  const why = said.length < lines.length ? last.findLastIndex((line) => REASON.test(line)) : -1;
  if (why >= 0) return last.slice(why).join("\n").slice(0, QUOTED_CHARS);
  return (last.length > 0 ? last : lines.slice(-QUOTED_LINES)).join("\n").slice(-QUOTED_CHARS);
}

/** Stores the end of a program's output, and passes every piece on to `also`. */
export function createLogTail(also: (text: string) => void = () => {}): LogTail {
  let kept = "";
  let said = 0;
  const linesIn = (text: string, most = Number.POSITIVE_INFINITY) => {
    const all = text.split("\n").filter((line) => line.trim() !== "");
    return most === Number.POSITIVE_INFINITY ? all : all.slice(-most);
  };
  return {
    add(text) {
      said += text.length;
      kept = (kept + text).slice(-KEPT_CHARS);
      also(text);
    },
    lines: (most) => linesIn(kept, most),
    get said() {
      return said;
    },
    text: (since = 0) => quoted(linesIn(since < said ? kept.slice(since - said) : "")),
  };
}

/** An error message with the server's last output: since a position, if there was any since. */
export function withLastWords(message: string, log: LogTail, since = 0): string {
  const said = log.text(since) || log.text();
  return said === "" ? message : `${message}\nIts last output:\n${said}`;
}
