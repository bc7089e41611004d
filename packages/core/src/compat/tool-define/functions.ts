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
  const tools = new OpenedTools(open, options);
  const executeTool = (toolId: string, args: unknown, context: ToolExecutionContext): Promise<ToolExecutionResult> =>
    tools.execute(toolId, args, context);
  const getAllToolsAsync = (): Promise<ToolDefinition[]> => tools.definitions();
  const getEnabledToolsAsync = async (): Promise<ToolDefinition[]> =>
    (await tools.definitions()).filter(({ enabled }) => enabled);
  return {
    initializeToolRegistry: (): Promise<void> => tools.initialize(),
    /** Built-in tools of the oldest form: there are none. */
    registerBuiltinTools: (): void => {},
    /** The built-in tools are there as soon as the registry is. */
    registerBuiltinToolsV2: (): void => void tools.host,
    /** Adds a tool of the oldest form, with a handler. @throws HaftError `validation_failed` for a name in use. */
    registerTool: (tool: RegisteredTool): void =>
      addTools(tools.host.registry, [fromLegacy(tool, (id) => tools.contextOf(id))]),
    /** Adds a tool made with `Tool.define`, static or asynchronous. @throws HaftError `validation_failed` for a name in use. */
    registerToolV2: (tool: DefinedTool): void =>
      addTools(tools.host.registry, [fromToolDefine(tool, { context: () => tools.init })]),
    unregisterTool: (toolId: string): boolean => tools.host.registry.remove(toolNameOf(toolId)),
    executeTool,
    isMCPTool: (toolName: string): boolean => tools.host.registry.get(toolNameOf(toolName))?.source.origin === "mcp",
    /** A call of a remote tool, through the same pipeline. @throws Error when it fails or is refused. */
    async executeMCPTool(toolName: string, args: unknown, context: ToolExecutionContext = DIRECT): Promise<unknown> {
      const ended = await executeTool(toolName, args, context);
      if (!ended.success) throw new Error(ended.error);
      return ended.data;
    },
    executeToolDirectly: (
      toolName: string,
      args: Readonly<Record<string, unknown>>,
      context: ToolExecutionContext,
    ): Promise<ToolExecutionResult> => executeTool(toolName, args, context),
    getAllToolsAsync,
    getEnabledToolsAsync,
    getAllEnabledTools: getEnabledToolsAsync,
    /** The tools for `streamText` and `generateText`, without those of MCP servers. */
    getToolsForAI: () => tools.forAI(false),
    getMCPToolsForAI: () => tools.forAI(true),
    Tool: {
      ...Tool,
      execute: (toolId: string, args: unknown, context?: Partial<ToolExecutionContext>): Promise<ToolExecutionResult> =>
        executeTool(toolId, args, { ...DIRECT, ...context }),
    },
  };
}

/** The context of a call outside a conversation. */
const DIRECT: ToolExecutionContext = { sessionId: "", messageId: "direct" };

/** A host that opens on demand, and the contexts of its running calls. */
class OpenedTools {
  /** The context for tools that initialise themselves; the last call's skills belong to it. */
  init: InitContext = {};
  readonly #open: () => ToolHost | Promise<ToolHost>;
  readonly #options: ToolFunctionsOptions;
  readonly #lent = new Map<string, ToolExecutionContext>();
  #opening: Promise<void> | undefined;
  #host: ToolHost | undefined;
  #calls = 0;

  constructor(open: () => ToolHost | Promise<ToolHost>, options: ToolFunctionsOptions) {
    this.#open = open;
    this.#options = options;
  }

  get host(): ToolHost {
    if (this.#host) return this.#host;
    throw new Error("The tools are not loaded yet. Await initializeToolRegistry() first.");
  }

  contextOf(callId: string): ToolExecutionContext | undefined {
    return this.#lent.get(callId);
  }

  /** Opens the host once; a failed start may be repeated. */
  async initialize(): Promise<void> {
    this.#opening ??= this.#start();
    try {
      await this.#opening;
    } catch (thrown) {
      this.#opening = undefined;
      throw thrown;
    }
  }

  async #start(): Promise<void> {
    const opened = await this.#open();
    await opened.offer();
    this.#host = opened;
    this.#options.log?.(`[ToolRegistry] Initialized with ${opened.registry.entries().length} tools`);
  }

  async execute(toolId: string, args: unknown, context: ToolExecutionContext): Promise<ToolExecutionResult> {
    const { registry, call, cwd, on } = this.host;
    const name = registry.get(toolNameOf(toolId))?.tool.name ?? toolNameOf(toolId);
    const refused = refusalOf(name, toolId, cwd, context);
    if (refused !== undefined) return { success: false, error: refused };
    const id = context.toolCallId ?? `${context.messageId}-${++this.#calls}`;
    const { skills, abortSignal, messageId } = context;
    if (skills) this.init = { ...this.init, skills };
    const { now = Date.now } = this.#options;
    const hear = createSteps(stepEventsOf(context), { now, clean: cleanerOf(context.providerConfig) });
    const stop = on((event) => {
      if (event.call.id === id) hear(event);
    });
    this.#lent.set(id, context);
    try {
      return toExecutionResult(
        await call(name, args, { ...{ id, messageId }, ...(abortSignal ? { signal: abortSignal } : {}) }),
      );
    } finally {
      stop();
      this.#lent.delete(id);
    }
  }

  /** All tools as plain data, those switched off too. Asynchronous ones are initialised first. */
  async definitions(): Promise<ToolDefinition[]> {
    const { tools } = await this.host.offer();
    const offered = new Map<Entry, string>(tools.map(({ entry, description }) => [entry, description]));
    return this.host.registry
      .entries()
      .map((entry) => toToolDefinition(entry, { enabled: offered.has(entry), description: offered.get(entry) }));
  }

  forAI(isMcp: boolean): Record<string, AiSdkTool> {
    const { toolbox, registry } = this.host;
    const remote = registry.entries().flatMap(({ tool, source }) => (source.origin === "mcp" ? [tool.name] : []));
    return Object.fromEntries(Object.entries(aiSdk(toolbox).tools).filter(([name]) => remote.includes(name) === isMcp));
  }
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
  if (toolSettings?.enableToolCalls === false) return "Tool calls are disabled (enableToolCalls).";
  const setting = Object.entries(toolSettings?.tools ?? {}).find(([key]) =>
    [name, id].some((one) => one.toLowerCase() === key.toLowerCase()),
  );
  return setting?.[1].enabled === false ? `${name} is disabled (tools.${setting[0]}.enabled).` : undefined;
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
