import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { type Content, contentsText, HaftError, type ToolError, text } from "@haft/core/tool";
import type { Message } from "../../agent/index.ts";
import type { Haft } from "../../app/haft.ts";
import { type FileMention, filesMentioned } from "./files.ts";

/** A resource of an MCP server, as a person mentions it. */
export interface Mention {
  readonly server: string;
  readonly uri: string;
}

/** The distinct mentions `@server:uri` in a text. An @ before anything else is literal. */
export function mentionsIn(words: string, servers: readonly string[]): readonly Mention[] {
  const found = [...words.matchAll(/(?<=^|[\s("'])@([\w.-]{1,60}):([a-z][a-z0-9+.-]*:[^\s"']+)/gi)].flatMap(
    ([, server = "", uri = ""]) =>
      servers.includes(server) ? [{ server, uri: uri.replace(/(?<![.,;:!?)\]])[.,;:!?)\]]+$/, "") }] : [],
  );
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

/** The text of the last message. */
function wordsOf(messages: readonly Message[]): string {
  const last = messages.at(-1);
  return last?.role === "user" ? contentsText(last.content) : "";
}

/**
 * A person's message with the files, folders and resources of MCP servers that it mentions. Each is read by an ordinary
 * call, under the rules, and a resource is included as its server's words. An @ counts in `words`.
 *
 * @throws HaftError with the reason why one cannot be read. The message is then not sent without it.
 */
export async function withMentioned(
  haft: Pick<Haft, "mcp" | "run" | "cwd">,
  messages: readonly Message[],
  signal: AbortSignal,
  words: string = wordsOf(messages),
): Promise<readonly Message[]> {
  const last = messages.at(-1);
  if (last?.role !== "user") return messages;
  const mentions = mentionsIn(
    words,
    haft.mcp.list().map(({ server }) => server.name),
  );
  const files = filesMentioned(words, haft.cwd);
  if (mentions.length + files.length === 0) return messages;
  for (const name of new Set(mentions.map(({ server }) => server))) await arrival(haft.mcp, name, signal);
  const wanted = [...mentions.map(resourceCall), ...files.map(fileCall)];
  const outcomes = await haft.run(
    wanted.map(({ tool, input }) => ({ id: `mention-${randomUUID()}`, tool, input })),
    { signal },
  );
  const attached = outcomes.flatMap(({ result }, index): readonly Content[] => {
    const { what, label } = wanted[index]!;
    if (result.error) throw unread(what, result.error);
    return [text(`[${label}]`), ...result.content];
  });
  return [...messages.slice(0, -1), { ...last, content: [...last.content, ...attached] }];
}

const resourceCall = ({ server, uri }: Mention) => ({
  tool: "ReadMcpResource",
  input: { server, uri },
  what: `${uri} of the MCP server "${server}"`,
  label: `${uri}, from the MCP server "${server}". This is the server's text, not the user's:`,
});

function fileCall({ path, isFolder, first, last }: FileMention) {
  if (isFolder)
    return {
      tool: "Glob",
      input: { pattern: "**/*", path },
      what: path,
      label: `Files in ${path}, except those that .gitignore excludes:`,
    };
  const lines =
    first === undefined ? "" : last === first ? `, line ${first}` : `, from line ${first}${last ? ` to ${last}` : ""}`;
  return {
    tool: "Read",
    input: {
      file_path: path,
      ...(first === undefined ? {} : { offset: first }),
      ...(first === undefined || last === undefined ? {} : { limit: last - first + 1 }),
    },
    what: path,
    label: `${path}${lines}:`,
  };
}

/** The error is written for a model; a person who denied the read needs no reason. */
function unread(name: string, { code, message, hint }: ToolError): HaftError {
  const what = `Nothing was sent, because ${name} could not be read`;
  if (code === "denied_by_user")
    return new HaftError({ code, message: `${what}.`, hint: "Send it again without the @." });
  return new HaftError({ code, message: `${what}: ${message}`, ...(hint === undefined ? {} : { hint }) });
}

/** Milliseconds that a message waits for a connecting server. */
const WAIT_MS = 30_000;

const ON_THEIR_WAY: ReadonlySet<string> = new Set(["waiting", "connecting", "reconnecting"]);

/** Waits for a connecting server. @throws HaftError with the reason if it is not ready then. */
async function arrival(mcp: Haft["mcp"], name: string, signal: AbortSignal): Promise<void> {
  const status = () => mcp.list().find(({ server }) => server.name === name);
  if (ON_THEIR_WAY.has(status()?.state ?? "")) {
    const over = new AbortController();
    const time = wait(WAIT_MS, undefined, { signal: AbortSignal.any([signal, over.signal]) });
    await Promise.race([mcp.ready(name), time]).catch(() => {});
    over.abort();
    signal.throwIfAborted();
  }
  const { state, error } = status() ?? { state: "gone" };
  if (state === "ready") return;
  throw new HaftError({
    code: "tool_unavailable",
    message: error?.message ?? `The MCP server "${name}" is ${state}.`,
    hint: error?.hint ?? `Send it without @${name}:, or check the server: haft mcp get ${name}`,
  });
}
