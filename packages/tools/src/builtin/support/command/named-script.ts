import type { Effect, Ports, RunRequest } from "@haft/core/tool";

/**
 * The effects of a script, each with the script itself, so that a decision about them applies to that script and no
 * other.
 */
export function ofScript(
  effects: readonly Effect[],
  script: Pick<RunRequest, "command" | "env">,
  { digest }: Ports["processes"],
): readonly Effect[] {
  if (!digest) return effects;
  const named = { script: digest(script) };
  return effects.map((effect) => (effect.do === "run" || effect.do === "unknown" ? { ...effect, ...named } : effect));
}
