import type { Offer } from "../../registry/index.ts";
import { toParameters } from "../../schema/index.ts";
import type { WireNames } from "../wire-names.ts";
import type { AnthropicCacheControl, AnthropicTool } from "./wire.ts";

/** An offer as the `tools` of a request, in the offer's order: an unchanged offer gives the same bytes. */
export function anthropicTools(offer: Offer, names: WireNames, cache?: AnthropicCacheControl): AnthropicTool[] {
  const tools = offer.tools.map(({ name, description, input }) => ({
    name: names.toWire(name),
    description,
    input_schema: toParameters(input.json) as AnthropicTool["input_schema"],
  }));
  const last: AnthropicTool | undefined = tools.at(-1);
  if (cache && last) last.cache_control = { ...cache };
  return tools;
}
