import type { Entry, Offered } from "@haft/core/registry";
import { type JsonSchema, toPublicJson } from "@haft/core/schema";
import { type EffectWord, staticTraits } from "@haft/core/tool";
import type { Tool } from "@modelcontextprotocol/server";

/** The offer as MCP tools, in the order of the offer. A definition is converted once, as long as it stays the same. */
export const mcpTools = (offered: readonly Offered[]): Tool[] => offered.map(rememberedTool);

/** Effects that reach, or may reach, beyond the workspace. */
const OPEN_WORLD: ReadonlySet<EffectWord> = new Set(["connect", "send", "call", "delegate", "run", "unknown"]);

const written = new WeakMap<Entry, Tool>();

function rememberedTool(offered: Offered): Tool {
  const before = written.get(offered.entry);
  if (before && before.description === offered.description) return before;
  const tool = mcpTool(offered);
  written.set(offered.entry, tool);
  return tool;
}

function mcpTool({ name, title, description, input, entry }: Offered): Tool {
  const { can = ["unknown"], override } = entry.tool;
  const { isReadOnly, isDestructive } = staticTraits(can, override);
  const output = outputSchema(entry);
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: objectSchema(toPublicJson(input.json)),
    ...(output ? { outputSchema: output } : {}),
    annotations: {
      ...(title === undefined ? {} : { title }),
      readOnlyHint: isReadOnly,
      destructiveHint: !isReadOnly && isDestructive,
      openWorldHint: can.some((word) => OPEN_WORLD.has(word)),
    },
  };
}

/** Structured results of MCP are objects; an output of another shape is sent as text only. */
export function outputSchema({ tool }: Entry): Tool["outputSchema"] {
  const json = tool.output?.json;
  return json?.type === "object" ? objectSchema(toPublicJson(json)) : undefined;
}

/**
 * The same schema with an object for each property. Older clients refuse the whole list of tools if a single property
 * is `true` or `false`.
 */
function objectSchema(json: JsonSchema): Tool["inputSchema"] {
  const { properties } = json;
  if (typeof properties !== "object" || properties === null) return { ...json, type: "object" };
  const objects = Object.entries(properties).map(([name, one]) => [
    name,
    one === true ? {} : one === false ? { not: {} } : one,
  ]);
  return { ...json, type: "object", properties: Object.fromEntries(objects) };
}
