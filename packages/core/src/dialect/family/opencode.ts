import { EDIT, fixed } from "../convert.ts";
import type { DialectTable, DialectTool } from "../table.ts";

const shared: readonly DialectTool[] = [
  { tool: "Read", name: "read", fields: { file_path: "filePath" }, omit: ["pages"] },
  { tool: "Write", name: "write", fields: { file_path: "filePath" } },
  {
    tool: "Edit",
    name: "edit",
    fields: { file_path: "filePath", old_string: "oldString", new_string: "newString", replace_all: "replaceAll" },
    omit: ["edits"],
    description: EDIT,
  },
  { tool: "apply_patch", name: "apply_patch", fields: { input: "patchText" } },
  { tool: "Glob", name: "glob" },
  {
    tool: "Grep",
    name: "grep",
    fields: { glob: "include" },
    omit: ["type", "-A", "-B", "-C", "-i", "-n", "multiline", "offset", "head_limit"],
    convert: [fixed("output_mode", "content")],
  },
  { tool: "Ls", name: "list" },
  { tool: "WebFetch", name: "webfetch" },
  { tool: "WebSearch", name: "websearch", fields: { count: "numResults" } },
  { tool: "TodoWrite", name: "todowrite" },
  { tool: "AskUserQuestion", name: "question" },
  { tool: "ExitPlanMode", name: "plan_exit" },
  { tool: "Skill", name: "skill", fields: { skill: "name" } },
  { tool: "LSP", name: "lsp" },
];

/** opencode 1: parameters in camel case. */
export const opencode1: DialectTable = {
  name: "opencode@1",
  tools: [...shared, { tool: "Bash", name: "bash" }, { tool: "Agent", name: "task" }],
};

/** opencode 2 calls its shell `shell` and its agents `subagent`; the rest is as in version 1, as far as it is published. */
export const opencode2: DialectTable = {
  name: "opencode@2",
  tools: [...shared, { tool: "Bash", name: "shell" }, { tool: "Agent", name: "subagent" }],
};
