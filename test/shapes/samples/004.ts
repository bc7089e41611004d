import { z } from "zod";
import {
  buildTool,
  filterToolsByDenyRules,
  getAllBaseTools,
  lazySchema,
  type Progress,
  type Tool,
  type ToolDef,
  type ToolPermissionContext,
  type Tools,
} from "./tools-ts.ts";

const input = z.object({ command: z.string() });
type Input = typeof input;
interface Output {
  stdout: string;
}

export const EchoTool: Tool<Input, Output, Progress> = buildTool({
  name: "Echo",
  inputSchema: lazySchema(() => input) as unknown as Input,
  description: async () => "Echoes a command.",
  maxResultSizeChars: 30_000,
  async call({ command }) {
    return { data: { stdout: command } };
  },
} satisfies ToolDef<Input, Output, Progress>);

export const getTools = (permissionContext: ToolPermissionContext): Tools => {
  const base = getAllBaseTools();
  return filterToolsByDenyRules(base, permissionContext);
};
