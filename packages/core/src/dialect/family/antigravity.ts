import { EDIT, fixed, lineRange } from "../convert.ts";
import type { DialectTable } from "../table.ts";

/** Antigravity. Its list of tools is not published: these are the names that its users report, November 2026. */
export const antigravity: DialectTable = {
  name: "antigravity",
  tools: [
    {
      tool: "Read",
      name: "view_file",
      fields: { file_path: "AbsolutePath" },
      convert: [lineRange("StartLine", "EndLine")],
    },
    { tool: "Write", name: "write_to_file", fields: { file_path: "TargetFile", content: "CodeContent" } },
    {
      tool: "Edit",
      name: "replace_file_content",
      fields: {
        file_path: "TargetFile",
        old_string: "TargetContent",
        new_string: "ReplacementContent",
        replace_all: "AllowMultiple",
      },
      omit: ["edits"],
      description: EDIT,
    },
    { tool: "Ls", name: "list_dir", fields: { path: "DirectoryPath" }, omit: ["ignore"] },
    { tool: "Glob", name: "find_by_name", fields: { pattern: "Pattern", path: "SearchDirectory" } },
    {
      tool: "Grep",
      name: "grep_search",
      fields: { pattern: "Query", path: "SearchPath", "-i": "CaseInsensitive" },
      omit: ["type", "glob", "-A", "-B", "-C", "-n", "multiline", "head_limit", "offset"],
      convert: [fixed("output_mode", "content")],
    },
    {
      tool: "Bash",
      name: "run_command",
      fields: { command: "CommandLine", workdir: "Cwd", wait_ms: "WaitMsBeforeAsync" },
      omit: ["run_in_background"],
    },
    { tool: "TaskOutput", name: "command_status", fields: { task_id: "CommandId" } },
    { tool: "WebFetch", name: "read_url_content", fields: { url: "Url" } },
    { tool: "WebSearch", name: "search_web" },
  ],
};
