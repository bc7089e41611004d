import { indent } from "../display.ts";
import { lastState, programOutput } from "../sanitize.ts";
import { paint, type Style, wrapped } from "../style.ts";

/** Maximum live lines of one command. More would push everything else away; the end shows the last ones. */
const LIVE_LINES = 40;

/** Milliseconds between two rows that count further lines. */
const PAUSE_MS = 1_000;

/** Last lines shown when a command ends whose lines were only counted. */
const LAST_LINES = 12;

/** The output of a running command, line by line. Nothing is drawn twice. */
export class LiveOutput {
  readonly #style: Style;
  #said = "";
  #unfinished = "";
  #drawn = 0;
  #counted: string[] = [];
  #countedLines = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(style: Style) {
    this.#style = style;
  }

  /** Whether anything has been drawn so far. */
  get hasDrawn(): boolean {
    return this.#drawn > 0;
  }

  add(output: string): void {
    this.#said += output;
    this.#unfinished += output;
  }

  /** The complete lines that are not drawn yet; `undefined` if there are none. */
  take(now: number): string | undefined {
    const end = this.#unfinished.lastIndexOf("\n");
    if (end < 0) return undefined;
    const lines = this.#unfinished.slice(0, end).split("\n");
    this.#unfinished = this.#unfinished.slice(end + 1);
    const shown = lines.splice(0, Math.max(0, LIVE_LINES - this.#drawn));
    this.#drawn += shown.length;
    this.#countedLines += lines.length;
    this.#counted = [...this.#counted, ...lines].slice(-LAST_LINES);
    const rows = shown.map((line) => this.#row(line));
    if (lines.length > 0 && now - this.#toldAt >= PAUSE_MS) {
      this.#toldAt = now;
      rows.push(this.#note(`… ${this.#countedLines} more lines so far`));
    }
    return rows.length === 0 ? undefined : rows.join("\n");
  }

  /** The rest to draw at the end, when the whole result is known: last lines, and notes after the output. */
  rest(whole: string): string | undefined {
    const last = this.#unfinished === "" ? [] : [this.#unfinished];
    const ending = [...this.#counted, ...last].slice(-LAST_LINES);
    const hidden = this.#countedLines + last.length - ending.length;
    const rows = [
      ...(hidden > 0 ? [this.#note(`… ${hidden} lines before`)] : []),
      ...ending.map((line) => this.#row(line)),
      ...notesBehind(whole, this.#said).map((line) => this.#row(line)),
    ];
    return rows.length === 0 ? undefined : rows.join("\n");
  }

  /** A progress bar overwrites its line: only the last state counts. */
  #row(line: string): string {
    const text = programOutput(lastState(line), this.#style.color);
    return wrapped(indent(text), this.#style.width);
  }

  #note(text: string): string {
    return paint(this.#style, "dim", indent(text));
  }
}

/** The lines that a tool has added after the command's output. If the output was cut, the bracketed lines. */
function notesBehind(whole: string, said: string): readonly string[] {
  const known = said.trimEnd();
  const rest = whole.startsWith(known) ? whole.slice(known.length) : undefined;
  const lines = (rest ?? whole).split("\n").filter((line) => line.trim() !== "");
  return rest === undefined ? lines.slice(lines.findLastIndex((line) => !line.startsWith("[")) + 1) : lines;
}
