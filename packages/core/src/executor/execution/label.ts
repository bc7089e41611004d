import type { Effect } from "../../tool/index.ts";
import type { Stage } from "../flight.ts";

/** Says whose words a result may hold. What a call reached outside answers with a stranger's, whatever the tool. */
export const label: Stage = ({ result, effects, running, entry }) => {
  if (!result || !running || effects.length === 0) return;
  const sources = result.output === undefined ? [] : [...(entry?.tool.sources?.(result.output) ?? [])];
  for (const effect of effects) {
    const source = sourceOf(effect);
    if (source !== undefined && !sources.includes(source)) sources.push(source);
  }
  if (sources.length === 0) return;
  return { result: { ...result, labels: { ...result.labels, integrity: "stranger", sources } } };
};

function sourceOf(effect: Effect): string | undefined {
  if (effect.do === "call") return `mcp:${effect.server}`;
  return effect.do === "connect" ? (effect.url ?? effect.host) : undefined;
}
