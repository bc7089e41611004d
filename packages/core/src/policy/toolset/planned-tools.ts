import type { ToolFacts } from "./facts.ts";

/**
 * Tools that other systems have and this version lacks. Rules about them can be read, so that settings of another
 * version or agent still load. Remove an entry as soon as the tool exists: the built-in one then counts.
 */
export const PLANNED_TOOLS: readonly ToolFacts[] = [{ name: "Tungsten" }];
