import type { AgentEnd } from "../agent/index.ts";
import { type AgentSession, commandFor, type PromptOptions, type SlashCommand } from "../session/index.ts";

/**
 * The built-in commands of print mode. Those that change mode or model have requests of their own: the text of a message
 * may come from somebody who must not choose them.
 */
const BUILTIN: ReadonlySet<string> = new Set(["clear", "compact", "cost"]);

/** The commands that a message may call. */
export const printCommands = (session: Pick<AgentSession, "commands">): readonly SlashCommand[] =>
  session.commands().filter(({ name, source }) => source !== "builtin" || BUILTIN.has(name));

/** The end of a turn. `output`: the words of a command that asked no model. */
export interface PrintTurn {
  readonly end: AgentEnd;
  readonly output?: string;
}

/** Runs the command that a text calls, or sends the text as a prompt. The words of a command count its own mentions. */
export async function printTurn(
  session: AgentSession,
  text: string,
  { withMentions = true, ...options }: PromptOptions,
): Promise<PrintTurn> {
  const cancelled: AgentEnd = { reason: "cancelled", messages: [], text: "", turns: 0, usage: {} };
  if (options.signal?.aborted) return { end: cancelled };
  const called = commandFor({ commands: () => printCommands(session) }, text);
  if (!called) return { end: await session.prompt(text, { withMentions, ...options }) };
  const outcome = await called.command.run(called.args, options);
  if ("end" in outcome) return outcome;
  return { end: { ...cancelled, reason: "answered", text: outcome.text }, output: outcome.text };
}
