import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import xterm from "@xterm/headless";
import type { Style } from "../../src/draw/style.ts";
import { openApp } from "../../src/terminal/app.ts";
import * as ink from "../../src/terminal/ink.ts";
import { openHistory } from "../../src/terminal/input/history.ts";
import { PromptInput } from "../../src/terminal/screen/prompt-input.ts";
import { Screen } from "../../src/terminal/screen/screen.ts";

/** The real terminal UI on a terminal in memory, which shows what a person would see. */
export interface HeadlessTerminal extends AsyncDisposable {
  readonly screen: Screen;
  /** Everything that was written, with its control sequences. */
  readonly bytes: () => string;
  /** The lines of scrollback and screen; lines that the terminal has wrapped are one. */
  lines(): Promise<string[]>;
  /** Titles and bells that programs have caused. */
  readonly side: string[];
  resize(columns: number, rows: number): Promise<void>;
  type(keys: string): void;
  readonly submitted: string[];
}

export async function headlessTerminal(columns = 80, rows = 24): Promise<HeadlessTerminal> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const side: string[] = [];
  terminal.onTitleChange((title) => side.push(`title ${title}`));
  terminal.onBell(() => side.push("bell"));
  let written = "";
  const stdout = Object.assign(new EventEmitter(), {
    ...{ columns, rows, isTTY: true, writable: true },
    write(data: string, done?: unknown) {
      written += data;
      // The line discipline of a terminal adds the carriage returns.
      terminal.write(data.replaceAll("\n", "\r\n"), typeof done === "function" ? () => done() : undefined);
      return true;
    },
  });
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => {},
    unref: () => {},
  });
  const submitted: string[] = [];
  const input = new PromptInput({
    history: openHistory(),
    proposals: () => [],
    submit: ({ text }) => submitted.push(text),
  });
  let now = 0;
  const style = (width: number): Style => ({ color: true, theme: "dark", width });
  const size = () => ({ columns: stdout.columns, rows: stdout.rows });
  const facts = () => ({ model: "test/model", mode: "default", folder: "/w", branch: "main" });
  const screen = new Screen({ input, size, style, facts, now: () => now++, edit: async () => undefined });
  const onKey = (press: Parameters<Screen["key"]>[0]) => void screen.key(press);
  const instance = openApp(
    ink,
    { screen, onKey, onPaste: (text: string) => screen.paste(text), onReady: () => {} },
    true,
    {
      stdout: stdout as never,
      stdin: stdin as never,
      interactive: true,
      exitOnCtrlC: false,
      incrementalRendering: true,
      patchConsole: false,
    },
  );
  const settled = async (): Promise<void> => {
    await instance.waitUntilRenderFlush();
    await new Promise<void>((resolve) => terminal.write("", resolve));
  };
  await settled();
  return {
    ...{ screen, side, submitted, bytes: () => written },
    async lines() {
      await settled();
      const { active } = terminal.buffer;
      const found: string[] = [];
      for (let at = 0; at < active.length; at++) {
        const line = active.getLine(at);
        const text = line?.translateToString(true) ?? "";
        if (line?.isWrapped) found[found.length - 1] += text;
        else found.push(text);
      }
      return found.slice(0, found.findLastIndex((line) => line !== "") + 1);
    },
    async resize(width, height) {
      terminal.resize(width, height);
      Object.assign(stdout, { columns: width, rows: height });
      stdout.emit("resize");
      await settled();
    },
    type: (keys) => void stdin.write(keys),
    async [Symbol.asyncDispose]() {
      instance.unmount();
      await instance.waitUntilExit();
      terminal.dispose();
    },
  };
}
