import { createInterface, type Interface } from "node:readline";
import { Readable } from "node:stream";
import { arrival } from "./arrival.ts";
import { PASTE_MARKS, pasteReader } from "./paste.ts";
import { PastedTexts, type Typed } from "./pasted-texts.ts";

/** The lines that a person types at a prompt, and what is shown meanwhile. */
export interface LineInput {
  /** The next line; `undefined` when there are no more. */
  read(): Promise<Typed | undefined>;
  /** The answer to a question. Nothing that was typed before becomes one. An abort takes the question back. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** Shows text that comes by itself. What is being typed stands below it again; while a question stands it waits. */
  tell(text: string): void;
  /** Waits until what was typed before a question has come in. */
  settle(): Promise<void>;
  /** Takes back the lines that wait to be read. The history has them. */
  dropWaiting(): readonly string[];
  /** Empties the line that is being typed; the history has it. Tells whether there was anything. */
  clearLine(): boolean;
  /** Gives the terminal to somebody else until they are done. */
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
  /** A line came while nobody reads: it waits. */
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
    // What is typed while nobody reads stands behind a prompt, too.
    if (!waiter && lines.line.length === 1) redraw();
  });

  function redraw(): void {
    lines.setPrompt(PROMPT);
    lines.prompt(true);
  }

  /** Wipes the line that is being typed from the screen, all its rows. */
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
      // An answer is nothing to bring back with a key.
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

/** What readline takes for a terminal: it gets keys, and no pasted text. */
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

/** Readline keeps both as plain properties; only their types say that they cannot be set. */
function setLine(lines: Interface, line: string, cursor = line.length): void {
  Object.assign(lines, { line, cursor });
}

const historyOf = (lines: Interface): string[] => (lines as unknown as { readonly history: string[] }).history;
