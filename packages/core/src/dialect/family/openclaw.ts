import { fixed, list, seconds } from "../convert.ts";
import type { DialectTable } from "../table.ts";

/** OpenClaw, and pi, whose file tools it has. */
export const openclaw: DialectTable = {
  name: "openclaw",
  tools: [
    { tool: "Read", name: "read", fields: { file_path: "path" } },
    { tool: "Read", name: "view_image", fields: { file_path: "path" } },
    { tool: "Write", name: "write", fields: { file_path: "path" } },
    {
      tool: "Edit",
      name: "edit",
      fields: { file_path: "path", old_string: "oldText", new_string: "newText" },
      omit: ["replace_all"],
      convert: [edits()],
    },
    { tool: "apply_patch", name: "apply_patch" },
    {
      tool: "Bash",
      name: "exec",
      fields: { run_in_background: "background", wait_ms: "yieldMs" },
      convert: [seconds("timeoutSeconds")],
    },
    { tool: "Bash", name: "bash", convert: [seconds("timeoutSeconds")] },
    { tool: "Glob", name: "find" },
    {
      tool: "Grep",
      name: "grep",
      fields: { "-i": "ignoreCase", "-C": "context", head_limit: "limit" },
      omit: ["type", "-A", "-B", "-n", "multiline", "offset"],
      convert: [fixed("output_mode", "content")],
    },
    { tool: "Ls", name: "ls" },
    { tool: "WebFetch", name: "web_fetch" },
    { tool: "WebSearch", name: "web_search" },
    { tool: "WebBrowser", name: "browser" },
    { tool: "ToolSearch", name: "tool_search" },
    { tool: "AskUserQuestion", name: "ask_user" },
  ],
};

/** pi's list of edits of one file. */
function edits() {
  const both = { oldText: { type: "string" }, newText: { type: "string" } };
  const { required: _, ...optional } = list("edits", "edits", {
    fields: { oldText: "old_string", newText: "new_string" },
    description: "Several edits of the file at once, instead of oldText and newText.",
    item: { type: "object", properties: both, required: ["oldText", "newText"], additionalProperties: false },
  });
  return optional;
}
