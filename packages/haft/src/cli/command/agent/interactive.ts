import { createInterface, type Interface } from "node:readline";
import { nearest } from "@haft/core/schema";
import { type Message, openModel, type SessionHooks, sessionHooks } from "../../../agent/index.ts";
import type { Haft } from "../../../app/haft.ts";
import { personAsker } from "../../approval/ask-person.ts";
import { type OpenEditor, openEditor } from "../../approval/editor.ts";
import type { Command } from "../../command.ts";
import { helpText } from "../../command-table.ts";
import { drawFailure, drawNotice } from "../../draw/notice.ts";
import { drawResult } from "../../draw/outcome.ts";
import { eventRows } from "../../draw/progress-row.ts";
import { oneLine } from "../../draw/sanitize.ts";
import { drawToolList } from "../../draw/tool-page.ts";
import { EXIT } from "../../exit-code.ts";
import { openHaft } from "../../open-haft.ts";
import { readOptions } from "../../options.ts";
import { processTerminal, type Terminal } from "../../terminal/terminal.ts";
import { toolInfos } from "../../tool-info.ts";
import { narrator, quietSdk, runOn } from "./agent-run.ts";
import { withMentioned } from "./mentions.ts";
import { remotePromptText } from "./remote-prompt.ts";
import { modelOf, runOptions, runPrompt, wishedModel } from "./run.ts";
import { readTypedLine, type TypedLine } from "./typed-line.ts";
import { type Typing, typingOn } from "./typing.ts";

const HELP = [
  "  words                 go to the model",
  '  Read {"file_path": "package.json"}   calls a tool',
  "  !ls -la               runs a command",
  "  /mcp__server__prompt   sends a prompt that an MCP server keeps",
  "  @server:uri            in words: what an MCP server has there goes along",
  "  /tools /mode /clear /help /exit",
].join("\n");

/** `haft [PROMPT]`: a conversation, line by line. Without a terminal a prompt is run, and nothing prints the usage. */
export const interactive: Command = async (args) => {
  const { common, own, words } = readOptions(args, runOptions, 1);
  const [prompt] = words;
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
    if (prompt !== undefined) return runPrompt(prompt, common, own);
    await processTerminal().print(`${helpText()}\n`);
    return EXIT.ok;
  }
  quietSdk();
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: "> " });
  const say = (text: string): void => void process.stdout.write(text);
  const typing = typingOn(lines, say);
  const terminal: Terminal = { ...processTerminal(), print: async (text) => typing.tell(text) };
  const ask = personAsker(terminal.style, say, typing.ask, editorBeside(lines));
  const model = wishedModel(own);
  await using haft = await openHaft(common, { ask, model, onNotice: (notice) => typing.tell(drawNotice(notice)) });
  await terminal.print(`haft in ${oneLine(haft.cwd)}, mode ${haft.mode}. /help tells what can be typed.\n`);
  await converse({ haft, terminal, lines, typing, ...(prompt === undefined ? {} : { prompt }) });
  return EXIT.ok;
};

interface Conversation {
  readonly haft: Haft;
  readonly terminal: Terminal;
  readonly lines: Interface;
  readonly typing: Typing;
  readonly prompt?: string;
}

