import { createRedactor } from "../../policy/index.ts";
import { toJson, toToolError } from "../../tool/index.ts";
import type { AgentToolResult, AnyAgentTool, ClientToolDefinition, ToolDefinition } from "./types.ts";

/** A value as a result: JSON for the model, the value itself as details. */
export const jsonResult = <T>(payload: T): AgentToolResult<T> => ({
  content: [{ type: "text", text: toJson(payload) }],
  details: payload,
});

/** The result of a failed tool in this shape. */
export const errorResult = (
  tool: string,
  thrown: unknown,
): AgentToolResult<{ status: "error"; tool: string; error: string }> =>
  jsonResult({ status: "error", tool, error: toToolError(thrown).message });

/**
 * Tools in the form that a loop of this shape takes. A failure becomes a result marked as an error; an abort is
 * rethrown. `logError` is called once for each failure, without secrets of a known format.
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

/** Tools of the client in the same form. A call ends at once as `pending`; the client runs it and reports the result. */
export const toClientToolDefinitions = (tools: readonly ClientToolDefinition[]): ToolDefinition[] =>
  tools.map(({ function: { name, description = "", parameters = { type: "object" } } }) => ({
    ...{ name, label: name, description, parameters },
    execute: async () =>
      jsonResult({ status: "pending", tool: name, message: "The client runs this call and reports its result." }),
  }));
