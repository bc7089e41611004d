import type { Toolbox } from "../../adapter/index.ts";
import { contentText, errorText, fail, type Result } from "../../tool/index.ts";
import type { AgentTool, AgentToolResult } from "./types.ts";

/** The base of the tool factories: a Haft for one folder, with its rules. */
export type CodingToolbox = Pick<Toolbox, "offer" | "open">;

/**
 * Converts one of Haft's tools to this shape. A call goes through the whole pipeline; a refusal or a failure is thrown,
 * as this shape requires.
 *
 * @throws HaftError `unknown_tool` when it is not offered.
 */
export function toAgentTool(toolbox: CodingToolbox, name: string, as = name): AgentTool {
  const offered = toolbox.offer().tools.find((one) => one.name === name);
  if (!offered) return fail("unknown_tool", `There is no tool "${name}" here.`, "Look at what is offered.");
  return {
    name: as,
    label: offered.title ?? as,
    description: offered.description,
    parameters: offered.input,
    async execute(toolCallId, input, signal): Promise<AgentToolResult> {
      const batch = toolbox.open(signal ? { signal } : {});
      const added = batch.add({ id: toolCallId, tool: name, input });
      const [{ result }] = await Promise.all([added, batch.end()]);
      if (result.error) throw new Error(errorText(result.error));
      return toAgentToolResult(result);
    },
  };
}

/** Converts a result to this shape. */
export const toAgentToolResult = ({ content, output }: Result): AgentToolResult => ({
  content: content.map((block) =>
    block.type === "image"
      ? { type: "image", data: block.data, mimeType: block.mediaType }
      : { type: "text", text: contentText(block) },
  ),
  details: output,
});

/** `read`: a file, page by page. */
export const createReadTool = (toolbox: CodingToolbox): AgentTool => toAgentTool(toolbox, "Read", "read");
/** `write`: a whole file. */
export const createWriteTool = (toolbox: CodingToolbox): AgentTool => toAgentTool(toolbox, "Write", "write");
/** `edit`: a part of a file. */
export const createEditTool = (toolbox: CodingToolbox): AgentTool => toAgentTool(toolbox, "Edit", "edit");
/** `exec`: a command. */
export const createExecTool = (toolbox: CodingToolbox): AgentTool => toAgentTool(toolbox, "Bash", "exec");

/** The coding tools of one folder. Each call makes new ones: two toolboxes share nothing. */
export const createCodingTools = (toolbox: CodingToolbox): AgentTool[] => [
  createReadTool(toolbox),
  createWriteTool(toolbox),
  createEditTool(toolbox),
  createExecTool(toolbox),
];
