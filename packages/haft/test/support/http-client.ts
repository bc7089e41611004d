import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ServedHaft } from "../../../../test/support/served-haft.ts";

export type Form = {
  message: string;
  requestedSchema: { properties: Record<string, { oneOf?: { const: string }[] }> };
};
export type FormAnswer = { action: "accept" | "decline" | "cancel"; content?: Record<string, string> };

export interface ClientChoice {
  readonly era?: "legacy" | "modern";
  readonly token?: string;
  /** The function that answers questions. Absent: the client says that it cannot. */
  readonly answer?: (form: Form) => FormAnswer | Promise<FormAnswer>;
  /** How it says that it can. Default: as older clients do, for forms. */
  readonly elicitation?: { readonly form?: Record<string, never>; readonly url?: Record<string, never> };
}

/** A real client of a served Haft. */
export async function httpClient(
  served: Pick<ServedHaft, "url" | "token">,
  choice: ClientChoice = {},
): Promise<Client> {
  const { era = "legacy", token = served.token, answer, elicitation = {} } = choice;
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities: answer ? { elicitation } : {},
      ...(era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {}),
    },
  );
  if (answer) client.setRequestHandler("elicitation/create", async ({ params }) => answer(params as unknown as Form));
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url), { requestInit: { headers } }));
  return client;
}

export const textOf = (result: unknown): string =>
  (result as { content: { text?: string }[] }).content.map(({ text }) => text ?? "").join("\n");

/** One request as bytes on the wire, for what a well-behaved client would not send. */
export async function post(served: ServedHaft, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(served.url, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${served.token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

export const initialize = (capabilities: object = {}): object => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "raw", version: "1" } },
});

/** A call in the newer protocol, as it stands on the wire. */
export function modernCall(name: string, args: object, more: object = {}, capabilities: object = { elicitation: {} }) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  return {
    body: { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name, arguments: args, _meta, ...more } },
    headers: { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name },
  };
}
