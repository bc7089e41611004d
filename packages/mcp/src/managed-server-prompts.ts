import { nearest } from "@haft/core/schema";
import { HaftError } from "@haft/core/tool";
import type { Member } from "./managed-server.ts";
import type { McpManager } from "./manager-options.ts";
import { getPrompt, listPrompts, type PromptList, promptArguments, type RemotePrompt } from "./prompts.ts";
import { toolNameOf } from "./tool-name.ts";

/** The servers whose prompts are listed. */
interface PromptMembers {
  /** Those that are connected. */
  ready(): readonly Member[];
  /** @throws HaftError `mcp_error` when no server has this name. */
  named(name: string): Member;
}

/** The prompts of all connected servers, or of one. If a server does not answer, only its own prompts are missing. */
export function promptsOf(members: PromptMembers): Pick<McpManager, "prompts" | "prompt"> {
  async function promptsIn(asked: readonly Member[], signal: AbortSignal): Promise<PromptList> {
    const lists = await Promise.all(asked.map((member) => listOf(member, signal)));
    return { prompts: lists.flatMap((list) => list.prompts), problems: lists.flatMap(({ problems }) => problems) };
  }

  async function promptNamed(command: string, signal: AbortSignal): Promise<RemotePrompt> {
    const isLikely = ({ server }: Member): boolean => command.startsWith(toolNameOf(server.name, ""));
    // The command nearly always shows the server; slow answers of others must not delay it.
    const likely = (await promptsIn(members.ready().filter(isLikely), signal)).prompts;
    const found = likely.find((prompt) => prompt.command === command);
    if (found) return found;
    const all = (await promptsIn(members.ready(), signal)).prompts;
    const other = all.find((prompt) => prompt.command === command);
    if (other) return other;
    const commands = all.map((prompt) => prompt.command);
    const close = nearest(command, commands);
    throw new HaftError({
      code: "invalid_input",
      message: `No connected MCP server has a prompt /${command}.`,
      hint: close ? `Did you mean /${close}?` : `Prompts: ${commands.map((one) => `/${one}`).join(", ") || "none"}.`,
    });
  }

  return {
    prompts: (name) => promptsIn(name === undefined ? members.ready() : [members.named(name)], never()),
    async prompt(command, given = {}, signal = never()) {
      const prompt = await promptNamed(command, signal);
      const words = typeof given === "string" ? promptArguments(prompt, given) : given;
      return members.named(prompt.server).request(signal, ({ client }) => getPrompt(prompt, client, words, signal));
    },
  };
}

const never = (): AbortSignal => new AbortController().signal;

async function listOf(member: Member, signal: AbortSignal): Promise<PromptList> {
  const { name } = member.server;
  try {
    return await member.request(signal, ({ client }) => listPrompts(name, client, signal));
  } catch (thrown) {
    signal.throwIfAborted();
    return { prompts: [], problems: [`${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`] };
  }
}
