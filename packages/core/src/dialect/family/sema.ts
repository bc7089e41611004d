import type { DialectTable } from "../table.ts";

/** Sema Code: Claude Code's names of an earlier time. */
export const sema: DialectTable = {
  name: "sema",
  tools: [
    { tool: "Agent", name: "Task" },
    { tool: "NotebookEdit", name: "NotebookEdit", omit: ["cell_id"] },
  ],
};
