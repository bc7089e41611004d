import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CallEvent } from "@haft/core/executor";
import { counted } from "@haft/core/tool";
import {
  type AgentEnd,
  type CassetteRecorder,
  formatCassette,
  hasConversation,
  type Model,
  recordCassette,
} from "../../../agent/index.ts";
import { real } from "../../../app/workspace.ts";
import { oneLine, visible } from "../../../draw/sanitize.ts";
import { commandFor, isAgentEvent, isCallEvent, openSession, quietSdk } from "../../../session/index.ts";
import { attendedAsker } from "../../approval/attended-asker.ts";
import type { Command } from "../../command.ts";
import { EXIT, type ExitCode, UsageError } from "../../exit-code.ts";
import { type CommonOptions, readOptions } from "../../options.ts";
import { openPlaced, type RemoteWish, remoteOptions } from "../../remote/open-placed.ts";
import { onInterrupt } from "../../terminal/interrupt.ts";
import { pipedInput, promptWith } from "../../terminal/standard-input.ts";
import { processTerminal, type Terminal } from "../../terminal/terminal.ts";
import { jsonNarrator, narrated, narrator } from "./narrator.ts";
import { type RunWish, runOptions, sessionOptions, spelledOut } from "./session-options.ts";

/**
 * `haft run PROMPT`: runs the agent without a terminal. Piped input is part of the prompt. The answer goes to standard
 * output, all else to standard error; with `--json` every event is a line of standard output.
 */
export const run: Command = async (args) => {
  const { common, own, words } = readOptions(spelledOut(args), { ...runOptions, ...remoteOptions }, 1);
  const [first = ""] = words;
  const typed = first === "-" ? "" : first;
  const prompt = promptWith(typed, await pipedInput(typed === ""));
  // The file of an agent may have a prompt.
  if (prompt === "" && own.agent === undefined)
    throw new UsageError("There is no prompt.", 'Write haft run "PROMPT", or pipe one in.');
  return runPrompt(prompt, common, own);
};

/** One prompt from beginning to end. */
export async function runPrompt(given: string, common: CommonOptions, wish: RunWish & RemoteWish): Promise<number> {
  const own = sessionOptions(wish);
  if (own.resume === "") throw new UsageError("Which session?", "Name its id; haft sessions lists them.");
  const terminal = processTerminal(real(common.cwd));
  using interrupt = onInterrupt();
  const ask = common.json ? undefined : attendedAsker(terminal);
  quietSdk();
  let recorder: CassetteRecorder | undefined;
  const cwd = real(common.cwd);
  const wrapModel = (model: Model): Model => {
    if (wish.record === undefined) return model;
    recorder = recordCassette({ model, cwd });
    return recorder.model;
  };
  await using session = await openPlaced(wish, common, { ask, lastOf: hasConversation }, (placed) =>
    openSession({ ...placed, ...own, wrapModel }),
  );
  const { haft, model } = session;
  const prompt = given === "" ? (haft.role?.initialPrompt ?? "") : given;
  if (prompt === "")
    throw new UsageError(
      `The agent ${oneLine(own.agent ?? "")} has no initialPrompt.`,
      "Write a prompt behind its name.",
    );
  const tell = common.json ? jsonNarrator(terminal.print) : rowsOf(terminal, ask !== undefined);
  const onEvent = narrated(tell);
  const refused = new Refusals();
  session.on((event) => {
    if (isCallEvent(event)) {
      recorder?.onCallEvent(event);
      refused.hear(event);
    } else if (isAgentEvent(event)) recorder?.onAgentEvent(event);
    onEvent(event);
  });
  if (common.json && model) {
    await terminal.print(
      `${JSON.stringify({ type: "session", id: haft.session.id, cwd: haft.cwd, mode: haft.mode, model: model.name })}\n`,
    );
  }
  const asked = commandFor(session, prompt);
  const options = { signal: interrupt.signal, waitsForAgents: true };
  const outcome = asked ? await asked.command.run(asked.args, options) : { end: await session.prompt(prompt, options) };
  if ("text" in outcome) {
    await terminal.print(`${visible(outcome.text)}\n`);
    return EXIT.ok;
  }
  const { end } = outcome;
  if (end.reason === "refused") return refusedPrompt(end.why ?? "", terminal, common.json);
  const { money } = session.usage;
  await tell.end(end, money === undefined ? {} : { cost: money });
  if (recorder && wish.record !== undefined) await writeFile(resolve(wish.record), formatCassette(recorder.cassette()));
  if (!common.json) refused.tell(terminal);
  return exitOf(end) === EXIT.ok && refused.changes > 0 ? EXIT.needsApproval : exitOf(end);
}

/** 0 for an answer; 1 when the model failed or a limit ended the run. */
function exitOf({ reason }: AgentEnd): ExitCode {
  if (reason === "answered" || reason === "stopped") return EXIT.ok;
  return reason === "cancelled" ? EXIT.interrupted : EXIT.failed;
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
      `${counted(this.changes, "change")} refused, because nobody was there to approve it: ${this.#titles.map(oneLine).join("; ")}.\n` +
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
