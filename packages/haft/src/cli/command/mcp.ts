import type { Command } from "../command.ts";
import { mcpServersCommand } from "./mcp-servers/dispatch.ts";

/** `haft mcp`: Haft as an MCP server; `haft mcp add|list|…`: the servers whose tools Haft uses. */
export const mcp: Command = async (args) => mcpServersCommand(args) ?? (await import("./mcp-serve.ts")).mcpServe(args);
