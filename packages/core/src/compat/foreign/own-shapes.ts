import { type Tool, toJson } from "../../tool/index.ts";
import { type AgentTool, fromAgentTool } from "../agent-tool/index.ts";
import { buildTool, fromBuildTool, type ToolDef } from "../build-tool/index.ts";
import { fromDeclarative, type ToolBuilder, type ToolResult } from "../declarative/index.ts";
import { fromSema, type Tool as SemaTool } from "../sema/index.ts";
import { fromLegacy, fromToolDefine, type RegisteredTool, type ToolInfo } from "../tool-define/index.ts";

type Fields = Readonly<Record<string, unknown>>;

const has = (value: Fields, name: string): boolean => typeof value[name] === "function";

/** Generators end with a result of the first shape, promises resolve to one of the last. */
const isGenerator = (call: unknown): boolean =>
  typeof call === "function" && /^Async(?:Generator)Function$|^GeneratorFunction$/.test(call.constructor.name);

/** Converts a tool of one of the five shapes with a module of their own. `undefined` for any other value. */
export function fromOwnShape(tool: Fields): Tool | undefined {
  if (has(tool, "build") && "schema" in tool && "kind" in tool)
    return fromDeclarative(tool as unknown as ToolBuilder<object, ToolResult>) as Tool;
  if (has(tool, "call") && ("inputSchema" in tool || "inputJSONSchema" in tool)) {
    const isSema = has(tool, "genResultForAssistant") || isGenerator(tool.call);
    return (isSema ? fromSema(semaOf(tool)) : fromBuildTool(buildTool(builtOf(tool)))) as Tool;
  }
  if (typeof tool.name !== "string") return undefined;
  if ("category" in tool && (has(tool, "init") || (has(tool, "execute") && "parameters" in tool)))
    return fromToolDefine(tool as unknown as ToolInfo) as Tool;
  if (has(tool, "handler") && "parameters" in tool) return fromLegacy(tool as unknown as RegisteredTool);
  if (has(tool, "execute") && "parameters" in tool && !("inputSchema" in tool))
    return fromAgentTool({ description: "", ...tool } as unknown as AgentTool) as Tool;
  return undefined;
}

/** Only `name`, `inputSchema` and `call` are needed: other tools count as changing something. */
const semaOf = (tool: Fields): SemaTool => {
  const bound = boundTo(tool);
  return {
    isReadOnly: () => false,
    genResultForAssistant: (output: unknown) => (typeof output === "string" ? output : toJson(output)),
    ...bound,
  } as unknown as SemaTool;
};

const builtOf = (tool: Fields): ToolDef => {
  const { description, ...bound } = boundTo(tool);
  return {
    ...bound,
    description: typeof description === "function" ? description : async () => String(description ?? tool.name),
  } as unknown as ToolDef;
};

/** A copy whose methods keep their `this`, so that a class's tool works too. */
function boundTo(tool: Fields): Fields {
  const names = new Set<string>();
  for (let at: object | null = tool; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  names.delete("constructor");
  const entries = [...names].map((name) => {
    const value = tool[name];
    return [name, typeof value === "function" && name !== "inputSchema" ? value.bind(tool) : value] as const;
  });
  return Object.fromEntries(entries);
}
