import type { Offer, Offered } from "../../registry/index.ts";
import { flatRoot } from "../../schema/dialect/index.ts";
import { toParameters } from "../../schema/index.ts";
import type { WireNames } from "../wire-names.ts";
import type { AnthropicCacheControl, AnthropicTool } from "./wire.ts";

/**
 * An offer as the `tools` of a request, in the offer's order: an unchanged offer gives the same bytes. `given` are
 * deferred tools whose definition the model still gets immediately.
 */
export function anthropicTools(
  offer: Offer,
  names: WireNames,
  { cache, given }: { readonly cache?: AnthropicCacheControl; readonly given?: ReadonlySet<string> } = {},
): AnthropicTool[] {
  const toTool = ({ name, description, input, isDeferred }: Offered): AnthropicTool => ({
    name: names.toWire(name),
    description,
    input_schema: flatRoot(toParameters(input.json)) as AnthropicTool["input_schema"],
    ...(isDeferred && !given?.has(name) ? { defer_loading: true } : {}),
  });
  const tools = offer.tools.map(toTool);
  // Deferred tools come after the cached part and cannot be its end.
  const last = tools.findLast((tool) => tool.defer_loading === undefined);
  if (cache && last) last.cache_control = { ...cache };
  return tools;
}
