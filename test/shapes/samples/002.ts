import { readFile } from "node:fs/promises";
import {
  type AgentTool,
  type AnyAgentTool,
  isToolAllowedByPolicy,
  jsonResult,
  type ToolDefinition,
  type ToolPolicy,
  toClientToolDefinitions,
  toToolDefinitions,
} from "@haft/core/compat/agent-tool";
import { type Static, Type } from "typebox";

const ReadToolSchema = Type.Object({
  file_path: Type.String({ description: "The path of the file" }),
  offset: Type.Optional(Type.Number()),
  limit: Type.Optional(Type.Number()),
});
type ReadParams = Static<typeof ReadToolSchema>;
interface ReadResult {
  path: string;
  lines: number;
}

export function createReadOneTool(): AgentTool<ReadParams, ReadResult> {
  return {
    name: "read_one_file",
    description: "Reads a file",
    parameters: ReadToolSchema,
    async execute(_toolCallId, params, signal) {
      const content = await readFile(params.file_path, { encoding: "utf-8", ...(signal ? { signal } : {}) });
      return {
        content: [{ type: "text", text: content }],
        details: { path: params.file_path, lines: content.split("\n").length },
      };
    },
  };
}

const tools: AnyAgentTool[] = [createReadOneTool()];
export const definitions: ToolDefinition[] = toToolDefinitions(tools);
export const clientDefinitions = toClientToolDefinitions([
  { function: { name: "locate", description: "Where the phone is.", parameters: { type: "object" } } },
]);

const policy: ToolPolicy = { allow: ["group:fs", "group:runtime"], deny: ["exec"] };
export const allowed = ["read", "exec", "web_fetch"].map((name) => isToolAllowedByPolicy(name, policy));

export const myTool = {
  name: "my_tool",
  description: "Custom tool",
  parameters: Type.Object({ input: Type.String() }),
  async execute(_toolCallId: string, _params: { input: string }) {
    return jsonResult({ result: "ok" });
  },
};
