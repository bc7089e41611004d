import { wireNames } from "../../adapter/index.ts";
import type { Entry, Offered } from "../../registry/index.ts";
import { flatRoot } from "../../schema/dialect/index.ts";
import { type JsonSchema, type Schema, toParameters, toSchema } from "../../schema/index.ts";
import { contentsText, HaftError, type Result, staticTraits } from "../../tool/index.ts";
import { entriesNamed, knownDescription, type ToolHost } from "../host.ts";
import type { Tool } from "./tool.ts";

/** One tool with its state, for a list of tools in an app. */
export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly status: "enable" | "disable";
}

/** A tool in the format of Anthropic's API. */
export interface SdkTool {
  name: string;
  description: string;
  input_schema: JsonSchema & { type: "object" };
}

/** The functions of this shape for one host. */
export interface SemaFunctions {
  /** All built-in tools, also those that settings switch off. */
  getBuiltinTools(): Tool<Schema, Result>[];
  /**
   * The tools of these names, in any spelling, in the order of the registry; without names, everything that the settings allow.
   *
   * @throws HaftError `unknown_tool` that names the unknown ones.
   */
  getTools(names?: readonly string[] | null): Tool<Schema, Result>[];
  /** Every known tool, also those of MCP servers and discovery programs, and whether the settings allow it. */
  getToolInfos(): ToolInfo[];
  buildTools: typeof buildTools;
}

/** The functions of this shape over a Haft: `export const { getTools, buildTools } = semaFunctions(await createHaft())`. */
export function semaFunctions(host: ToolHost): SemaFunctions {
  const offered = (): ReadonlyMap<Entry, Offered> => new Map(host.toolbox.offer().tools.map((one) => [one.entry, one]));
  const toTools = (entries: readonly Entry[], now = offered()) =>
    entries.map((entry) => toSemaTool(host, entry, now.get(entry)?.description));
  return {
    getBuiltinTools: () => toTools(host.registry.entries().filter(({ source }) => source.origin === "builtin")),
    getTools(names) {
      const now = offered();
      const known = names ? entriesNamed(host.registry, names) : host.registry.entries();
      return toTools(
        known.filter((entry) => now.has(entry)),
        now,
      );
    },
    getToolInfos() {
      const now = offered();
      return host.registry.entries().map((entry) => ({
        name: entry.tool.name,
        description: now.get(entry)?.description ?? knownDescription(entry),
        status: now.has(entry) ? "enable" : "disable",
      }));
    },
    buildTools,
  };
}

/** Tools of this shape in the format of Anthropic's API. */
export function buildTools(tools: readonly Pick<Tool, "name" | "description" | "inputSchema">[]): SdkTool[] {
  const names = wireNames();
  return tools.map(({ name, description = "", inputSchema }) => ({
    name: names.toWire(name),
    description: typeof description === "function" ? description() : description,
    input_schema: flatRoot(
      toParameters(toSchema(inputSchema, `tool ${name}`).json),
    ) as unknown as SdkTool["input_schema"],
  }));
}

/** One of Haft's tools in this shape. Its `call` goes through the whole pipeline, and throws where that refuses it. */
export function toSemaTool(host: ToolHost, entry: Entry, description?: string): Tool<Schema, Result> {
  const { tool } = entry;
  const { name, title = name } = tool;
  const label = (input: unknown): string => tool.describe?.((input ?? {}) as object)?.title ?? title;
  return {
    name,
    description: description ?? knownDescription(entry),
    inputSchema: tool.input,
    isReadOnly: () => staticTraits(tool.can, tool.override).isReadOnly,
    genResultForAssistant: ({ content }) => contentsText(content),
    genToolPermission: (input) => ({ title: label(input), content: input as Record<string, unknown> }),
    genToolResultMessage: (result, input) => {
      const content = contentsText(result.content);
      return { title: result.title ?? label(input), summary: content.split("\n", 1)[0] ?? "", content };
    },
    getDisplayTitle: label,
    async *call(input, { abortController: { signal } }) {
      const result = await host.call(name, input, { signal });
      if (result.error) throw new HaftError(result.error, { output: result.output });
      yield { type: "result", data: result };
    },
  };
}
