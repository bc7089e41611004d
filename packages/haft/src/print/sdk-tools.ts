import { randomUUID } from "node:crypto";
import { toSchema } from "@haft/core/schema";
import { type Content, effects, fail, type Tool } from "@haft/core/tool";
import { contentDisplay } from "@haft/mcp";

type Json = Readonly<Record<string, unknown>>;

/** Sends a message of MCP to a server inside the host, and returns its result. */
export type CallServer = (server: string, message: Json, signal?: AbortSignal) => Promise<Json>;

/** Reads the tool lists of servers that live in the host, and makes their tools callable here. */
export async function hostTools(servers: readonly string[], manifests: Json, call: CallServer): Promise<Tool[]> {
  const lists = await Promise.all(
    servers.map(async (server) => {
      const { toolsListResult } = (manifests[server] ?? {}) as { readonly toolsListResult?: Json };
      const listed = toolsListResult ?? (await firstList(server, call));
      const tools = Array.isArray(listed.tools) ? (listed.tools as readonly Json[]) : [];
      return tools.map((tool) => hostTool(server, tool, call));
    }),
  );
  return lists.flat();
}

/** A server of the host begins as any other: it is greeted, and then asked for its tools. */
async function firstList(server: string, call: CallServer): Promise<Json> {
  const clientInfo = { name: "haft", version: "0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  await call(server, { jsonrpc: "2.0", id: 0, method: "initialize", params });
  await call(server, { jsonrpc: "2.0", method: "notifications/initialized" });
  return call(server, { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
}

function hostTool(server: string, { name, description, inputSchema, annotations }: Json, call: CallServer): Tool {
  const own = String(name);
  const isReader = (annotations as Json | undefined)?.readOnlyHint === true;
  return {
    name: `mcp__${server}__${own}`,
    description: typeof description === "string" ? description : "",
    input: toSchema<Json>((inputSchema ?? { type: "object" }) as Json, `the tool ${own}`),
    can: ["call"],
    effects: () => [effects.call(server, own, { change: !isReader })],
    async run(input, { signal }) {
      const params = { name: own, arguments: input };
      const result = await call(server, { jsonrpc: "2.0", id: randomUUID(), method: "tools/call", params }, signal);
      const content = contentOf(result.content);
      if (result.isError === true) fail("execution_failed", textOf(content) || `${own} failed.`);
      return { content };
    },
    toModel: (output) => (output as { readonly content: readonly Content[] }).content,
    toDisplay: (output) => contentDisplay((output as { readonly content: readonly Content[] }).content, own),
  };
}

const textOf = (content: readonly Content[]): string =>
  content.flatMap((one) => (one.type === "text" ? [one.text] : [])).join("\n");

function contentOf(list: unknown): Content[] {
  return (Array.isArray(list) ? (list as readonly Json[]) : []).flatMap((one): Content[] => {
    if (one.type === "text") return [{ type: "text", text: String(one.text) }];
    if (one.type === "image") return [{ type: "image", data: String(one.data), mediaType: String(one.mimeType) }];
    return [{ type: "text", text: JSON.stringify(one) }];
  });
}
