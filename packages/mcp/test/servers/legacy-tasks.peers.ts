import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

/** A server of 2025-11-25 with a tool that may run as a task, over HTTP and on the SDK of that time. */
export async function legacyTaskServer() {
  const heard: string[] = [];
  const server = new McpServer(
    { name: "legacy-tasks", version: "1.0.0" },
    { capabilities: { tasks: { requests: { tools: { call: {} } }, cancel: {} } }, taskStore: new InMemoryTaskStore() },
  );
  server.experimental.tasks.registerToolTask(
    "bake",
    { description: "Bake something.", execution: { taskSupport: "optional" } },
    {
      async createTask({ taskStore }) {
        const task = await taskStore.createTask({ ttl: 60_000, pollInterval: 100 });
        const content = [{ type: "text" as const, text: "baked" }];
        setTimeout(() => void taskStore.storeTaskResult(task.taskId, "completed", { content }), 250);
        return { task };
      },
      getTask: ({ taskId, taskStore }) => taskStore.getTask(taskId),
      getTaskResult: async ({ taskId, taskStore }) => (await taskStore.getTaskResult(taskId)) as { content: [] },
    },
  );
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  // The types of that SDK are of a laxer make.
  await server.connect(transport as Transport);
  const http = createServer(async (incoming, response) => {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    const { method } = (body ?? {}) as { readonly method?: string };
    if (method !== undefined) heard.push(method);
    await transport.handleRequest(incoming, response, body);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    heard,
    async [Symbol.asyncDispose]() {
      await server.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
