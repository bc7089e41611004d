/** @module Haft in the Claude Agent SDK: its tools as an MCP server in the process, its rules as `canUseTool`. */
import type { Foreseen } from "@haft/core/adapter";
import type { Haft } from "../app/haft.ts";
import { createClientCalls } from "../server/mcp/client-calls.ts";
import { createServing } from "../server/mcp/serving.ts";

/** Options for `claudeAgentSdk`. */
export interface ClaudeAgentSdkOptions {
  /** The name of the MCP server, so that the model sees `mcp__haft__Read`. Default `haft`. */
  readonly name?: string;
  /**
   * Asks a person: about calls of Claude's own tools, and about those of Haft's if `createHaft` has no `ask` function.
   * Default: such calls are denied; those of Haft's wait for `haft.answer` with `ask: "host"`.
   */
  readonly ask?: (question: ClaudeQuestion) => boolean | Promise<boolean>;
}

/** A call that a person must be asked about. `tool` is Haft's name of its own tools. */
export interface ClaudeQuestion {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly reason: string;
}

/** The answer of `canUseTool`. */
type ClaudePermission =
  | { behavior: "allow"; updatedInput: Record<string, unknown> }
  | { behavior: "deny"; message: string };

/** An MCP server in the process. */
interface ClaudeMcpServer {
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
  // Approved calls of Haft's own tools that the server has not received yet, with the files that each would run.
  const approved = new Map<string, string>();
  const asksHere = ask !== undefined && haft.toolbox.host?.asks === true;
  const serving = createServing({
    ...{ haft, clientCalls: createClientCalls(), version: "0" },
    approval(tool, input) {
      const key = keyOf(tool, input);
      const files = approved.get(key);
      approved.delete(key);
      return files === undefined ? {} : { approved: "host", approvedFor: (now) => filesOf(now) === files };
    },
  });
  const prefix = `mcp__${name}__`;
  const instance = {
    connect: (transport: never) => serving.server(serving.client(name)).server.connect(transport),
    close: async () => {},
  };
  return {
    mcpServers: { [name]: { type: "sdk", name, instance: instance as never } },
    async canUseTool(wireName, input, { toolUseID: id = crypto.randomUUID() } = {}) {
      const allow = { behavior: "allow" as const, updatedInput: input };
      const isOwn = wireName.startsWith(prefix);
      // The server decides about its own tools, and asks itself if Haft has an asker.
      if (isOwn && !asksHere) return allow;
      const tool = isOwn ? wireName.slice(prefix.length) : wireName;
      const { decision, reason, contents } = await haft.toolbox.decide({ id, tool, input });
      if (decision === "allow" || (isOwn && decision === "deny")) return allow;
      if (decision === "deny" || !(await ask?.({ id, tool, input, reason })))
        return { behavior: "deny", message: reason };
      if (isOwn) approved.set(keyOf(tool, input), filesOf(contents));
      return allow;
    },
  };
}

const keyOf = (tool: string, input: unknown): string => JSON.stringify([tool, input]);

const filesOf = (contents: Foreseen["contents"]): string => JSON.stringify(contents ?? {});
