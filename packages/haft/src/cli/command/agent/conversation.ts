import { nearest } from "@haft/core/schema";
import { counted } from "@haft/core/tool";
import { hasConversation, MODEL_CURE } from "../../../agent/index.ts";
import type { Notice } from "../../../app/notice.ts";
import { real } from "../../../app/workspace.ts";
import { eventRows } from "../../../draw/rows/progress-row.ts";
import { inWords } from "../../../draw/rows/spoken-text.ts";
import { oneLine, visible } from "../../../draw/sanitize.ts";
import { paint } from "../../../draw/style.ts";
import { toolInfos } from "../../../draw/tool-info.ts";
import { drawToolList } from "../../../draw/tool-page.ts";
import {
  type AgentSession,
  type CommandOutcome,
  initialPrompt,
  openSession,
  quietSdk,
  remotePromptText,
  type SlashCommand,
  storedSessions,
} from "../../../session/index.ts";
import { schedulesBeside } from "../../../session/schedule/index.ts";
import { openEditor } from "../../../terminal/approval/editor.ts";
import type { Typed } from "../../../terminal/input/pasted-texts.ts";
import { readTypedLine, type TypedLine } from "../../../terminal/input/typed-line.ts";
import { personAsker } from "../../approval/ask-person.ts";
import { drawFailure, drawNotice } from "../../draw-notice.ts";
import { EXIT, type ExitCode, UsageError } from "../../exit-code.ts";
import type { CommonOptions } from "../../options.ts";
import { openPlaced, type RemoteWish } from "../../remote/open-placed.ts";
import { type LineInput, lineInput } from "../../terminal/line-input.ts";
import { processTerminal, type Terminal } from "../../terminal/terminal.ts";
import { wishedModel } from "./model-choice.ts";
import { narrated, narrator } from "./narrator.ts";
import { type RunWish, sessionOptions } from "./session-options.ts";
import { sessionRow } from "./sessions.ts";

const HELP = [
  "  words                               go to the model; pasted text is one prompt",
  '  Read {"file_path": "package.json"}  calls a tool',
  "  !ls -la                             runs a command",
  "  /mcp__server__prompt                sends a prompt of an MCP server",
  "  @server:uri                         in a prompt: attaches a resource of an MCP server",
  "  @path, @path#L10-20, @folder        in a prompt: attaches a file, some of its lines, or a folder listing",
  "  /tools /help /exit",
  "  Escape, Ctrl-C                      stop the running work; Ctrl-C twice at the prompt exits",
].join("\n");

/** The conversation line by line. */
export async function conversation(
  common: CommonOptions,
  own: RunWish & RemoteWish,
  prompt: string | undefined,
): Promise<ExitCode> {
  quietSdk();
  const talk = new Conversation(processTerminal(real(common.cwd)));
  const { input, terminal } = talk;
  try {
    const ask = personAsker(
      terminal.style,
      (text) => input.tell(text),
      (question, signal) => input.ask(question, signal),
      (part) => input.lend(() => openEditor(part)),
      () => input.settle(),
    );
    const wanted = sessionOptions(own);
    if (wanted.resume === "" && own.remote !== undefined)
      throw new UsageError("Which session?", "Name its id, or use --continue for the last one on that machine.");
    const resume = wanted.resume === "" ? await talk.choose(common.cwd) : wanted.resume;
    const onNotice = (notice: Notice) => input.tell(drawNotice(notice));
    await using session = await openPlaced(own, common, { ask, lastOf: hasConversation, onNotice }, (placed) =>
      openSession({ ...placed, ...wanted, ...(resume === undefined ? {} : { resume }) }),
    );
    await using _ = schedulesBeside(onNotice, wishedModel(own));
    await talk.hold(session, prompt, own.scratch);
  } finally {
    input.close();
  }
  return EXIT.ok;
}

/** Most sessions to choose from. */
const MOST_SHOWN = 20;

/** Reads and handles lines until the input ends or the person leaves. */
class Conversation {
  readonly input: LineInput;
  readonly terminal: Terminal;
  #running: AbortController | undefined;
  #isOver = false;
  /** The last key was a Ctrl-C at the prompt; another one leaves. */
  #isLeaving = false;

  constructor(terminal: Terminal) {
    this.input = lineInput({
      onInterrupt: () => this.#interrupt(),
      onEscape: () => this.#stop(),
      onKey: () => {
        this.#isLeaving = false;
      },
      onClose: () => {
        this.#isOver = true;
        this.#running?.abort(new DOMException("end of input", "AbortError"));
      },
      onWaiting: (line) => this.input.tell(paint(terminal.style, "dim", `  waits: ${oneLine(line)}\n`)),
    });
    this.terminal = {
      ...terminal,
      print: async (text) => this.input.tell(text),
      tell: (text) => this.input.tell(text),
    };
  }

  /** Shows the sessions of a folder, and asks which one to go on with. */
  async choose(cwd: string): Promise<string> {
    const sessions = storedSessions({ cwd });
    if (sessions.length === 0) throw new UsageError("This folder has no conversation yet.", "Leave --resume out.");
    const shown = sessions.slice(0, MOST_SHOWN);
    this.input.tell(`${shown.map((one, at) => `${at + 1}. ${sessionRow(one)}`).join("\n")}\n`);
    const answer = (await this.input.ask("Which one? ", new AbortController().signal)) ?? "";
    const chosen = shown[Number(answer) - 1] ?? sessions.find(({ id }) => id === answer.trim());
    if (chosen) return chosen.id;
    throw new UsageError(`There is no session ${oneLine(answer)}.`, "Type the number of a row.");
  }

