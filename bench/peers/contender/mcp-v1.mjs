// The high-level server of the MCP SDK on stdio, with the tools of the bench.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";
import { definitions } from "../../mcp/tools.mjs";

const server = new McpServer({ name: "sdk", version: "1" });
for (const { name, description } of definitions)
  server.registerTool(name, { description, inputSchema: { text: z.string().describe("The text.") } }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
await server.connect(new StdioServerTransport());
