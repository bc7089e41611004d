import { type AiSdkTool, aiSdk } from "../../adapter/index.ts";
import type { Entry } from "../../registry/index.ts";
import { contentsText, errorText, type Result } from "../../tool/index.ts";
import { addTools, type ToolHost } from "../host.ts";
import { Tool } from "./define.ts";
import { type ToolDefinition, toolNameOf, toToolDefinition } from "./definition.ts";
import { fromToolDefine } from "./from.ts";
import { cleanerOf, fromLegacy, type RegisteredTool, type ToolExecutionContext } from "./legacy.ts";
import { createSteps, type StepEvents } from "./steps.ts";
import type { InitContext, ToolExecutionResult, ToolInfo, ToolInfoAsync, ToolResult } from "./types.ts";

/** Options of the functions. */
export interface ToolFunctionsOptions {
  /** Receives one line when the registry is ready. */
  readonly log?: (line: string) => void;
  readonly now?: () => number;
}

// biome-ignore lint/suspicious/noExplicitAny: tools with parameters of every kind have no other type
type DefinedTool = ToolInfo<any, any> | ToolInfoAsync<any, any>;

/** The functions of this shape for one host. */
export type ToolFunctions = ReturnType<typeof toolFunctions>;

/**
 * The functions of this shape over a Haft, which `initializeToolRegistry` opens:
 * `export const { executeTool, initializeToolRegistry } = toolFunctions(() => createHaft())`.
 */
export function toolFunctions(open: () => ToolHost | Promise<ToolHost>, options: ToolFunctionsOptions = {}) {
  const { log = () => {}, now = Date.now } = options;
  let opening: Promise<void> | undefined;
  let host: ToolHost | undefined;
  let init: InitContext = {};
  let calls = 0;
  const lent = new Map<string, ToolExecutionContext>();

  const ready = (): ToolHost => {
    if (host) return host;
    throw new Error("The tools are not there yet. Wait for initializeToolRegistry() first.");
  };

  async function start(): Promise<void> {
    const opened = await open();
    await opened.offer();
    host = opened;
    log(`[ToolRegistry] Initialized with ${opened.registry.entries().length} tools`);
  }

  /** Opens the host once; a failed start may be repeated. */
  async function initializeToolRegistry(): Promise<void> {
    opening ??= start();
    try {
      await opening;
    } catch (thrown) {
      opening = undefined;
      throw thrown;
    }
  }

  /** Adds a tool of the oldest form, with a handler. @throws HaftError `validation_failed` for a name in use. */
  const registerTool = (tool: RegisteredTool): void =>
    addTools(ready().registry, [fromLegacy(tool, (id) => lent.get(id))]);

  /** Adds a tool made with `Tool.define`, static or asynchronous. @throws HaftError `validation_failed` for a name in use. */
  const registerToolV2 = (tool: DefinedTool): void =>
    addTools(ready().registry, [fromToolDefine(tool, { context: () => init })]);

  async function executeTool(
    toolId: string,
    args: unknown,
    context: ToolExecutionContext,
  ): Promise<ToolExecutionResult> {
    const { registry, call, cwd, on } = ready();
    const name = registry.get(toolNameOf(toolId))?.tool.name ?? toolNameOf(toolId);
    const refused = refusalOf(name, toolId, cwd, context);
    if (refused !== undefined) return { success: false, error: refused };
    const id = context.toolCallId ?? `${context.messageId}-${++calls}`;
    const { skills, abortSignal, messageId } = context;
    if (skills) init = { ...init, skills };
    const hear = createSteps(stepEventsOf(context), { now, clean: cleanerOf(context.providerConfig) });
    const stop = on((event) => {
      if (event.call.id === id) hear(event);
    });
    lent.set(id, context);
    try {
      return toExecutionResult(
        await call(name, args, { ...{ id, messageId }, ...(abortSignal ? { signal: abortSignal } : {}) }),
      );
    } finally {
      stop();
      lent.delete(id);
    }
  }

  const isMCPTool = (toolName: string): boolean => ready().registry.get(toolNameOf(toolName))?.source.origin === "mcp";

  /** A call of a remote tool, through the same pipeline. @throws Error when it fails or is refused. */
  async function executeMCPTool(toolName: string, args: unknown, context?: ToolExecutionContext): Promise<unknown> {
    const ended = await executeTool(toolName, args, context ?? { sessionId: "", messageId: "direct" });
    if (!ended.success) throw new Error(ended.error);
    return ended.data;
  }

  const executeToolDirectly = (
    toolName: string,
    args: Readonly<Record<string, unknown>>,
    context: ToolExecutionContext,
  ): Promise<ToolExecutionResult> => executeTool(toolName, args, context);

  /** All tools as plain data, those switched off too. Asynchronous ones are initialised first. */
  async function getAllToolsAsync(): Promise<ToolDefinition[]> {
    const { tools } = await ready().offer();
    const offered = new Map<Entry, string>(tools.map(({ entry, description }) => [entry, description]));
    return ready()
      .registry.entries()
      .map((entry) => toToolDefinition(entry, { enabled: offered.has(entry), description: offered.get(entry) }));
  }

  const getEnabledToolsAsync = async (): Promise<ToolDefinition[]> =>
    (await getAllToolsAsync()).filter(({ enabled }) => enabled);

  const toolsForAI = (isMcp: boolean): Record<string, AiSdkTool> => {
    const { toolbox, registry } = ready();
    const remote = registry.entries().flatMap(({ tool, source }) => (source.origin === "mcp" ? [tool.name] : []));
    const isRemote = (name: string): boolean => remote.includes(name);
    return Object.fromEntries(Object.entries(aiSdk(toolbox).tools).filter(([name]) => isRemote(name) === isMcp));
  };

  return {
    initializeToolRegistry,
    /** Built-in tools of the oldest form: there are none. */
    registerBuiltinTools: (): void => {},
    /** The built-in tools are there as soon as the registry is. */
    registerBuiltinToolsV2: (): void => void ready(),
    registerTool,
    registerToolV2,
    unregisterTool: (toolId: string): boolean => ready().registry.remove(toolNameOf(toolId)),
    executeTool,
    isMCPTool,
    executeMCPTool,
    executeToolDirectly,
    getAllToolsAsync,
    getEnabledToolsAsync,
    getAllEnabledTools: getEnabledToolsAsync,
    /** The tools for `streamText` and `generateText`, without those of MCP servers. */
    getToolsForAI: () => toolsForAI(false),
    getMCPToolsForAI: () => toolsForAI(true),
    Tool: {
      ...Tool,
      execute: (toolId: string, args: unknown, context?: Partial<ToolExecutionContext>): Promise<ToolExecutionResult> =>
        executeTool(toolId, args, { sessionId: "", messageId: "direct", ...context }),
    },
  };
}

