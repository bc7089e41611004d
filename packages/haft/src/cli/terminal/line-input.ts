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
export function lineInput(events: LineEvents): LineInput {
  const { stdin, stdout } = process;
  const pasted = new PastedTexts();
  const keys = terminalKeys();
  const lines = createInterface({ input: keys, output: stdout, terminal: true, prompt: PROMPT, escapeCodeTimeout: 50 });
  const typed = pasteReader(
    (text) => void keys.emit("data", Buffer.from(text)),
    (text) => lines.write(pasted.insert(text, lines.line.trim() === "")),
  );
  const onData = (chunk: Uint8Array): void => typed.push(chunk);
  const waiting: Typed[] = [];
  let waiter: Waiter | undefined;
  let isClosed = false;
  let late = "";

  function begin(): void {
    stdin.on("data", onData).resume();
    stdout.write(PASTE_MARKS.on);
  }

  function pause(): void {
    stdin.off("data", onData).pause();
    stdout.write(PASTE_MARKS.off);
  }

  begin();
  lines.on("line", (line) => {
    if (waiter) return waiter.take(line);
    const one = pasted.take(line);
    if (one.text.trim() === "") return;
    waiting.push(one);
    events.onWaiting(one.text);
  });
  lines.on("SIGINT", events.onInterrupt);
  lines.once("close", () => {
    isClosed = true;
    pause();
    waiter?.take(undefined);
    events.onClose();
  });
  stdin.once("end", () => lines.close());
  keys.on("keypress", (_, key: { readonly name?: string; readonly ctrl?: boolean } = {}) => {
    if (key.name === "escape") return events.onEscape();
    if (key.ctrl && key.name === "c") return;
    events.onKey();
    // Input typed while no line is expected also gets a prompt.
    if (!waiter && lines.line.length === 1) redraw();
  });

  function redraw(): void {
    lines.setPrompt(PROMPT);
    lines.prompt(true);
  }

  /** Erases the current line from the screen, with all its rows. */
  function wipe(): void {
    const { rows } = lines.getCursorPos();
    stdout.write(`\r${rows > 0 ? `\u001b[${rows}A` : ""}\u001b[J`);
  }

  function wait(kind: Waiter["kind"], prompt: string, signal?: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      const take = (line: string | undefined): void => {
        waiter = undefined;
        signal?.removeEventListener("abort", gone);
        resolve(line);
      };
      const gone = (): void => {
        stdout.write("\n");
        take(undefined);
      };
      if (isClosed || signal?.aborted) return resolve(undefined);
      signal?.addEventListener("abort", gone, { once: true });
      waiter = { take, kind };
      lines.setPrompt(prompt);
      lines.prompt(true);
    });
  }

  return {
    async read() {
      const first = waiting.shift();
      if (first) return first;
      const line = await wait("line", PROMPT);
      return line === undefined ? undefined : pasted.take(line);
    },
    async ask(prompt, signal) {
      const draft = { line: lines.line, cursor: lines.cursor };
      if (draft.line !== "") wipe();
      setLine(lines, "");
      const answer = await wait("answer", prompt, signal);
      // Keep answers out of the history.
      if (answer) historyOf(lines).shift();
      setLine(lines, draft.line, draft.cursor);
      if (late !== "") stdout.write(late);
      late = "";
      return answer;
    },
    tell(text) {
      if (waiter?.kind === "answer") {
        late += text;
        return;
      }
      const isShown = !isClosed && (waiter !== undefined || lines.line !== "");
      if (isShown) wipe();
      stdout.write(text);
      if (isShown) redraw();
    },
    settle: arrival,
    dropWaiting: () => waiting.splice(0).map(({ text }) => text),
    clearLine() {
      const { line } = lines;
      if (line === "") return false;
      wipe();
      historyOf(lines).unshift(line);
      pasted.take("");
      setLine(lines, "");
      return true;
    },
    async lend(work) {
      pause();
      stdin.setRawMode?.(false);
      try {
        return await work();
      } finally {
        stdin.setRawMode?.(true);
        begin();
      }
    },
    close: () => lines.close(),
  };
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
