/** @module Haft in the Claude Agent SDK: its tools as an MCP server in the process, its rules as `canUseTool`. */
import type { Haft } from "../app/haft.ts";
import { createClientCalls } from "../server/mcp/client-calls.ts";
import { createServing } from "../server/mcp/serving.ts";

/** Options for `claudeAgentSdk`. */
export interface ClaudeAgentSdkOptions {
  /** The name of the MCP server, so that the model sees `mcp__haft__Read`. Default `haft`. */
  readonly name?: string;
  /** Asks a person about a call of Claude's own tools. Default: such a call is denied. */
  readonly ask?: (question: ClaudeQuestion) => boolean | Promise<boolean>;
}

/** A call of one of Claude's own tools that the rules want to be asked about. */
export interface ClaudeQuestion {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly reason: string;
}

/** The answer of `canUseTool`. */
export type ClaudePermission =
  | { behavior: "allow"; updatedInput: Record<string, unknown> }
  | { behavior: "deny"; message: string };

/** An MCP server in the process. */
export interface ClaudeMcpServer {
  type: "sdk";
  name: string;
  /** The SDK connects it to the transport of its own. Its type is the class of an MCP SDK. */
  instance: never;
}

/** Options of the SDK's `query`. */
export interface ClaudeAgentSdkAdapter {
  mcpServers: Record<string, ClaudeMcpServer>;
  canUseTool(
    name: string,
    input: Record<string, unknown>,
    options?: { readonly toolUseID?: string },
  ): Promise<ClaudePermission>;
}

/**
 * Haft in the Claude Agent SDK: `query({ prompt, options: { ...claudeAgentSdk(haft) } })`. Calls of Haft's own tools go
 * through its whole pipeline. Calls of Claude's tools are decided by the same rules, and Claude runs them itself, so they
 * are neither confined nor undoable: set `tools: []` to leave them out.
 */
export function claudeAgentSdk(haft: Haft, { name = "haft", ask }: ClaudeAgentSdkOptions = {}): ClaudeAgentSdkAdapter {
  const serving = createServing({ haft, clientCalls: createClientCalls(), version: "0" });
  const instance = {
    connect: (transport: never) => serving.server(serving.client(name)).server.connect(transport),
    close: async () => {},
  };
  return {
    mcpServers: { [name]: { type: "sdk", name, instance: instance as never } },
    async canUseTool(tool, input, { toolUseID: id = crypto.randomUUID() } = {}) {
      const allow = { behavior: "allow" as const, updatedInput: input };
      // The server decides about its own tools, and asks.
      if (tool.startsWith(`mcp__${name}__`)) return allow;
      const { decision, reason } = await haft.toolbox.decide({ id, tool, input });
      if (decision === "allow") return allow;
      if (decision === "ask" && (await ask?.({ id, tool, input, reason }))) return allow;
      return { behavior: "deny", message: reason };
    },
  };
}
