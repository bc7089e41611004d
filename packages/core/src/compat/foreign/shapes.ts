/** A tool of another SDK, with the fields by which it is recognised. */
export type ForeignTool =
  | AiSdkShape
  | MastraShape
  | AgentsShape
  | LangchainShape
  | McpShape
  | RunnableShape
  | { readonly [name: string]: AiSdkShape | McpShape };

/** `tool()` of the AI SDK. It has no name of its own. */
export interface AiSdkShape {
  readonly id?: string;
  readonly name?: string;
  readonly title?: string;
  /** A function gives it for each request; then the model gets none here. */
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly execute: unknown;
  readonly needsApproval?: unknown;
  readonly requireApproval?: unknown;
  readonly toModelOutput?: unknown;
}

/** `createTool()` of Mastra. Its `id` is its name. */
export interface MastraShape {
  readonly id: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly execute?: unknown;
}

/** `tool()` of OpenAI's Agents SDK. */
export interface AgentsShape {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly invoke: unknown;
  readonly needsApproval?: unknown;
}

/** `tool()` of LangChain. */
export interface LangchainShape {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
  readonly invoke: unknown;
}

/** `registerTool()` of an MCP server. It has no name of its own. */
export interface McpShape {
  readonly name?: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly handler: unknown;
}

/** `betaTool()` of Anthropic's SDK. */
export interface RunnableShape {
  readonly name: string;
  readonly description?: string | undefined;
  readonly input_schema?: unknown;
  readonly parse: unknown;
  readonly run: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const has = (value: Fields, name: string): boolean => typeof value[name] === "function";

export const isAgents = (tool: Fields): boolean => tool.type === "function" && has(tool, "invoke");
export const isLangchain = (tool: Fields): boolean => has(tool, "invoke") && tool.schema !== undefined;
export const isRunnable = (tool: Fields): boolean => has(tool, "run") && has(tool, "parse") && "input_schema" in tool;
export const isMcp = (tool: Fields): boolean => has(tool, "handler") && !has(tool, "run");
export const isAiSdk = (tool: Fields): boolean => "inputSchema" in tool && has(tool, "execute");
