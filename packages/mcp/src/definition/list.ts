import type { McpServerSettings } from "@haft/core/policy";
import type { Client, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { type Definition, readDefinition } from "./definition.ts";

/** The tools of a server, and problems with some of them. */
export interface ToolList {
  readonly definitions: readonly Definition[];
  readonly problems: readonly string[];
}

/** Far more than any real server has; an endless list must not block us. */
const MOST_TOOLS = 20_000;
const MOST_PAGES = 1_000;

/** Most problems that are listed one by one. */
const TOLD = 50;

/** Timeout in milliseconds for one page. */
const PAGE_MS = 30_000;

/** All tools of a server, page by page. An unusable tool is left out and named. */
export async function listRemoteTools(client: Client, signal?: AbortSignal): Promise<ToolList> {
  // For a server without tools the SDK writes to standard output, which may carry another protocol.
  if (!client.getServerCapabilities()?.tools) return { definitions: [], problems: [] };
  const definitions = new Map<string, Definition>();
  const problems: string[] = [];
  const add = (candidate: unknown): void => {
    const read = readDefinition(candidate);
    if ("problem" in read) problems.push(`The tool "${read.name}" was left out. ${read.problem}`);
    else if (definitions.has(read.definition.name))
      problems.push(`The tool "${read.definition.name}" is listed twice; the second one was left out.`);
    else if (isUnreachable(client, read.definition))
      problems.push(`The tool "${read.definition.name}" was left out. It has an invalid x-mcp-header.`);
    else {
      definitions.set(read.definition.name, read.definition);
      if (read.repaired)
        problems.push(`The schema of the tool "${read.definition.name}" was repaired. ${read.repaired}`);
    }
  };
  const cursors = new Set<string>();
  for (let page = await listPage(client, undefined, signal), pages = 1; ; pages += 1) {
    for (const tool of page.tools) {
      if (definitions.size >= MOST_TOOLS) break;
      add(tool);
    }
    const { nextCursor } = page;
    if (nextCursor === undefined) break;
    if (cursors.has(nextCursor) || pages >= MOST_PAGES || definitions.size >= MOST_TOOLS) {
      problems.push(`The server's tool list does not end; the first ${definitions.size} were used.`);
      break;
    }
    cursors.add(nextCursor);
    page = await listPage(client, nextCursor, signal);
  }
  const untold = problems.length - TOLD;
  return {
    definitions: [...definitions.values()],
    problems: untold > 0 ? [...problems.slice(0, TOLD), `And ${untold} more.`] : problems,
  };
}

/**
 * The tools that the user wants of a server: `allowedTools`, less `disabledTools`. Reports a name without a match, because a server may
 * have renamed a tool that should be left out.
 */
export function chosenTools(
  { allowedTools, disabledTools }: Pick<McpServerSettings, "allowedTools" | "disabledTools">,
  { definitions, problems }: ToolList,
): ToolList {
  const known = new Set(definitions.map(({ name }) => name));
  const unknown = [...(allowedTools ?? []), ...(disabledTools ?? [])].filter((name) => !known.has(name));
  const allowed = allowedTools && new Set(allowedTools);
  const disabled = new Set(disabledTools);
  return {
    definitions: definitions.filter(({ name }) => (allowed?.has(name) ?? true) && !disabled.has(name)),
    problems: [
      ...problems,
      ...unknown.map((name) => `The settings name a tool "${name}", which the server does not have.`),
    ],
  };
}

interface Page {
  readonly tools: readonly unknown[];
  readonly nextCursor?: string;
}

/** The SDK's own schema rejects the whole list for one bad tool, so this schema reads the list. */
const pageSchema: StandardSchemaV1<unknown, Page> = {
  "~standard": {
    version: 1,
    vendor: "haft",
    validate(value) {
      const { tools, nextCursor } = (value ?? {}) as Readonly<Record<string, unknown>>;
      if (!Array.isArray(tools)) return { issues: [{ message: "the answer has no list of tools" }] };
      return { value: { tools, ...(typeof nextCursor === "string" ? { nextCursor } : {}) } };
    },
  },
};

const listPage = (client: Client, cursor: string | undefined, signal: AbortSignal | undefined): Promise<Page> =>
  client.request({ method: "tools/list", ...(cursor === undefined ? {} : { params: { cursor } }) }, pageSchema, {
    timeout: PAGE_MS,
    ...(signal ? { signal } : {}),
  });

/** Over HTTP a parameter may ask to be sent as a header too; a tool with an invalid request for that must not be called. */
function isUnreachable(client: Client, { inputSchema }: Definition): boolean {
  if (client.getProtocolEra() !== "modern" || (client.transport && "pid" in client.transport)) return false;
  return !headersAreValid(inputSchema);
}

/** The rules of the specification of 2026-07-28 for `x-mcp-header`. */
function headersAreValid(schema: unknown): boolean {
  const names = new Set<string>();
  const visit = (node: unknown, path: readonly string[]): boolean => {
    if (typeof node !== "object" || node === null) return true;
    const { "x-mcp-header": header, type, properties, ...rest } = node as Readonly<Record<string, unknown>>;
    if (header !== undefined) {
      const isOwn = path.length > 0 && path.every((key) => key !== "");
      const isToken = typeof header === "string" && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header);
      if (!isOwn || !isToken || !["string", "integer", "boolean"].includes(type as string)) return false;
      if (names.has(header.toLowerCase())) return false;
      names.add(header.toLowerCase());
    }
    const own = Object.entries((properties ?? {}) as Record<string, unknown>);
    return (
      own.every(([key, child]) => visit(child, [...path, key || "?"])) &&
      Object.values(rest).every((child) => visit(child, [...path, ""]))
    );
  };
  return visit(schema, []);
}
