import { type Content, HaftError } from "@haft/core/tool";
import type { Client } from "@modelcontextprotocol/client";
import { contentOf } from "./call/content.ts";
import { type Icon, iconsOf } from "./definition/icons.ts";
import { cappedText } from "./definition/plain-text.ts";
import { toolNameOf } from "./tool-name.ts";

/** A prompt that a server keeps ready for people: a command that they type. */
export interface RemotePrompt {
  /** What is typed behind the slash: `mcp__server__prompt`. */
  readonly command: string;
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly { readonly name: string; readonly description?: string; readonly required: boolean }[];
  readonly icons?: readonly Icon[];
}

/** A prompt with its arguments filled in: a stranger's text, which a person has asked for. */
export interface PromptText {
  readonly server: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: Content }[];
}

/** Prompts that are taken of one server, and milliseconds for its answer. */
const MOST_PROMPTS = 1_000;
const PROMPT_MS = 30_000;

/** The prompts of a server. */
export async function listPrompts(
  server: string,
  client: Client,
  signal: AbortSignal,
): Promise<readonly RemotePrompt[]> {
  if (!client.getServerCapabilities()?.prompts) return [];
  const { prompts } = await client.listPrompts(undefined, { timeout: PROMPT_MS, signal, cacheMode: "bypass" });
  return prompts.slice(0, MOST_PROMPTS).map((prompt): RemotePrompt => {
    const { name, title, description } = prompt;
    const icons = iconsOf(prompt.icons);
    return {
      command: toolNameOf(server, name),
      server,
      name,
      ...(title === undefined ? {} : { title: cappedText(title, 120) }),
      ...(description === undefined ? {} : { description: cappedText(description, 500) }),
      arguments: (prompt.arguments ?? []).map(({ name: field, description: about, required }) => ({
        name: field,
        ...(about === undefined ? {} : { description: cappedText(about, 200) }),
        required: required === true,
      })),
      ...(icons.length > 0 ? { icons } : {}),
    };
  });
}

/**
 * Has a server fill a prompt in.
 *
 * @throws HaftError `invalid_input` for an argument that is missing or not known; `mcp_error` when the server refuses.
 */
export async function getPrompt(
  prompt: RemotePrompt,
  client: Client,
  given: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<PromptText> {
  const { server, name, command } = prompt;
  const missing = prompt.arguments.filter((one) => one.required && given[one.name] === undefined);
  const unknown = Object.keys(given).filter((key) => !prompt.arguments.some((one) => one.name === key));
  if (missing.length > 0 || unknown.length > 0)
    throw new HaftError({
      code: "invalid_input",
      message: [
        ...missing.map(
          (one) => `/${command} needs ${one.name}${one.description ? `: ${one.description.replace(/\.$/, "")}` : ""}.`,
        ),
        ...unknown.map((key) => `/${command} knows no ${key}.`),
      ].join(" "),
      hint: `Its arguments: ${prompt.arguments.map((one) => one.name).join(", ") || "none"}.`,
    });
  try {
    const { messages } = await client.getPrompt({ name, arguments: { ...given } }, { timeout: PROMPT_MS, signal });
    return { server, messages: messages.map(({ role, content }) => ({ role, content: contentOf(content) })) };
  } catch (thrown) {
    signal.throwIfAborted();
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new HaftError({ code: "mcp_error", message: `The MCP server "${server}" gave no /${command}: ${why}` });
  }
}

/**
 * Words behind a command as its arguments: `key=value` by name, other words in the order of the arguments, several in
 * quotes as one; the last argument takes what is left.
 */
export function promptArguments(prompt: RemotePrompt, text: string): Readonly<Record<string, string>> {
  const names = prompt.arguments.map(({ name }) => name);
  const given: Record<string, string> = {};
  let rest = text.trim();
  while (rest !== "") {
    const [, key, value] = /^([^\s=]+)=("[^"]*"|\S*)/.exec(rest) ?? [];
    if (key !== undefined && value !== undefined && names.includes(key)) {
      given[key] = value.replace(/^"(.*)"$/s, "$1");
      rest = rest.slice(key.length + 1 + value.length).trimStart();
      continue;
    }
    const open = names.filter((name) => given[name] === undefined);
    const [typed = ""] = open.length === 1 ? [rest] : (/^"[^"]*"(?=\s|$)|^\S+/.exec(rest) ?? []);
    const word = typed.replace(/^"([^"]*)"$/, "$1");
    const [next] = open;
    // A word too many becomes an argument that nobody knows: it is refused and not lost.
    given[next ?? word] = next === undefined ? "" : word;
    rest = rest.slice(typed.length).trimStart();
  }
  return given;
}