/** Reads, does, and reads again, until the input ends or somebody says /exit. */
async function converse({ haft, terminal, lines, typing, prompt }: Conversation): Promise<void> {
  let messages: readonly Message[] = [];
  let hooks: SessionHooks | undefined;
  let running: AbortController | undefined;
  let calls = 0;
  let isClosed = false;
  lines.once("close", () => {
    isClosed = true;
    running?.abort(new DOMException("the input has ended", "AbortError"));
  });
  // Ctrl-C stops what runs; at an idle prompt it ends the conversation.
  lines.on("SIGINT", () =>
    running ? running.abort(new DOMException("interrupted by the user", "AbortError")) : lines.close(),
  );

  async function perform(typed: TypedLine, signal: AbortSignal): Promise<boolean> {
    if (typed.kind === "command" && typed.name === "clear") return clear();
    if (typed.kind === "command") return command(typed.name, haft, terminal);
    if (typed.kind === "call") await callOnce(haft, terminal, { ...typed, id: `typed-${++calls}` }, signal);
    if (typed.kind === "remote-prompt") await prompted(await remotePromptText(haft, typed, signal), signal);
    // What a person names goes along; a server's prompt cannot have other servers read.
    if (typed.kind === "prompt") await prompted(typed.text, signal, withMentioned);
    return true;
  }

  /** The next prompt begins a conversation. What was granted, loaded and done stays the session's. */
  function clear(): boolean {
    messages = [];
    terminal.tell("The model knows nothing of what was said so far.\n");
    return true;
  }

  async function prompted(text: string, signal: AbortSignal, attach?: typeof withMentioned): Promise<void> {
    const model = await openModel(modelOf(haft), process.env);
    hooks ??= sessionHooks({ runHooks: haft.runHooks, model: model.name });
    const said = await hooks.opening(text, signal);
    if ("refused" in said) return terminal.tell(`The prompt was not sent: ${oneLine(said.refused)}\n`);
    const tell = narrator(terminal, false);
    const silence = haft.on(tell.onCall);
    using _ = { [Symbol.dispose]: silence };
    const all = [...messages, ...((await attach?.(haft, said.messages, signal)) ?? said.messages)];
    const end = await runOn({ haft, model, hooks, messages: all, signal, onEvent: tell.onAgent });
    await tell.end(end);
    messages = end.messages;
  }

  async function attempt(line: string): Promise<boolean> {
    running = new AbortController();
    try {
      return await perform(readTypedLine(line, haft.registry), running.signal);
    } catch (thrown) {
      terminal.tell(`${drawFailure(thrown)}\n`);
      return true;
    } finally {
      running = undefined;
    }
  }

  let goesOn = prompt === undefined || (await attempt(prompt));
  while (goesOn && !isClosed) {
    const line = await typing.read();
    if (line === undefined) break;
    goesOn = await attempt(line);
  }
  lines.close();
  await hooks?.end("prompt_input_exit");
}

async function callOnce(
  haft: Haft,
  terminal: Terminal,
  request: Parameters<Haft["run"]>[0][number],
  signal: AbortSignal,
) {
  const { style } = terminal;
  const draw = eventRows(style);
  const silence = haft.on((event) => {
    // The whole result is drawn below; here only what goes before it, and what went wrong.
    const row = event.type === "tool:execution:complete" ? undefined : draw(event);
    if (row !== undefined) void terminal.print(`${row}\n`);
  });
  const [outcome] = await haft.run([request], { signal });
  silence();
  if (outcome?.status === "ok") await terminal.print(`${drawResult(outcome.result, style)}\n`);
}

/** `false` ends the conversation. */
async function command(name: string, haft: Haft, terminal: Terminal): Promise<boolean> {
  const known: Readonly<Record<string, () => Promise<string> | string>> = {
    tools: async () => drawToolList(await toolInfos(haft), terminal.style),
    mode: () => `Mode ${haft.mode}. Start haft with --mode to choose another.`,
    help: () => HELP,
  };
  if (name === "exit" || name === "quit") return false;
  if (Object.hasOwn(known, name)) await terminal.print(`${await known[name]!()}\n`);
  else {
    const close = nearest(name, [...Object.keys(known), "clear", "exit"]);
    terminal.tell(`There is no /${name}.${close ? ` Did you mean /${close}?` : " /help lists what there is."}\n`);
  }
  return true;
}

/** The editor has the terminal to itself. */
const editorBeside =
  (lines: Interface): OpenEditor =>
  async (part) => {
    lines.pause();
    process.stdin.setRawMode?.(false);
    try {
      return await openEditor(part);
    } finally {
      process.stdin.setRawMode?.(true);
      lines.resume();
    }
  };