  async hold(session: AgentSession, prompt: string | undefined, isScratch = false): Promise<void> {
    this.#greet(session);
    const first = prompt ?? initialPrompt(session);
    let goesOn = first === undefined || (await this.#attempt(session, { text: first, beginsPasted: first !== prompt }));
    while (goesOn && !this.#isOver) {
      const typed = await this.input.read();
      if (typed === undefined) break;
      goesOn = await this.#attempt(session, typed);
    }
    this.input.close();
    this.#takeLeave(session, isScratch);
  }

  #greet({ haft, model, messages }: AgentSession): void {
    const { style } = this.terminal;
    const why = model?.because === undefined ? "" : ` (${model.because})`;
    const about = [
      `haft in ${oneLine(haft.cwd)}`,
      `model ${oneLine(model?.name ?? "none")}${why}`,
      `mode ${haft.mode}`,
      ...(haft.role ? [`agent ${oneLine(haft.role.name)}`] : []),
    ];
    this.input.tell(`${about.join(" · ")}\n`);
    if (!model)
      this.input.tell(paint(style, "yellow", `${inWords(`No model is configured. ${MODEL_CURE}`, style.width)}\n`));
    if (messages.length > 0)
      this.input.tell(
        `Continues session ${haft.session.id}: ${counted(messages.length, "message")}. /clear starts a new one.\n`,
      );
    this.input.tell("/help lists what you can type.\n");
  }

  #takeLeave({ haft, messages }: AgentSession, isScratch: boolean): void {
    const jobs = haft.jobs.list().filter(({ status }) => status === "running").length;
    if (jobs > 0) process.stdout.write(`Ended ${counted(jobs, "background job")}.\n`);
    if (messages.length > 0 && !isScratch) process.stdout.write("haft --continue resumes this conversation.\n");
  }

  /**
   * Ctrl-C stops running work. At the prompt, the first one empties the line and says how to leave; the second one
   * leaves.
   */
  #interrupt(): void {
    if (this.#running) {
      this.#stop();
      return;
    }
    if (this.#isLeaving) {
      this.input.close();
      return;
    }
    const text = this.input.clearLine() ? "Up restores the line. " : "";
    this.#isLeaving = true;
    this.input.tell(`${text}Ctrl-C again exits.\n`);
  }

  #stop(): void {
    if (!this.#running || this.#running.signal.aborted) return;
    this.#running.abort(new DOMException("interrupted by the user", "AbortError"));
    const dropped = this.input.dropWaiting();
    if (dropped.length > 0) this.input.tell(`Not sent: ${dropped.map(oneLine).join("; ")}. Up restores it.\n`);
  }

  /** `false` ends the conversation. */
  async #attempt(session: AgentSession, typed: Typed): Promise<boolean> {
    this.#running = new AbortController();
    try {
      return await this.#perform(session, readTypedLine(typed, session.haft.registry), this.#running.signal);
    } catch (thrown) {
      this.input.tell(`${drawFailure(thrown)}\n`);
      return true;
    } finally {
      this.#running = undefined;
    }
  }

  async #perform(session: AgentSession, typed: TypedLine, signal: AbortSignal): Promise<boolean> {
    switch (typed.kind) {
      case "nothing":
        return true;
      case "command":
        return this.#command(session, typed.name, typed.rest, signal);
      case "call":
        await callTyped(session, this.terminal, typed, signal);
        return true;
      case "remote-prompt":
        // A person's mentions are included; a server's prompt must not cause reads from other servers.
        await this.#show(session, async () => {
          const text = await remotePromptText(session.haft, typed, signal);
          return { end: await session.prompt(text, { signal, withMentions: false }) };
        });
        return true;
      case "prompt":
        await this.#show(session, async () => ({ end: await session.prompt(typed.text, { signal }) }));
        return true;
    }
  }

  /** Shows what happens while some work runs, and its end. */
  async #show(session: AgentSession, work: () => Promise<CommandOutcome>): Promise<void> {
    const { style, print } = this.terminal;
    const tell = narrator({ style, write: print, showsQuestions: true });
    using _ = { [Symbol.dispose]: session.on(narrated(tell)) };
    const outcome = await work();
    if ("text" in outcome) this.input.tell(`${visible(outcome.text)}\n`);
    else if (outcome.end.reason === "refused")
      this.input.tell(`The prompt was not sent: ${oneLine(outcome.end.why ?? "")}\n`);
    else await tell.end(outcome.end);
  }

  async #command(session: AgentSession, name: string, args: string, signal: AbortSignal): Promise<boolean> {
    if (name === "exit" || name === "quit") return false;
    const commands = session.commands();
    const command = commands.find((one) => one.name === name);
    if (command) await this.#show(session, () => command.run(args, { signal }));
    else if (name === "help") this.input.tell(`${HELP}\n${commands.map(commandRow).join("\n")}\n`);
    else if (name === "tools") this.input.tell(`${drawToolList(await toolInfos(session.haft), this.terminal.style)}\n`);
    else {
      const close = nearest(name, [...commands.map((one) => one.name), "tools", "help", "exit"]);
      this.input.tell(`There is no /${name}.${close ? ` Did you mean /${close}?` : " /help lists the commands."}\n`);
    }
    return true;
  }
}

const commandRow = ({ name, argumentHint, description }: SlashCommand): string =>
  `  ${oneLine(`/${name} ${argumentHint ?? ""}`)
    .trimEnd()
    .padEnd(34)}  ${oneLine(description)}`;

async function callTyped(
  session: AgentSession,
  { style, print }: Terminal,
  { kind: _, ...call }: Extract<TypedLine, { kind: "call" }>,
  signal: AbortSignal,
) {
  const say = (row: string): void => void print(`${row}\n`);
  using _silence = {
    [Symbol.dispose]: session.haft.on(eventRows({ style, print: say, showsQuestions: true, wholeResults: true })),
  };
  await session.callTyped(call, signal);
}
