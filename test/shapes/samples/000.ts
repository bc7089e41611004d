import { z } from "zod";
import { type AgentContext, buildTools, getBuiltinTools, getToolInfos, getTools, type Tool } from "./sema-core.ts";

export const allTools = getBuiltinTools();
export const filteredTools = getTools(["Read", "Glob", "Grep"]);
export const allToolsAgain = getTools(null);
export const toolInfos = getToolInfos();
export const sdkTools = buildTools(filteredTools);

const inputSchema = z.object({ word: z.string() });

export const Shout: Tool<typeof inputSchema, string> = {
  name: "Shout",
  description: () => "Shouts a word.",
  inputSchema,
  isReadOnly: () => false,
  async validateInput({ word }, _agentContext: AgentContext) {
    return word === "" ? { result: false, message: "Say something." } : { result: true };
  },
  genResultForAssistant: (output) => `It was shouted: ${output}`,
  genToolPermission: ({ word }) => ({ title: `Shout ${word}`, content: { word } }),
  genToolResultMessage: (output) => ({ title: "Shouted", summary: output, content: output }),
  getDisplayTitle: (input) => `Shout ${input?.word ?? ""}`,
  async *call({ word }) {
    yield { type: "result", data: word.toUpperCase() };
  },
};
