import { asTool, type Content, call, contentsText, counted, defineTool, fail, type Tool } from "@haft/core/tool";
import { fitted, hasPictures, resourceOf } from "./call/content.ts";
import type { ResourceEntry } from "./definition/resource.ts";
import { listRemoteResources } from "./definition/resource-list.ts";
import type { McpManager } from "./manager-options.ts";

interface ResourceToolParts {
  readonly manager: Pick<McpManager, "request" | "read">;
  /** Names of the servers that currently have resources. */
  withResources(): readonly string[];
}

/** One resource, as a list names it. */
interface Listed {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly mediaType?: string;
  readonly description?: string;
}

interface Listing {
  readonly resources: readonly Listed[];
  readonly problems: readonly string[];
}

/** Most resources in one answer, and the timeout in milliseconds for a server's list. */
const MOST_LISTED = 500;
const LIST_MS = 15_000;

/** Effects name requests to a server like its tools. */
const LIST = "resources/list";
const READ = "resources/read";
const listing = (server: string) => call(server, LIST, { change: false });

/** It only reveals that there are some, not which. */
const LEFT_OUT =
  "Resources of some servers are left out: rules forbid listing them, or the servers connected only just now.";

/** The two tools with which a model finds and reads resources of servers. They exist while some server has resources. */
export const resourceTools = (parts: ResourceToolParts): readonly Tool[] => [listTool(parts), readTool(parts)];

const whenSomeHave = (parts: ResourceToolParts) => () =>
  parts.withResources().length > 0 ? true : ({ absent: "no connected MCP server has resources" } as const);

function listTool(parts: ResourceToolParts): Tool {
  const ListMcpResources = defineTool({
    name: "ListMcpResources",
    aliases: ["ListMcpResourcesTool", "list_mcp_resources"],
    rules: { groups: ["mcp"] },
    title: "List MCP resources",
    description: "List the resources that connected MCP servers hold, of all servers or of one.",
    searchHint: "MCP resources documents data of servers",
    input: {
      type: "object",
      properties: { server: { type: "string", description: "List only the resources of this server." } },
      additionalProperties: false,
    },
    can: ["call"],
    when: whenSomeHave(parts),
    effects: (input, { forbids }) => {
      const named = fieldOf(input, "server");
      // Without a name it lists the servers that the call may use; a named server that is forbidden is refused.
      return named === undefined
        ? parts
            .withResources()
            .map(listing)
            .filter((effect) => !forbids(effect))
        : [listing(named)];
    },
    async run(input, { effects, signal }): Promise<Listing> {
      const known = parts.withResources();
      // Servers added after the decision on the call are not part of it.
      const granted = known.filter((server) =>
        effects.some((effect) => effect.do === "call" && effect.server === server),
      );
      const named = fieldOf(input, "server");
      const servers = named === undefined ? granted : [serverOf(parts, named)];
      const lists = await Promise.all(servers.map((server) => listOne(parts, server, signal)));
      const isPart = named === undefined && granted.length < known.length;
      return {
        resources: lists.flatMap(({ resources }) => resources).slice(0, MOST_LISTED),
        problems: [...lists.flatMap(({ problems }) => problems), ...(isPart ? [LEFT_OUT] : [])],
      };
    },
    toModel: listingContent,
  });
  return asTool(ListMcpResources as Tool);
}

function readTool(parts: ResourceToolParts): Tool {
  const ReadMcpResource = defineTool({
    name: "ReadMcpResource",
    aliases: ["ReadMcpResourceTool", "read_mcp_resource"],
    rules: { groups: ["mcp"] },
    title: "Read an MCP resource",
    description: "Read one resource of an MCP server by its URI, as ListMcpResources names it.",
    searchHint: "read MCP resource by URI",
    input: {
      type: "object",
      properties: {
        server: { type: "string", description: "The server that has it." },
        uri: { type: "string", description: "The URI of the resource." },
      },
      required: ["server", "uri"],
      additionalProperties: false,
    },
    can: ["call"],
    when: whenSomeHave(parts),
    effects: (input) => [call(fieldOf(input, "server") ?? "", READ, { change: false })],
    describe(input) {
      const [server, uri] = [fieldOf(input, "server"), fieldOf(input, "uri")];
      return server === undefined || uri === undefined
        ? {}
        : { title: `Read ${uri} of ${server}`, activity: `Reading ${uri} of ${server}` };
    },
    async run(input, ctx): Promise<readonly Content[]> {
      const server = serverOf(parts, fieldOf(input, "server") ?? "");
      const contents = await parts.manager.read(server, fieldOf(input, "uri") ?? "", ctx);
      const read = contents.map(resourceOf);
      return hasPictures(read) ? fitted(read) : read;
    },
    toModel: (contents) => contents,
    toDisplay: (contents) => ({ kind: "text", text: contentsText(contents) }),
  });

  return asTool(ReadMcpResource as Tool);
}

/** A server that has resources. The error does not list other servers: some may be hidden from the caller. */
function serverOf({ withResources }: ResourceToolParts, name: string): string {
  if (withResources().includes(name)) return name;
  return fail(
    "invalid_input",
    `No connected MCP server "${name}" has resources.`,
    "ListMcpResources without a server lists what the others have.",
  );
}

async function listOne({ manager }: ResourceToolParts, server: string, signal: AbortSignal): Promise<Listing> {
  const limits = { ms: LIST_MS, signal };
  try {
    const lists = await manager.request(server, signal, ({ client }) =>
      Promise.all([
        listRemoteResources(client, "resources", limits),
        // Many servers with resources do not know templates and answer with an error.
        listRemoteResources(client, "templates", limits).catch(() => ({ entries: [], leftOut: 0 })),
      ]),
    );
    const bad = lists.reduce((count, { leftOut }) => count + leftOut, 0);
    const problem = `${server}: ${counted(bad, "resource")} left out (broken, or with an address that cannot be shown)`;
    const resources = lists.flatMap(({ entries }) => entries.map((entry) => listed(server, entry)));
    return { resources, problems: bad > 0 ? [problem] : [] };
  } catch (thrown) {
    signal.throwIfAborted();
    return { resources: [], problems: [`${server}: ${thrown instanceof Error ? thrown.message : String(thrown)}`] };
  }
}

function listed(server: string, { uri, name, mimeType, description }: ResourceEntry): Listed {
  return {
    ...{ server, uri, name },
    ...(mimeType === undefined ? {} : { mediaType: mimeType }),
    ...(description === undefined ? {} : { description }),
  };
}

function listingContent({ resources, problems }: Listing): readonly Content[] {
  const lines = resources.map(({ server, uri, name, mediaType, description }) => {
    const about = [name, mediaType, description].filter((part) => part).join(", ");
    return `${server}: ${uri} (${about})`;
  });
  const text = [...(lines.length > 0 ? lines : ["There are no resources."]), ...problems].join("\n");
  return [{ type: "text", text }];
}

function fieldOf(input: unknown, field: string): string | undefined {
  const value = (input as Readonly<Record<string, unknown>> | undefined)?.[field];
  return typeof value === "string" ? value : undefined;
}