/** Why the context itself refuses a call. */
function refusalOf(
  name: string,
  id: string,
  cwd: string,
  { toolSettings, workingDirectory }: ToolExecutionContext,
): string | undefined {
  if (workingDirectory !== undefined && workingDirectory !== cwd)
    return `These tools work in ${cwd}, not in ${workingDirectory}. Open a Haft for that folder.`;
  if (toolSettings?.enableToolCalls === false) return "Tool calls are switched off (enableToolCalls).";
  const setting = Object.entries(toolSettings?.tools ?? {}).find(([key]) =>
    [name, id].some((one) => one.toLowerCase() === key.toLowerCase()),
  );
  return setting?.[1].enabled === false ? `${name} is switched off (tools.${setting[0]}.enabled).` : undefined;
}

/** Converts a result to the result type of a tool of this shape. */
export const toToolResult = ({ title = "", content, metadata = {}, output }: Result): ToolResult =>
  isToolResult(output) ? output : { title, output: contentsText(content), metadata };

const isToolResult = (value: unknown): value is ToolResult =>
  typeof value === "object" && value !== null && "title" in value && "output" in value && "metadata" in value;

/** Converts a result to the end of a call in this shape. */
export const toExecutionResult = (result: Result): ToolExecutionResult =>
  result.error ? { success: false, error: errorText(result.error) } : { success: true, data: toToolResult(result) };

/** The callbacks of a call's context. */
const stepEventsOf = ({ onStepStart, onStepComplete, onMetadata }: ToolExecutionContext): StepEvents => ({
  ...(onStepStart ? { onStepStart } : {}),
  ...(onStepComplete ? { onStepComplete } : {}),
  ...(onMetadata ? { onMetadata } : {}),
});
