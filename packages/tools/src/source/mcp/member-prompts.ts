import { nearest } from "@haft/core/schema";
import { HaftError } from "@haft/core/tool";
import type { McpManager } from "./contract.ts";
import type { Member } from "./member.ts";
import { getPrompt, listPrompts, promptArguments, type RemotePrompt } from "./prompts.ts";

/** The servers whose prompts are meant. */
export interface PromptMembers {
  /** Those that are connected. */
  ready(): readonly Member[];
  /** @throws HaftError `mcp_error` when there is none of this name. */
  named(name: string): Member;
}

/** The prompts of all connected servers, or of one. A server that does not answer costs its own only. */
export function promptsOf(members: PromptMembers): Pick<McpManager, "prompts" | "prompt"> {
  async function prompts(name?: string) {
    const asked = name === undefined ? members.ready() : [members.named(name)];
    const lists = await Promise.all(asked.map(listOf));
    return { prompts: lists.flatMap((list) => list.prompts), problems: lists.flatMap(({ problems }) => problems) };
  }

  async function promptNamed(command: string): Promise<RemotePrompt> {
    const all = (await prompts()).prompts;
    const found = all.find((prompt) => prompt.command === command);
    if (found) return found;
    const commands = all.map((prompt) => prompt.command);
    const close = nearest(command, commands);
    throw new HaftError({
      code: "invalid_input",
      message: `No connected MCP server has a prompt /${command}.`,
      hint: close ? `Did you mean /${close}?` : `Prompts: ${commands.map((one) => `/${one}`).join(", ") || "none"}.`,
    });
  }

  return {
    prompts,
    async prompt(command, given = {}) {
      const prompt = await promptNamed(command);
      const { client } = await members.named(prompt.server).live();
      return getPrompt(prompt, client, typeof given === "string" ? promptArguments(prompt, given) : given);
    },
  };
}

interface PromptList {
  readonly prompts: readonly RemotePrompt[];
  readonly problems: readonly string[];
}

async function listOf(member: Member): Promise<PromptList> {
  const { name } = member.server;
  const { signal } = new AbortController();
  try {
    return { prompts: await member.request(signal, ({ client }) => listPrompts(name, client)), problems: [] };
  } catch (thrown) {
    return { prompts: [], problems: [`${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`] };
  }
}
