import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";

/** Servers that answer with recorded tool lists, each at an address of its own. */
export interface RecordedServers extends AsyncDisposable {
  /** As settings name servers. */
  readonly mcpServers: Readonly<Record<string, { readonly type: "http"; readonly url: string }>>;
  readonly tools: number;
}

interface Recorded {
  readonly server: object;
  readonly capabilities: object;
  readonly tools: readonly object[];
}

/** `folder` holds one JSON file a server: `{server, capabilities, tools}`. */
export async function recordedServers(folder: string): Promise<RecordedServers> {
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  const servers = new Map(
    files.map((file) => [
      `/${basename(file, ".json")}`,
      JSON.parse(readFileSync(join(folder, file), "utf8")) as Recorded,
    ]),
  );
  const http = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body || "{}");
    const recorded = servers.get(request.url ?? "");
    if (id === undefined || !recorded) return void response.writeHead(request.method === "POST" ? 202 : 405).end();
    const { server: serverInfo, capabilities, tools } = recorded;
    const answers: Record<string, object> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        serverInfo,
        capabilities: { ...capabilities, tools: {} },
      },
      "tools/list": { tools },
    };
    const result = answers[method];
    const error = { code: -32601, message: "Method not found" };
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  const { port } = http.address() as AddressInfo;
  const entry = (path: string) => [path.slice(1), { type: "http", url: `http://127.0.0.1:${port}${path}` }] as const;
  return {
    mcpServers: Object.fromEntries([...servers.keys()].map(entry)),
    tools: [...servers.values()].reduce((sum, { tools }) => sum + tools.length, 0),
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}
