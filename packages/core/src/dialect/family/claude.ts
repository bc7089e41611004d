import type { DialectTable } from "../table.ts";

/** Haft's own names are those of Claude Code. */
export const claude: DialectTable = { name: "claude", tools: [] };
