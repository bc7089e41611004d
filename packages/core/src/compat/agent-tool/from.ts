import {
  type Content,
  contentsText,
  defineTool,
  HaftError,
  type Tool as HaftTool,
  type ToolDefinition,
  text,
  toToolError,
  unknown,
} from "../../tool/index.ts";
import type { Trust } from "../claims.ts";
import { errorResult } from "./definitions.ts";
import type { AgentTool, AgentToolResult } from "./types.ts";

/**
 * Converts a tool of this shape to one of ours. The shape does not declare effects, so a call asks as `unknown` unless
 * `more` declares them; with `trust: true` declared reads of the workspace do not ask. An exception becomes the error of the call, with this shape's own text for the model.
 */
export function fromAgentTool<TParams, TResult>(
  tool: AgentTool<TParams, TResult>,
  {
    trust,
    ...more
  }: Pick<Partial<ToolDefinition<AgentTool["parameters"], AgentToolResult<TResult>>>, "effects" | "can"> & Trust = {},
): HaftTool<unknown, AgentToolResult<TResult>> {
  const { name, label, description, parameters } = tool;
  type Params = Parameters<typeof tool.execute>[1];
  return defineTool<typeof parameters, AgentToolResult<TResult>>({
    name,
    description,
    input: parameters,
    can: ["unknown"],
    effects: () => [unknown(`${name} does not declare its effects`)],
    ...(trust ? { autoExecute: true } : {}),
    ...more,
    ...(label === undefined ? {} : { title: label }),
    async run(params, { call, signal, progress }) {
      const onUpdate = ({ content }: AgentToolResult): void =>
        progress({ display: { kind: "text", text: contentsText(content.map(toContent)) } });
      try {
        return await tool.execute(call.id, params as Params, signal, onUpdate);
      } catch (thrown) {
        // The signal's own reason is not a failure of the tool: the call was cancelled or timed out.
        if (signal.aborted) throw thrown;
        throw new HaftError(toToolError(thrown), { output: errorResult(name, thrown), cause: thrown });
      }
    },
    toModel: ({ content }) => content.map(toContent),
  });
}

const toContent = (block: AgentToolResult["content"][number]): Content =>
  block.type === "text" ? text(block.text) : { type: "image", data: block.data, mediaType: block.mimeType };
