import { blanketDenies } from "../../policy/index.ts";
import { type Entry, policyToolOf } from "../../registry/index.ts";
import type { Schema } from "../../schema/index.ts";
import { contentsText, errorText, HaftError, type Result, staticTraits } from "../../tool/index.ts";
import { entriesNamed, type ToolHost } from "../host.ts";
import { buildTool } from "./build.ts";
import type { Tool, ToolResultBlockParam } from "./types.ts";

/** The deny rules of a session, as a list or by their source. */
export interface ToolPermissionContext {
  readonly alwaysDenyRules?: readonly string[] | Readonly<Record<string, readonly string[]>>;
}

/** The functions of this shape for one host. */
export interface BuildToolFunctions {
  /** The built-in tools that exist now, by gates, settings and the state of the machine. Assembled again each time. */
  getAllBaseTools(): Tool<Schema, Result>[];
  /** With the rules of a session: the base tools that none of them forbids entirely. With names: those tools. */
  getTools(choice?: ToolPermissionContext | readonly string[] | null): Tool<Schema, Result>[];
  filterToolsByDenyRules<T extends { readonly name: string }>(tools: readonly T[], context: ToolPermissionContext): T[];
  /** The tool of that name or alias. */
  findToolByName<T extends { readonly name: string }>(tools: readonly T[], name: string): T | undefined;
}

/** The functions of this shape over a Haft: `export const { getTools } = buildToolFunctions(await createHaft())`. */
export function buildToolFunctions(host: ToolHost): BuildToolFunctions {
  const { registry, toolbox } = host;
  const offered = () => toolbox.offer().tools;

  function filterToolsByDenyRules<T extends { readonly name: string }>(
    tools: readonly T[],
    { alwaysDenyRules = [] }: ToolPermissionContext,
  ): T[] {
    const texts = Array.isArray(alwaysDenyRules) ? alwaysDenyRules : Object.values(alwaysDenyRules).flat();
    const denies = blanketDenies(texts.map((text) => ({ behavior: "deny", origin: "session", text })));
    return tools.filter(({ name }) => {
      const entry = registry.get(name);
      return !denies(entry ? policyToolOf(entry) : { name, origin: "custom" });
    });
  }

  const base = (): Tool<Schema, Result>[] =>
    offered()
      .filter(({ entry }) => entry.source.origin === "builtin")
      .map(({ entry, description }) => toBuiltTool(host, entry, description));

  return {
    getAllBaseTools: base,
    getTools(choice) {
      if (!choice) return base();
      if (!Array.isArray(choice)) return filterToolsByDenyRules(base(), choice as ToolPermissionContext);
      const wanted = entriesNamed(registry, choice);
      return offered()
        .filter(({ entry }) => wanted.includes(entry))
        .map(({ entry, description }) => toBuiltTool(host, entry, description));
    },
    filterToolsByDenyRules,
    findToolByName(tools, name) {
      const canonical = registry.get(name)?.tool.name ?? name;
      return tools.find((tool) => tool.name === canonical);
    },
  };
}

/** One of Haft's tools in this shape. Its `call` goes through the whole pipeline, and throws where that refuses it. */
export function toBuiltTool(host: Pick<ToolHost, "call">, { tool }: Entry, description: string): Tool<Schema, Result> {
  const { name, aliases, searchHint } = tool;
  const { isReadOnly, isDestructive, isConcurrencySafe } = staticTraits(tool.can, tool.override);
  return buildTool<Schema, Result>({
    name,
    inputSchema: tool.input,
    inputJSONSchema: tool.input.json,
    description: async () => description,
    ...(aliases ? { aliases } : {}),
    ...(searchHint === undefined ? {} : { searchHint }),
    isReadOnly: () => isReadOnly,
    isDestructive: () => isDestructive,
    isConcurrencySafe: () => isConcurrencySafe,
    ...(tool.limits?.resultChars === undefined ? {} : { maxResultSizeChars: tool.limits.resultChars }),
    getActivityDescription: (input) => tool.describe?.(input as object)?.activity,
    renderToolUseMessage: (input) => tool.describe?.(input as object)?.title ?? name,
    async call(input, { abortController: { signal }, toolUseId }) {
      const result = await host.call(name, input, { signal, ...(toolUseId === undefined ? {} : { id: toolUseId }) });
      if (result.error) throw new HaftError(result.error, { output: result.output });
      return { data: result };
    },
    mapToolResultToToolResultBlockParam: toToolResultBlockParam,
    renderToolResultMessage: ({ display, content }) => display ?? contentsText(content),
  });
}

/** Converts a result to a block of a message to the model. */
export const toToolResultBlockParam = ({ content, error }: Result, toolUseId: string): ToolResultBlockParam => ({
  type: "tool_result",
  tool_use_id: toolUseId,
  content: error && content.length === 0 ? errorText(error) : content,
  ...(error ? { is_error: true } : {}),
});
