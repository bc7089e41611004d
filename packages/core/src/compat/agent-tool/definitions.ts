import { createRedactor } from "../../policy/index.ts";
import { toJson, toToolError } from "../../tool/index.ts";
import type { AgentToolResult, AnyAgentTool, ToolDefinition } from "./types.ts";

/** A value as a result: JSON for the model, the value itself as details. */
export const jsonResult = <T>(payload: T): AgentToolResult<T> => ({
  content: [{ type: "text", text: toJson(payload) }],
  details: payload,
});

/** What a failed tool says in this shape. */
export const errorResult = (
  tool: string,
  thrown: unknown,
): AgentToolResult<{ status: "error"; tool: string; error: string }> =>
  jsonResult({ status: "error", tool, error: toToolError(thrown).message });

/**
 * Tools as a loop of this shape takes them. A failure becomes a result that says so and is marked as one; an abort is
 * thrown on. `logError` hears of each failure once; secrets of a known shape are taken out of it.
 */
export const toToolDefinitions = (
  tools: readonly AnyAgentTool[],
  logError: (message: string) => void = () => {},
): ToolDefinition[] => {
  const redact = createRedactor();
  return tools.map((tool) => ({
    name: tool.name,
    label: tool.label ?? tool.name,
    description: tool.description,
    parameters: tool.parameters,
    async execute(toolCallId, params, onUpdate, _ctx, signal) {
      try {
        return await tool.execute(toolCallId, params, signal, onUpdate);
      } catch (thrown) {
        if (signal?.aborted) throw thrown;
        logError(redact(`[tools] ${tool.name} failed: ${toToolError(thrown).message}`));
        return { ...errorResult(tool.name, thrown), isError: true };
      }
    },
  }));
};
