import { EDIT, lineRange, list, negated, titleFrom } from "../convert.ts";
import type { DialectTable } from "../table.ts";

const STATES = ["pending", "in_progress", "completed"];

/** Gemini CLI (@google/gemini-cli-core): its tools and parameters, as its models know them. */
export const gemini: DialectTable = {
  name: "gemini",
  tools: [
    { tool: "Read", name: "read_file", convert: [lineRange("start_line", "end_line")] },
    { tool: "ReadManyFiles", name: "read_many_files", fields: { paths: "include" } },
    { tool: "Write", name: "write_file" },
    { tool: "Edit", name: "replace", fields: { replace_all: "allow_multiple" }, omit: ["edits"], description: EDIT },
    { tool: "Glob", name: "glob", fields: { path: "dir_path" } },
    {
      tool: "Grep",
      name: "grep_search",
      fields: {
        path: "dir_path",
        glob: "include_pattern",
        "-A": "after",
        "-B": "before",
        "-C": "context",
        head_limit: "total_max_matches",
      },
      omit: ["type", "-n", "multiline", "offset"],
      convert: [
        negated("case_sensitive", "-i", "Match case. Default false.", false),
        {
          ours: ["output_mode"],
          theirs: { names_only: { type: "boolean", description: "Returns only the paths of matching files." } },
          toOurs: ({ names_only: only }) => ({ output_mode: only === true ? "files_with_matches" : "content" }),
        },
      ],
    },
    { tool: "Grep", name: "search_file_content", fields: { path: "dir_path", glob: "include" } },
    { tool: "Ls", name: "list_directory", fields: { path: "dir_path" } },
    { tool: "Bash", name: "run_shell_command", fields: { workdir: "dir_path", run_in_background: "is_background" } },
    { tool: "TaskOutput", name: "read_background_output", fields: { task_id: "pid" } },
    { tool: "WebFetch", name: "web_fetch" },
    { tool: "WebSearch", name: "google_web_search" },
    {
      tool: "TodoWrite",
      name: "write_todos",
      convert: [
        list("todos", "todos", {
          fields: { description: "content" },
          description: "The whole list; replaces the previous one.",
          item: {
            type: "object",
            properties: {
              description: { type: "string", minLength: 1, description: "The task." },
              status: { type: "string", enum: STATES, description: "Its status." },
            },
            required: ["description", "status"],
            additionalProperties: false,
          },
        }),
      ],
    },
    { tool: "Agent", name: "invoke_agent", fields: { subagent_type: "agent_name" }, convert: [titleFrom("prompt")] },
    { tool: "AskUserQuestion", name: "ask_user" },
    { tool: "EnterPlanMode", name: "enter_plan_mode" },
    { tool: "ExitPlanMode", name: "exit_plan_mode" },
    { tool: "Skill", name: "activate_skill", fields: { skill: "name" } },
    { tool: "Memory", name: "save_memory" },
    { tool: "ListMcpResources", name: "list_mcp_resources" },
    { tool: "ReadMcpResource", name: "read_mcp_resource" },
  ],
};
