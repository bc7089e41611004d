import type { Entry } from "../../registry/index.ts";
import type { JsonSchema } from "../../schema/index.ts";
import { staticTraits } from "../../tool/index.ts";
import { addTools, knownDescription, type ToolHost } from "../host.ts";
import { fromDeclarative } from "./from.ts";
import { BaseToolInvocation } from "./invocation.ts";
import { policyBus } from "./message-bus.ts";
import { type ToolResult, toToolResult } from "./result.ts";
import { type AnyDeclarativeTool, BaseDeclarativeTool, type FunctionDeclaration, type ToolBuilder } from "./tool.ts";

/** The registry of this shape over a Haft: `new ToolRegistry(await createHaft())`. Every call takes the host's one pipeline. */
export class ToolRegistry {
  readonly #host: ToolHost;

  constructor(host: ToolHost) {
    this.#host = host;
  }

  /** @throws HaftError `validation_failed` for a name in use. */
  registerTool<TParams extends object>(tool: ToolBuilder<TParams, ToolResult>): void {
    addTools(this.#host.registry, [fromDeclarative(tool)]);
  }

  /** Runs the discovery command and lists the tools of the MCP servers again. A source that fails keeps its tools. */
  async discoverAllTools(): Promise<void> {
    await this.#host.discover?.();
    await this.#host.offer();
  }

  /** The declarations of the tools that the settings allow, for the model's API. */
  getFunctionDeclarations(): FunctionDeclaration[] {
    return this.getAllTools().map(({ schema }) => schema);
  }

  /** The tool of that name or alias, if the settings allow it. */
  getTool(name: string): AnyDeclarativeTool | undefined {
    const wanted = this.#host.registry.get(name);
    return wanted && this.#tools((entry) => entry === wanted)[0];
  }

  /** All tools that the settings allow: built-in, discovered, custom, then MCP by server. */
  getAllTools(): AnyDeclarativeTool[] {
    return this.#tools(() => true);
  }

  /** The tools of one MCP server; empty for an unknown one. */
  getToolsByServer(serverName: string): AnyDeclarativeTool[] {
    return this.#tools(({ source }) => source.origin === "mcp" && source.name === serverName);
  }

  /** Does nothing: the registry is always sorted. */
  sortTools(): void {}

  #tools(isWanted: (entry: Entry) => boolean): AnyDeclarativeTool[] {
    const { tools } = this.#host.toolbox.offer();
    return tools
      .filter(({ entry }) => isWanted(entry))
      .map(({ entry, description }) => new HostTool(this.#host, entry, description));
  }
}

/** One of Haft's tools in this shape. */
class HostTool extends BaseDeclarativeTool<object, ToolResult> {
  readonly #host: ToolHost;
  readonly #entry: Entry;

  constructor(host: ToolHost, entry: Entry, description = knownDescription(entry)) {
    const { tool } = entry;
    const { kind } = staticTraits(tool.can, tool.override);
    const schema = tool.input.json as JsonSchema;
    super(tool.name, tool.title ?? tool.name, description, kind, schema, true, false, policyBus(host.toolbox));
    this.#host = host;
    this.#entry = entry;
  }

  protected createInvocation(params: object): HostInvocation {
    return new HostInvocation(params, this.#host, this.#entry);
  }
}

class HostInvocation extends BaseToolInvocation<object, ToolResult> {
  readonly #host: ToolHost;
  readonly #entry: Entry;

  constructor(params: object, host: ToolHost, entry: Entry) {
    super(params);
    this.#host = host;
    this.#entry = entry;
  }

  getDescription(): string {
    const { name, title, describe } = this.#entry.tool;
    return describe?.call(this.#entry.tool, this.params)?.title ?? title ?? name;
  }

  async execute(signal: AbortSignal, updateOutput?: (output: string) => void): Promise<ToolResult> {
    const onUpdate = updateOutput && {
      onUpdate: ({ output }: { readonly output?: string }) => output !== undefined && updateOutput(output),
    };
    return toToolResult(await this.#host.call(this.#entry.tool.name, this.params, { signal, ...onUpdate }));
  }
}
