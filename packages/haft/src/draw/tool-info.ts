import type { Entry, Offer } from "@haft/core/registry";
import { definitionTokens } from "@haft/core/registry/deferral";
import { toPublicJson } from "@haft/core/schema";
import { staticTraits } from "@haft/core/tool";
import { builtins } from "@haft/tools";
import type { Haft } from "../app/haft.ts";

/** Information about a tool for programs. */
export interface ToolInfo {
  /** The name that the model sees. */
  readonly name: string;
  /** The tool behind it, where a dialect gives it another name. */
  readonly tool?: string;
  readonly aliases: readonly string[];
  /** `builtin`, or the origin and its owner: `mcp:github`. */
  readonly source: string;
  readonly group: string;
  readonly kind: string;
  readonly can: readonly string[];
  readonly description: string;
  readonly inputSchema: unknown;
  /** Estimate: a quarter of the characters of the definition that a model gets. */
  readonly tokens: number;
  readonly offered: boolean;
  /** The reason why it is not offered. */
  readonly why?: string;
}

/** Every known tool, in the order of the offer. */
export async function toolInfos(haft: Haft): Promise<ToolInfo[]> {
  const offer = await haft.offer();
  const groups = new Map(builtins.map(({ name, group }) => [name, group]));
  return haft.registry.entries().map((entry) => infoOf(entry, offer, groups));
}

function infoOf({ tool, source }: Entry, offer: Offer, groups: ReadonlyMap<string, string>): ToolInfo {
  const { name, aliases = [], can = ["unknown"], override } = tool;
  const offered = offer.tools.find((one) => one.entry.tool === tool);
  const { input } = offered ?? tool;
  const why = offer.absent.find((one) => one.name === name)?.why;
  const description = offered?.description ?? (typeof tool.description === "string" ? tool.description : "");
  return {
    name: offered?.name ?? name,
    ...(offered && offered.name !== name ? { tool: name } : {}),
    aliases,
    source: source.origin === "builtin" ? "builtin" : `${source.origin}:${source.name}`,
    group: groups.get(name) ?? source.origin,
    kind: staticTraits(can, override).kind,
    can,
    description,
    inputSchema: toPublicJson(input.json),
    tokens: definitionTokens(tool, description),
    offered: offered !== undefined,
    ...(why === undefined ? {} : { why }),
  };
}
