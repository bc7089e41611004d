import type { AgentSession, SlashCommand } from "./session.ts";

/** A slash command as a person types it. */
export interface TypedCommand {
  /** Without the slash. */
  readonly name: string;
  readonly args: string;
}

/** The command that a text begins with; `undefined` for other text, such as a path. */
export function typedCommand(text: string): TypedCommand | undefined {
  const [, name, args = ""] = /^\/([A-Za-z][\w:.-]*)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, args: args.trim() };
}

/** The command of a session that a text calls, with its arguments. */
export function commandFor(
  session: Pick<AgentSession, "commands">,
  text: string,
): { readonly command: SlashCommand; readonly args: string } | undefined {
  const typed = typedCommand(text);
  const command = typed && session.commands().find(({ name }) => name === typed.name);
  return command && { command, args: typed.args };
}
