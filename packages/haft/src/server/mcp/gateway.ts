import { type Content, contentText } from "@haft/core/tool";
import type { ReadResourceResult } from "@modelcontextprotocol/server";
import type { Haft } from "../../app/haft.ts";
import type { McpContent } from "./content.ts";

type GatewayContent = Required<Pick<McpContent, "resources" | "templates" | "read">>;

/** The tool by which resources of servers are read: what its rules say holds for clients too. */
const READER = "ReadMcpResource";

/**
 * The resources of the configured servers, under the rules of the client: a server that may not be read from is not
 * listed, and each read is a call through the whole pipeline. A server that fails lists none; the others are not disturbed.
 */
export function gatewayContent({ mcp }: Pick<Haft, "mcp">): GatewayContent {
  async function lists<T>(haft: Haft, ask: (server: string) => Promise<readonly T[]>): Promise<T[]> {
    const ready = mcp.list().filter(({ state }) => state === "ready");
    const found = await Promise.allSettled(
      ready.map(async ({ server: { name } }) => {
        const { decision } = await haft.explain(READER, { server: name, uri: "any:" });
        const able = decision && decision.decision !== "deny";
        return able && (await clientOf(name)).getServerCapabilities()?.resources ? ask(name) : [];
      }),
    );
    return found.flatMap((list) => (list.status === "fulfilled" ? list.value : []));
  }
  const clientOf = async (server: string) => (await mcp.live(server)).client;
  const resourcesOf = async (server: string) => (await (await clientOf(server)).listResources()).resources;

  return {
    resources: (haft) => lists(haft, resourcesOf),
    templates: (haft) =>
      lists(haft, async (server) => (await (await clientOf(server)).listResourceTemplates()).resourceTemplates),
    async read(uri, { haft, call }) {
      const owners = await lists(haft, async (server) =>
        (await resourcesOf(server)).some((resource) => resource.uri === uri) ? [server] : [],
      );
      const [server] = owners;
      if (server === undefined) return undefined;
      const { content, error } = await call(READER, { server, uri });
      if (error) throw new Error(error.message);
      return { contents: content.map((block) => resourceContent(uri, block)) };
    },
  };
}

function resourceContent(uri: string, block: Content): ReadResourceResult["contents"][number] {
  if (block.type === "image" || block.type === "audio") return { uri, mimeType: block.mediaType, blob: block.data };
  const about = block.type === "resource" && block.mediaType !== undefined ? { mimeType: block.mediaType } : {};
  if (block.type === "resource" && block.blob !== undefined) return { uri, ...about, blob: block.blob };
  return { uri, ...about, text: contentText(block) };
}
