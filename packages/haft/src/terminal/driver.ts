import { modes } from "@haft/core/policy";
import { nearest } from "@haft/core/schema";
import { counted, HaftError } from "@haft/core/tool";
import { inWords } from "../draw/rows/spoken-text.ts";
import { oneLine, visible } from "../draw/sanitize.ts";
import { paint, type Style } from "../draw/style.ts";
import { type AgentSession, remotePromptText } from "../session/index.ts";
import type { TerminalCommand } from "./commands/command.ts";
import { isCtrl, type KeyPress } from "./input/key-press.ts";
import type { Typed } from "./input/pasted-texts.ts";
import { readTypedLine, type TypedLine } from "./input/typed-line.ts";
import type { PromptInput } from "./screen/prompt-input.ts";
import type { Screen } from "./screen/screen.ts";

export interface DriverOptions {
  readonly session: AgentSession;
  readonly screen: Screen;
  readonly input: PromptInput;
  readonly commands: readonly TerminalCommand[];
  readonly style: () => Style;
  /** Ends the terminal UI; with `resume`, another session follows. */
  exit(resume?: string): void;
  /** Shows a long text in a pager. */
  page(text: string): Promise<void>;
}

/** Turns keys and typed lines into actions on the session. */
export class Driver {
  readonly #options: DriverOptions;
  /** The last key was a Ctrl-C or an Escape at the empty prompt. */
  #last: "ctrl-c" | "escape" | undefined;
  #call: AbortController | undefined;

  constructor(options: DriverOptions) {
    this.#options = options;
  }

  key(press: KeyPress): void {
    const { screen, session } = this.#options;
    const before = this.#last;
    this.#last = undefined;
    if (isCtrl(press, "c")) this.#interrupt(before);
    else if (isCtrl(press, "o")) void this.#options.page(screen.transcript());
    else if (press.key.tab && press.key.shift) this.#cycleMode();
    else if (press.key.escape && !screen.isAsking && !this.#options.input.isBusy) this.#escape(before);
    else if (isCtrl(press, "d") && this.#options.input.text === "" && !screen.isAsking) this.#options.exit();
    else if (press.key.upArrow && this.#options.input.text === "" && session.queue.length > 0 && !screen.isAsking)
      this.#takeBack();
    else screen.key(press);
  }

  /** Ctrl-C stops what runs, then empties the line, then leaves. */
  #interrupt(before: string | undefined): void {
    const { screen, input, exit } = this.#options;
    if (this.#stop()) return;
    if (before === "ctrl-c") exit();
    else {
      this.#last = "ctrl-c";
      const text = input.text;
      input.set("");
      screen.hint(`${text === "" ? "" : "Cleared the line. "}Ctrl-C again exits.`);
    }
  }

  /** Escape stops what runs. Twice at the prompt, it opens the list of changes. */
  #escape(before: string | undefined): void {
    if (this.#stop()) return;
    if (before === "escape") void this.#attempt(() => this.#command("undo", ""));
    else {
      this.#last = "escape";
      this.#options.screen.hint("Escape again lists the changes that can be undone.");
    }
  }

  #stop(): boolean {
    const { session, screen, input } = this.#options;
    if (this.#call) {
      this.#call.abort(new DOMException("interrupted by the user", "AbortError"));
      return true;
    }
    if (session.status !== "working") return false;
    const dropped = session.interrupt();
    // Nothing that was typed is lost.
    if (dropped.length > 0 && input.text === "") input.set(dropped.map(({ text }) => text).join("\n"));
    screen.refresh();
    return true;
  }

  /** The prompt that waits last comes back to the line. */
  #takeBack(): void {
    const { session, input, screen } = this.#options;
    const last = session.queue.at(-1);
    if (last && session.unqueue(last.id)) input.set(last.text);
    screen.refresh();
  }

  #cycleMode(): void {
    const { session, screen } = this.#options;
    // The last one lets everything run; it is chosen by name only.
    const cycle = modes.filter((mode) => mode !== "bypassPermissions" && mode !== "dontAsk");
    const next = cycle[(cycle.indexOf(session.haft.mode as (typeof cycle)[number]) + 1) % cycle.length]!;
    void this.#attempt(async () => {
      await session.setMode(next);
      screen.hint(`Mode ${next}.`);
    });
  }

  submit(typed: Typed): void {
    const line = readTypedLine(typed, this.#options.session.haft.registry);
    void this.#attempt(() => this.#perform(line));
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.#complain(thrown);
    }
  }

  #complain(thrown: unknown): void {
    const { screen, style } = this.#options;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const hint = HaftError.is(thrown) && thrown.hint ? `\n${thrown.hint}` : "";
    screen.say(
      `${paint(style(), "red", "!")} ${inWords(visible(`${message}${hint}`), style().width - 2).replaceAll("\n", "\n  ")}`,
    );
  }

  async #perform(line: TypedLine): Promise<void> {
    const { session } = this.#options;
    switch (line.kind) {
      case "nothing":
        return;
      case "command":
        return this.#command(line.name, line.rest);
      case "remote-prompt":
        return this.#prompt(await remotePromptText(session.haft, line, new AbortController().signal), false);
      case "prompt":
        return this.#prompt(line.text, true);
      case "call":
        return this.#callTool(line);
    }
  }

  async #prompt(text: string, withMentions: boolean): Promise<void> {
    const { session, screen, style } = this.#options;
    const end = await session.prompt(text, { withMentions });
    if (end.reason === "refused" && end.why !== "it was withdrawn")
      screen.say(`${paint(style(), "yellow", "!")} The prompt was not sent: ${oneLine(end.why ?? "")}`);
  }

  async #callTool({ kind: _, ...request }: Extract<TypedLine, { kind: "call" }>): Promise<void> {
    this.#call = new AbortController();
    try {
      await this.#options.session.callTyped({ ...request, approved: "user" }, this.#call.signal);
    } finally {
      this.#call = undefined;
      this.#options.screen.refresh();
    }
  }

  async #command(name: string, args: string): Promise<void> {
    const { session, screen, commands, exit, style } = this.#options;
    if (name === "exit" || name === "quit") return exit();
    const own = commands.find((command) => command.name === name);
    if (own) {
      const text = await own.run(args);
      if (text !== undefined && text !== "") screen.say(text);
      return;
    }
    const known = session.commands();
    const command = known.find((one) => one.name === name);
    if (!command) {
      const close = nearest(
        name,
        [...known, ...commands].map((one) => one.name),
      );
      screen.say(
        `${paint(style(), "yellow", "!")} There is no /${oneLine(name)}. ${close ? `Did you mean /${close}?` : "/help lists the commands."}`,
      );
      return;
    }
    const outcome = await command.run(args);
    if ("text" in outcome)
      screen.say(`  ${inWords(visible(outcome.text), style().width - 2).replaceAll("\n", "\n  ")}`);
  }
}

/** The words with which the terminal UI ends. */
export function farewell({ haft, messages, id }: AgentSession, isScratch: boolean): string {
  const jobs = haft.jobs.list().filter(({ status }) => status === "running").length;
  const place = haft.cwd === process.cwd() ? "" : ` --cwd ${oneLine(haft.cwd)}`;
  return [
    ...(jobs > 0 ? [`Ended ${counted(jobs, "background job")}.`] : []),
    ...(messages.length > 0 && !isScratch ? [`haft${place} --session ${id} resumes this conversation.`] : []),
  ].join("\n");
}
