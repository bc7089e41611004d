import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { formatCassette, openModel, recordCassette, sessionHooks } from "../../../agent/index.ts";
import type { Haft } from "../../../app/haft.ts";
import { attendedAsker } from "../../approval/ask-person.ts";
import type { Command } from "../../command.ts";
import { oneLine } from "../../draw/sanitize.ts";
import { EXIT, type ExitCode, UsageError } from "../../exit-code.ts";
import { openHaft } from "../../open-haft.ts";
import { type CommonOptions, readOptions } from "../../options.ts";
import { onInterrupt } from "../../terminal/interrupt.ts";
import { processTerminal, type Terminal } from "../../terminal/terminal.ts";
import { exitOf, narrator, quietSdk, runOn } from "./agent-run.ts";
import { withMentioned } from "./mentions.ts";

/** The options of a run, beside the common ones. */
export const runOptions = { model: "string", "max-turns": "string", record: "string" } as const;

export interface RunWish {
  readonly model?: string;
  readonly "max-turns"?: string;
  readonly record?: string;
}

/** `haft run PROMPT`: the agent without a terminal. With `--json` every event is a line. */
export const run: Command = async (args) => {
  const { common, own, words } = readOptions(args, runOptions, 1);
  const [prompt] = words;
  if (prompt === undefined) throw new UsageError("What shall it do?", "Usage: haft run PROMPT. Quote the prompt.");
  return runPrompt(prompt, common, own);
};

/** One prompt from beginning to end. */
export async function runPrompt(prompt: string, common: CommonOptions, wish: RunWish): Promise<number> {
  const maxTurns = turnsOf(wish["max-turns"]);
  const terminal = processTerminal();
  using interrupt = onInterrupt();
  const ask = common.json ? undefined : attendedAsker(terminal);
  await using haft = await openHaft(common, { ask, model: wishedModel(wish) });
  quietSdk();
  const model = await openModel(modelOf(haft), process.env);
  const hooks = sessionHooks({ runHooks: haft.runHooks, model: model.name });
  const said = await hooks.opening(prompt, interrupt.signal);
  if ("refused" in said) return refusedPrompt(said.refused, terminal, common.json);
  const opening = await withMentioned(haft, said.messages, interrupt.signal);
  const recorder = wish.record === undefined ? undefined : recordCassette({ model, opening, cwd: haft.cwd });
  const tell = narrator(terminal, common.json);
  if (common.json) {
    await terminal.print(
      `${JSON.stringify({ type: "session", id: haft.session.id, cwd: haft.cwd, mode: haft.mode, model: model.name })}\n`,
    );
  }
  haft.on((event) => {
    recorder?.onCallEvent(event);
    tell.onCall(event);
  });
  const end = await runOn({
    haft,
    model: recorder?.model ?? model,
    messages: opening,
    hooks,
    signal: interrupt.signal,
    ...(maxTurns === undefined ? {} : { maxTurns }),
    onEvent(event) {
      recorder?.onAgentEvent(event);
      tell.onAgent(event);
    },
  });
  await hooks.end("other");
  await tell.end(end);
  if (recorder && wish.record !== undefined) await writeFile(resolve(wish.record), formatCassette(recorder.cassette()));
  return exitOf(end);
}

/** A hook did not let the prompt go to the model. */
async function refusedPrompt(why: string, terminal: Terminal, json: boolean): Promise<ExitCode> {
  if (json) await terminal.print(`${JSON.stringify({ type: "end", reason: "stopped", why, text: "", turns: 0 })}\n`);
  else terminal.tell(`The prompt was not sent: ${oneLine(why)}\n`);
  return EXIT.denied;
}

/** The model that is wished for beside the settings: by the option, or in the environment. */
export const wishedModel = ({ model }: RunWish): string | undefined => model ?? process.env.HAFT_MODEL;

/** The model of the session. @throws UsageError where there is none. */
export function modelOf({ model }: Pick<Haft, "model">): string {
  if (model) return model;
  throw new UsageError(
    "No model is configured.",
    "Use --model provider/name (anthropic/…, openai/…, google/…, or compatible/… with OPENAI_BASE_URL for a local server), " +
      'or set HAFT_MODEL or "model" in the settings. haft call, batch, explain and replay need no model.',
  );
}

function turnsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const turns = Number(text);
  if (Number.isInteger(turns) && turns > 0) return turns;
  throw new UsageError(`--max-turns ${text} is no number of turns.`, "Use a whole number from 1.");
}
