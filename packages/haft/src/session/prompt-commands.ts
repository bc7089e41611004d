import { readFileSync } from "node:fs";
import type { RemotePrompt } from "@haft/mcp";
import { remotePromptText } from "./remote-prompt.ts";
import type { AgentSession, CommandOutcome, PromptOptions, SlashCommand } from "./session.ts";

/** The commands from Markdown files and skills: each sends its text as a prompt. */
export const fileCommands = (session: AgentSession): readonly SlashCommand[] =>
  session.haft.skills.list().map(({ name, description, hint, source, file }) => ({
    name,
    description,
    ...(hint === undefined ? {} : { argumentHint: hint }),
    source: source === "user" || source === "project" ? source : "plugin",
    async run(args, options) {
      const text = await session.haft.skills.expand(name, args);
      // The output of its commands mentions nothing: only the person's own words do.
      return send(session, text, { name, args, source }, { withMentions: `${textOf(file)}\n${args}`, ...options });
    },
  }));

/** The prompts of MCP servers, as far as they are known. */
export interface RemoteCommands {
  list(): readonly SlashCommand[];
}

/** Milliseconds to wait for servers, in the background. */
const WAIT_MS = 30_000;

/** Asks the servers of a session for their prompts, in the background; each list asks again. */
export function remoteCommands(session: AgentSession): RemoteCommands {
  const { mcp } = session.haft;
  let known: readonly RemotePrompt[] = [];
  let isAsking = false;
  function ask(): void {
    if (isAsking || mcp.list().length === 0) return;
    isAsking = true;
    void mcp
      .settled(WAIT_MS)
      .then(() => mcp.prompts())
      .then(({ prompts }) => {
        known = prompts;
      })
      .catch(() => {})
      .finally(() => {
        isAsking = false;
      });
  }
  ask();
  return {
    list() {
      ask();
      return known.map(({ command, description = "", arguments: fields }) => ({
        name: command,
        description,
        ...(fields.length === 0
          ? {}
          : { argumentHint: fields.map(({ name, required }) => (required ? name : `[${name}]`)).join(" ") }),
        source: "mcp",
        async run(args, options) {
          const text = await remotePromptText(session.haft, { command, rest: args }, options?.signal);
          // A person's mentions are included; a server's prompt must not cause reads from other servers.
          return send(session, text, { name: command, args, source: "mcp" }, { withMentions: false, ...options });
        },
      }));
    },
  };
}

async function send(
  session: AgentSession,
  text: string,
  { name, args, source }: { readonly name: string; readonly args: string; readonly source: string },
  options: PromptOptions,
): Promise<CommandOutcome> {
  const { context, blocked, stop } = await session.haft.runHooks("UserPromptExpansion", {
    expansion_type: source === "mcp" ? "mcp_prompt" : "slash_command",
    ...{ command_name: name, command_args: args, command_source: source, prompt: text },
  });
  const refused = stop ?? blocked;
  if (refused !== undefined) return { text: `/${name} was not sent: ${refused}` };
  const whole = [text, ...context.map((words) => `[UserPromptExpansion hook]\n${words}`)].join("\n\n");
  return { end: await session.prompt(whole, { shownAs: `/${name} ${args}`.trimEnd(), ...options }) };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
