import { z } from "zod";
import {
  type DelegationRequest,
  executeTool,
  type InitContext,
  initializeToolRegistry,
  Tool,
  type ToolAgentContext,
  type ToolAgentEvents,
  type ToolAgentResult,
  type ToolAgentStep,
  type ToolExecutionContext,
  type ToolMetadata,
} from "./tools-registry.ts";

export const readTool = Tool.define("read_one", {
  name: "Read File",
  description: "Read contents of a file",
  category: "builtin",
  parameters: z.object({ file_path: z.string().describe("File path to read") }),
  async execute(args, ctx) {
    ctx.metadata({ title: `Reading ${args.file_path}` });
    return { title: "Read", output: args.file_path, metadata: {} };
  },
});

export const skillTool = Tool.define("skill_one", { name: "Skill", category: "builtin" }, async (ctx?: InitContext) => {
  const skills = ctx?.skills ?? [];
  return {
    description: `Load a skill. Available: ${skills.map((s) => s.name).join(", ")}`,
    parameters: z.object({ skill: z.enum(skills.length > 0 ? skills.map((s) => s.name) : ["none"]) }),
    async execute(args, toolCtx) {
      return { title: args.skill, output: `${args.skill} in ${toolCtx.workingDirectory}`, metadata: {} };
    },
  };
});

interface GlobMetadata extends ToolMetadata {
  pattern: string;
  searchPath: string;
  count: number;
  truncated?: boolean;
}

const GlobParameters = z.object({
  pattern: z.string().describe('Glob pattern like "**/*.ts"'),
  path: z.string().optional().describe("Search directory"),
});

export const GlobTool = Tool.define<typeof GlobParameters, GlobMetadata>("glob_one", {
  name: "Glob",
  description: "Fast file pattern matching tool...",
  category: "builtin",
  enabled: true,
  autoExecute: true,
  parameters: GlobParameters,
  async execute(args, ctx) {
    const { pattern } = args;
    const searchPath = args.path || ctx.workingDirectory || "";
    ctx.metadata({ title: `Searching: ${pattern}`, metadata: { pattern, searchPath, count: 0 } });
    const files = [`${searchPath}/a.ts`];
    return {
      title: `Found ${files.length} files`,
      output: files.join("\n"),
      metadata: { pattern, searchPath, count: files.length, truncated: false },
    };
  },
});

/** The handler of the app's channel for calls. */
export async function handle(request: { toolId: string; arguments: unknown; messageId: string; sessionId: string }) {
  const { toolId, arguments: args, messageId, sessionId } = request;
  const context: ToolExecutionContext = { sessionId, messageId };
  const result = await executeTool(toolId, args, context);
  return { success: result.success, result: result.data, error: result.error };
}

export const start = (): Promise<void> => initializeToolRegistry();

export async function executeToolAgent(
  request: DelegationRequest,
  context: ToolAgentContext,
  events?: ToolAgentEvents,
): Promise<ToolAgentResult> {
  const steps: ToolAgentStep[] = [];
  const result = await executeTool("Glob", { pattern: request.task }, { ...request, ...context });
  const step: ToolAgentStep = {
    toolName: "Glob",
    arguments: { pattern: request.task },
    result,
    status: result.success ? "success" : "failed",
    timestamp: 0,
  };
  steps.push(step);
  events?.onStepComplete?.(step);
  return {
    success: steps.every(({ status }) => status === "success"),
    summary: "",
    details: "",
    filesModified: [],
    errors: [],
    toolCallCount: steps.length,
    executionTimeMs: 0,
  };
}
