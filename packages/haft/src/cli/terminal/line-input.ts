import { createInterface, type Interface } from "node:readline";
import { Readable } from "node:stream";
import { PastedTexts, type Typed } from "../../terminal/input/pasted-texts.ts";
import { arrival } from "./arrival.ts";
import { PASTE_MARKS, pasteReader } from "./paste.ts";

/** Reads the lines that a person types at a prompt, and shows text meanwhile. */
export interface LineInput {
  /** The next line; `undefined` at the end of the input. */
  read(): Promise<Typed | undefined>;
  /** The answer to a question. Earlier input never becomes an answer. An abort withdraws the question. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Shows text without a prompt. The line being typed reappears below it; during a question the text waits. */
  tell(text: string): void;
  /** Waits until input typed before a question has arrived. */
  settle(): Promise<void>;
  /** Removes and returns the lines that wait to be read. They stay in the history. */
  dropWaiting(): readonly string[];
  /** Empties the current line, which stays in the history. Returns whether it had any text. */
  clearLine(): boolean;
  /** Gives the terminal to other work until that is done. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

export interface LineEvents {
  /** Ctrl-C. */
  readonly onInterrupt: () => void;
  readonly onEscape: () => void;
  /** Any other key. */
  readonly onKey: () => void;
  /** The input has ended. */
  readonly onClose: () => void;
  /** A line arrived while none was expected: it waits. */
  readonly onWaiting: (line: string) => void;
}

const PROMPT = "> ";

interface Waiter {
  readonly take: (line: string | undefined) => void;
  readonly kind: "line" | "answer";
}

/** Reads lines from the terminal of this process. */
export const lineInput = (events: LineEvents): LineInput => new TerminalLines(events);

class TerminalLines implements LineInput {
  readonly #stdin = process.stdin;
  readonly #stdout = process.stdout;
  readonly #pasted = new PastedTexts();
  readonly #lines: Interface;
  readonly #typed: ReturnType<typeof pasteReader>;
  readonly #waiting: Typed[] = [];
  #waiter: Waiter | undefined;
  #isClosed = false;
  #late = "";

  readonly #onData = (chunk: Uint8Array): void => this.#typed.push(chunk);

  constructor(events: LineEvents) {
    const { stdin, stdout } = process;
    const keys = terminalKeys();
    this.#lines = createInterface({
      input: keys,
      output: stdout,
      terminal: true,
      prompt: PROMPT,
      escapeCodeTimeout: 50,
    });
    this.#typed = pasteReader(
      (text) => void keys.emit("data", Buffer.from(text)),
      (text) => this.#lines.write(this.#pasted.insert(text, this.#lines.line.trim() === "")),
    );
    this.#begin();
    this.#lines.on("line", (line) => {
      if (this.#waiter) return this.#waiter.take(line);
      const one = this.#pasted.take(line);
      if (one.text.trim() === "") return;
      this.#waiting.push(one);
      events.onWaiting(one.text);
    });
    this.#lines.on("SIGINT", events.onInterrupt);
    this.#lines.once("close", () => {
      this.#isClosed = true;
      this.#pause();
      this.#waiter?.take(undefined);
      events.onClose();
    });
    stdin.once("end", () => this.#lines.close());
    keys.on("keypress", (_, key: { readonly name?: string; readonly ctrl?: boolean } = {}) => {
      if (key.name === "escape") return events.onEscape();
      if (key.ctrl && key.name === "c") return;
      events.onKey();
      // Input typed while no line is expected also gets a prompt.
      if (!this.#waiter && this.#lines.line.length === 1) this.#redraw();
    });
  }

  async read(): Promise<Typed | undefined> {
    const first = this.#waiting.shift();
    if (first) return first;
    const line = await this.#wait("line", PROMPT);
    return line === undefined ? undefined : this.#pasted.take(line);
  }

  async ask(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const draft = { line: this.#lines.line, cursor: this.#lines.cursor };
    if (draft.line !== "") this.#wipe();
    setLine(this.#lines, "");
    const answer = await this.#wait("answer", prompt, signal);
    // Keep answers out of the history.
    if (answer) historyOf(this.#lines).shift();
    setLine(this.#lines, draft.line, draft.cursor);
    if (this.#late !== "") this.#stdout.write(this.#late);
    this.#late = "";
    return answer;
  }

  tell(text: string): void {
    if (this.#waiter?.kind === "answer") {
      this.#late += text;
      return;
    }
    const isShown = !this.#isClosed && (this.#waiter !== undefined || this.#lines.line !== "");
    if (isShown) this.#wipe();
    this.#stdout.write(text);
    if (isShown) this.#redraw();
  }

  readonly settle: () => Promise<void> = arrival;

  dropWaiting(): readonly string[] {
    return this.#waiting.splice(0).map(({ text }) => text);
  }

  clearLine(): boolean {
    const { line } = this.#lines;
    if (line === "") return false;
    this.#wipe();
    historyOf(this.#lines).unshift(line);
    this.#pasted.take("");
    setLine(this.#lines, "");
    return true;
  }

  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#pause();
    this.#stdin.setRawMode?.(false);
    try {
      return await work();
    } finally {
      this.#stdin.setRawMode?.(true);
      this.#begin();
    }
  }

  close(): void {
    this.#lines.close();
  }

  #begin(): void {
    this.#stdin.on("data", this.#onData).resume();
    this.#stdout.write(PASTE_MARKS.on);
  }

  #pause(): void {
    this.#stdin.off("data", this.#onData).pause();
    this.#stdout.write(PASTE_MARKS.off);
  }

  #redraw(): void {
    this.#lines.setPrompt(PROMPT);
    this.#lines.prompt(true);
  }

  /** Erases the current line from the screen, with all its rows. */
  #wipe(): void {
    const { rows } = this.#lines.getCursorPos();
    this.#stdout.write(`\r${rows > 0 ? `\u001b[${rows}A` : ""}\u001b[J`);
  }

  #wait(kind: Waiter["kind"], prompt: string, signal?: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      const take = (line: string | undefined): void => {
        this.#waiter = undefined;
        signal?.removeEventListener("abort", gone);
        resolve(line);
      };
      const gone = (): void => {
        this.#stdout.write("\n");
        take(undefined);
      };
      if (this.#isClosed || signal?.aborted) return resolve(undefined);
      signal?.addEventListener("abort", gone, { once: true });
      this.#waiter = { take, kind };
      this.#lines.setPrompt(prompt);
      this.#lines.prompt(true);
    });
  }
}

/** The input that readline uses as its terminal: it gets keys but no pasted text. */
function terminalKeys(): Readable {
  const { stdin } = process;
  const keys = new Readable({ read() {} });
  return Object.assign(keys, {
    isTTY: true,
    isRaw: false,
    setRawMode(mode: boolean) {
      stdin.setRawMode?.(mode);
      return keys;
    },
  });
}

/** Readline stores both as plain properties; only their types forbid an assignment. */
function setLine(lines: Interface, line: string, cursor = line.length): void {
  Object.assign(lines, { line, cursor });
}

const historyOf = (lines: Interface): string[] => (lines as unknown as { readonly history: string[] }).history;
