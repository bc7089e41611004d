import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

const TASKS = "io.modelcontextprotocol/tasks";

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params: {
    readonly name?: string;
    readonly taskId?: string;
    readonly inputResponses?: object;
    readonly _meta?: Readonly<Record<string, { readonly extensions?: object }>>;
  };
}

/** A server of 2026-07-28 that answers calls with tasks. Written by hand: the SDK's own server makes none. */
export async function taskServer() {
  const heard: string[] = [];
  const answers: object[] = [];
  let calls = 0;
  let looks = 0;
  /** How the next looks at a task fail: the connection breaks, or the status says so. */
  const faults: ("break" | number)[] = [];
  const cancelled = new Set<string>();

  const at = "2026-11-20T10:00:00Z";
  const task = (taskId: string, status: string, more: object = {}) => ({
    ...{ taskId, status, createdAt: at, lastUpdatedAt: at, ttlMs: 60_000, pollIntervalMs: 50 },
    ...more,
  });
  const question = {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: "Which size?",
      requestedSchema: { type: "object", properties: { size: { type: "string", enum: ["S", "M"] } } },
    },
  };

  function stateOf(taskId: string): object {
    looks += 1;
    const said = (text: string) => ({ result: { content: [{ type: "text", text }] } });
    if (cancelled.has(taskId)) return task(taskId, "cancelled");
    if (taskId.startsWith("fail"))
      return task(taskId, "failed", { error: { code: -32000, message: "the oven broke" } });
    if (taskId.startsWith("drop")) return task(taskId, "cancelled", { statusMessage: "out of time" });
    if (taskId.startsWith("ask") && answers.length === 0)
      return task(taskId, "input_required", { inputRequests: { size: question } });
    if (taskId.startsWith("ask")) return task(taskId, "completed", said(JSON.stringify(answers)));
    if (taskId.startsWith("odd")) return task(taskId, "completed", { result: { content: [{ type: "text" }] } });
    if (taskId.startsWith("bare") && looks < 3)
      return task(taskId, "working", { statusMessage: null, pollIntervalMs: "5s", inputRequests: null });
    if (taskId.startsWith("endless") || looks < 3) return task(taskId, "working", { statusMessage: `look ${looks}` });
    return task(taskId, "completed", said(`done after ${calls} call`));
  }

  function resultOf({ method, params }: Request): object | undefined {
    if (method === "server/discover")
      return {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {}, extensions: { [TASKS]: {} } },
        serverInfo: { name: "tasks", version: "1.0.0" },
        ttlMs: 0,
        cacheScope: "private",
      };
    if (method === "tools/list")
      return {
        tools: ["quick", "slow", "ask", "fail", "drop", "endless", "odd", "bare"].map((name) => ({
          name,
          inputSchema: { type: "object" },
        })),
        ttlMs: 0,
        cacheScope: "private",
      };
    if (method === "tools/call") {
      const name = params.name ?? "";
      const may = params._meta?.["io.modelcontextprotocol/clientCapabilities"]?.extensions ?? {};
      if (name === "quick" || !Object.hasOwn(may, TASKS)) return { content: [{ type: "text", text: "at once" }] };
      calls += 1;
      return { resultType: "task", ...task(`${name}-${calls}`, "working") };
    }
    if (method === "tasks/get") return stateOf(params.taskId ?? "");
    if (method === "tasks/update") answers.push(params.inputResponses ?? {});
    if (method === "tasks/cancel") cancelled.add(params.taskId ?? "");
    return method.startsWith("tasks/") ? {} : undefined;
  }

  const server = createServer(async (incoming, response) => {
    const body = incoming.method === "POST" ? ((await json(incoming)) as Request) : undefined;
    if (!body) return void response.writeHead(405).end();
    heard.push(body.method);
    if (body.id === undefined) return void response.writeHead(202).end();
    const fault = body.method === "tasks/get" ? faults.shift() : undefined;
    if (fault === "break") return void incoming.socket.destroy();
    if (fault !== undefined) return void response.writeHead(fault).end();
    const result = resultOf(body);
    const error = { code: -32601, message: `no method ${body.method}` };
    const message = {
      jsonrpc: "2.0",
      id: body.id,
      ...(result ? { result: { resultType: "complete", ...result } } : { error }),
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    heard,
    faults,
    cancelled,
    calls: () => calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function json(incoming: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of incoming) text += chunk;
  return JSON.parse(text);
}
