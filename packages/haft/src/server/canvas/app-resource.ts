import { fail } from "@haft/core/tool";
import { z } from "zod";
import type { AgentSession } from "../../session/index.ts";
import type { PageDomains } from "./canvas-state.ts";
import { namable } from "./frame.ts";

const domains = z.array(z.string().max(300)).max(50).optional();
const meta = z.object({
  ui: z
    .object({
      csp: z
        .object({ connectDomains: domains, resourceDomains: domains, frameDomains: domains, baseUriDomains: domains })
        .optional(),
    })
    .optional(),
});

const MOST_CHARS = 4 * 1024 * 1024;

/** Reads a user interface of an MCP server, and the domains that it says it needs. */
export async function readApp(
  { haft }: AgentSession,
  server: string,
  uri: string,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly domains: PageDomains }> {
  if (!haft.mcp.list().some((one) => one.server.name === server))
    fail("tool_unavailable", `There is no MCP server "${server}".`, "ListMcpResources names the servers.");
  const contents = await haft.mcp.resource(server, uri, signal);
  const content = contents.find((one) => one.uri === uri) ?? contents[0];
  if (!content || !/^text\/html\b/i.test(content.mimeType ?? ""))
    return fail(
      "mcp_error",
      `${uri} is ${content?.mimeType ?? "empty"}, not a user interface.`,
      "ReadMcpResource reads other resources.",
    );
  const text = content.text ?? Buffer.from(content.blob ?? "", "base64").toString("utf8");
  if (text.length > MOST_CHARS) fail("limit_reached", `${uri} is larger than 4 MB.`, "Go on without it.");
  const read = meta.safeParse(content._meta ?? {});
  if (!read.success) fail("mcp_error", `The metadata of ${uri} is invalid.`, "Tell the user.");
  const csp = (read.data?.ui?.csp ?? {}) as Readonly<Record<string, string[] | undefined>>;
  return { text, domains: namable(Object.fromEntries(Object.entries(csp).filter(([, list]) => list !== undefined))) };
}
