import { type Content, counted, HaftError } from "@haft/core/tool";
import { haftErrorIn, rootOf } from "@haft/host/net";
import type { Client } from "@modelcontextprotocol/client";
import { contentOf } from "./call/content.ts";
import { type Icon, iconsOf } from "./definition/icons.ts";
import { listPages, textOf } from "./definition/pages.ts";
import { cappedText } from "./definition/plain-text.ts";
import { toolNameOf } from "./tool-name.ts";
import { inShort } from "./transport/in-short.ts";

/** A server's prompt for people: a command that they type. */
export interface RemotePrompt {
  /** The text after the slash: `mcp__server__prompt`. */
  readonly command: string;
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly { readonly name: string; readonly description?: string; readonly required: boolean }[];
  readonly icons?: readonly Icon[];
}

/** A prompt with its arguments filled in: untrusted text that a person asked for. */
export interface PromptText {
  readonly server: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: Content }[];
}

/** Most prompts accepted from one server, and the timeout in milliseconds for its answer. */
const MOST_PROMPTS = 1_000;
const PROMPT_MS = 30_000;

/** The prompts of a server. */
export interface PromptList {
  readonly prompts: readonly RemotePrompt[];
  readonly problems: readonly string[];
}

/** The prompts of a server. Unusable ones are left out and reported. */
export async function listPrompts(server: string, client: Client, signal: AbortSignal): Promise<PromptList> {
  if (!client.getServerCapabilities()?.prompts) return { prompts: [], problems: [] };
  const listed = (await listPages(client, "prompts/list", "prompts", { ms: PROMPT_MS, signal })).slice(0, MOST_PROMPTS);
  const prompts = listed.flatMap((one) => promptIn(server, one) ?? []);
  const bad = listed.length - prompts.length;
  return { prompts, problems: bad > 0 ? [`${server}: ${counted(bad, "prompt")} left out, broken`] : [] };
}

function promptIn(server: string, listed: unknown): RemotePrompt | undefined {
  const { name, icons: given, ...about } = (listed ?? {}) as Readonly<Record<string, unknown>>;
  const fields = Array.isArray(about.arguments) ? about.arguments.map(fieldIn) : [];
  if (typeof name !== "string" || name === "" || fields.includes(undefined)) return undefined;
  const [title, description, icons] = [textOf(about.title), textOf(about.description), iconsOf(given)];
  return {
    command: toolNameOf(server, name),
    server,
    name,
    ...(title === undefined ? {} : { title: cappedText(title, 120) }),
    ...(description === undefined ? {} : { description: cappedText(description, 500) }),
    arguments: fields.filter((field) => field !== undefined),
    ...(icons.length > 0 ? { icons } : {}),
  };
}

function fieldIn(listed: unknown): RemotePrompt["arguments"][number] | undefined {
  const { name, description, required } = (listed ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || name === "") return undefined;
  const about = textOf(description);
  return { name, ...(about === undefined ? {} : { description: cappedText(about, 200) }), required: required === true };
}

/**
 * Makes a server fill in a prompt.
 *
 * @throws HaftError `invalid_input` for a missing or unknown argument; `mcp_error` when the server refuses.
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
        ...unknown.map((key) => `/${command} has no argument ${key}.`),
      ].join(" "),
      hint: `Its arguments: ${prompt.arguments.map((one) => one.name).join(", ") || "none"}.`,
    });
  try {
    const { messages } = await client.getPrompt({ name, arguments: { ...given } }, { timeout: PROMPT_MS, signal });
    return { server, messages: messages.map(({ role, content }) => ({ role, content: contentOf(content) })) };
  } catch (thrown) {
    signal.throwIfAborted();
    // A required login is more useful than "no prompt", and the caller may perform it.
    const own = haftErrorIn(thrown);
    if (own) throw own;
    const message = `The MCP server "${server}" returned no /${command}: ${inShort(rootOf(thrown))}`;
    throw new HaftError({ code: "mcp_error", message }, { cause: thrown });
  }
}

/**
 * Parses the words after a command as its arguments: `key=value` by name, other words in the order of the arguments, several quoted words
 * as one; the last argument takes the rest.
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
    // An extra word becomes an unknown argument, so it is refused and not lost.
    given[next ?? word] = next === undefined ? "" : word;
    rest = rest.slice(typed.length).trimStart();
  }
  return given;
}
