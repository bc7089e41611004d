import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CallEvent } from "@haft/core/executor";
import { counted } from "@haft/core/tool";
import {
  formatCassette,
  hasConversation,
  type Message,
  openConversation,
  openModel,
  recordCassette,
  sessionHooks,
} from "../../../agent/index.ts";
import { real } from "../../../app/workspace.ts";
import { oneLine } from "../../../draw/sanitize.ts";
import { attendedAsker } from "../../approval/ask-person.ts";
import type { Command } from "../../command.ts";
import { EXIT, type ExitCode, UsageError } from "../../exit-code.ts";
import { openHaft } from "../../open-haft.ts";
import { type CommonOptions, readOptions } from "../../options.ts";
import { onInterrupt } from "../../terminal/interrupt.ts";
import { pipedInput, promptWith } from "../../terminal/standard-input.ts";
import { processTerminal, type Terminal } from "../../terminal/terminal.ts";
import { exitOf, quietSdk, runOn } from "./agent-run.ts";
import { withMentioned } from "./mentions.ts";
import { modelOf, wishedModel } from "./model-choice.ts";
import { jsonNarrator, narrator } from "./narrator.ts";

/** The options of a run, in addition to the common ones. */
export const runOptions = { model: "string", "max-turns": "string", record: "string" } as const;

export interface RunWish {
  readonly model?: string;
  readonly "max-turns"?: string;
  readonly record?: string;
}

/**
 * `haft run PROMPT`: runs the agent without a terminal. Piped input is part of the prompt. The answer goes to standard
 * output, all else to standard error; with `--json` every event is a line of standard output.
 */
export const run: Command = async (args) => {
  const { common, own, words } = readOptions(args, runOptions, 1);
  const [first = ""] = words;
  const typed = first === "-" ? "" : first;
  const prompt = promptWith(typed, await pipedInput(typed === ""));
  if (prompt === "") throw new UsageError("There is no prompt.", 'Write haft run "PROMPT", or pipe one in.');
  return runPrompt(prompt, common, own);
};

/** One prompt from beginning to end. */
export async function runPrompt(prompt: string, common: CommonOptions, wish: RunWish): Promise<number> {
  const maxTurns = turnsOf(wish["max-turns"]);
  const terminal = processTerminal(real(common.cwd));
  using interrupt = onInterrupt();
  const ask = common.json ? undefined : attendedAsker(terminal);
  await using haft = await openHaft(common, { ask, model: wishedModel(wish), lastOf: hasConversation });
  quietSdk();
  const model = await openModel(modelOf(haft), process.env);
  const conversation = openConversation(haft.session.path);
  using _ = { [Symbol.dispose]: () => conversation.close() };
  const isResumed = conversation.messages.length > 0;
  const hooks = sessionHooks({ runHooks: haft.runHooks, model: model.name, isResumed });
  const said = await hooks.opening(prompt, interrupt.signal);
  if ("refused" in said) return refusedPrompt(said.refused, terminal, common.json);
  const opening = await withMentioned(haft, said.messages, interrupt.signal);
  for (const message of opening) conversation.add(message);
  const messages: readonly Message[] = [...conversation.messages, ...opening];
  const recorder = wish.record === undefined ? undefined : recordCassette({ model, opening: messages, cwd: haft.cwd });
  const tell = common.json ? jsonNarrator(terminal.print) : rowsOf(terminal, ask !== undefined);
  if (common.json) {
    await terminal.print(
      `${JSON.stringify({ type: "session", id: haft.session.id, cwd: haft.cwd, mode: haft.mode, model: model.name })}\n`,
    );
  }
  const refused = new Refusals();
  haft.on((event) => {
    recorder?.onCallEvent(event);
    tell.onCall(event);
    refused.hear(event);
  });
  const end = await runOn({
    haft,
    model: recorder?.model ?? model,
    messages,
    hooks,
    signal: interrupt.signal,
    waitsForAgents: true,
    ...(maxTurns === undefined ? {} : { maxTurns }),
    onEvent(event) {
      recorder?.onAgentEvent(event);
      tell.onAgent(event);
      if (event.type === "message") conversation.add(event.message);
    },
  });
  await hooks.end("other");
  await tell.end(end);
  if (recorder && wish.record !== undefined) await writeFile(resolve(wish.record), formatCassette(recorder.cassette()));
  if (!common.json) refused.tell(terminal);
  return exitOf(end) === EXIT.ok && refused.changes > 0 ? EXIT.needsApproval : exitOf(end);
}

const rowsOf = (terminal: Terminal, showsQuestions: boolean) =>
  narrator({ style: terminal.newsStyle, write: terminal.tell, answer: terminal.print, showsQuestions });

/** The changes that were not made because nobody was there to allow them. */
class Refusals {
  readonly #titles: string[] = [];
  readonly #rules = new Set<string>();

  get changes(): number {
    return this.#titles.length;
  }

  hear(event: CallEvent): void {
    if (event.type !== "tool:execution:error") return;
    const { result, traits, decision } = event.outcome;
    if (result.error?.code !== "needs_approval" || traits.isReadOnly) return;
    this.#titles.push(event.label);
    for (const rule of decision?.suggestions[0]?.rules ?? []) this.#rules.add(rule);
  }

  /** Says what to add to the command line. */
  tell(terminal: Terminal): void {
    if (this.changes === 0) return;
    const rules = [...this.#rules].map((rule) => ` --allow '${oneLine(rule)}'`).join("");
    terminal.tell(
      `${counted(this.changes, "change")} not made, because nobody was there to allow it: ${this.#titles.map(oneLine).join("; ")}.\n` +
        `${rules === "" ? "Run it in a terminal to be asked." : `To allow:${rules}`} Exit code ${EXIT.needsApproval}.\n`,
    );
  }
}

/** Reports that a hook blocked the prompt. */
async function refusedPrompt(why: string, terminal: Terminal, json: boolean): Promise<ExitCode> {
  if (json) await terminal.print(`${JSON.stringify({ type: "end", reason: "stopped", why, text: "", turns: 0 })}\n`);
  else terminal.tell(`The prompt was not sent: ${oneLine(why)}\n`);
  return EXIT.denied;
}

function turnsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const turns = Number(text);
  if (Number.isInteger(turns) && turns > 0) return turns;
  throw new UsageError(`--max-turns ${text} is no number of turns.`, "Use a whole number from 1.");
}
