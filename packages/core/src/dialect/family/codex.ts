import { list, titleFrom } from "../convert.ts";
import type { DialectTable } from "../table.ts";

const STATES = ["pending", "in_progress", "completed"];

/** Codex: it reads and searches through its shell and changes files by patches. Its missing tools keep Haft's names. */
export const codex: DialectTable = {
  name: "codex",
  tools: [
    {
      tool: "Bash",
      name: "exec_command",
      fields: { command: "cmd", wait_ms: "yield_time_ms", timeout: "timeout_ms" },
      omit: ["run_in_background", "stdin"],
    },
    { tool: "Bash", name: "shell_command", fields: { timeout: "timeout_ms" } },
    { tool: "process", name: "write_stdin" },
    { tool: "Read", name: "view_image", fields: { file_path: "path" } },
    {
      tool: "TodoWrite",
      name: "update_plan",
      convert: [
        list(
          "plan",
          "todos",
          {
            fields: { step: "content" },
            description: "The whole plan; replaces the previous one.",
            item: {
              type: "object",
              properties: {
                step: { type: "string", minLength: 1, description: "The task." },
                status: {
                  type: "string",
                  enum: STATES,
                  description: "Its status. At most one step is in_progress.",
                },
              },
              required: ["step", "status"],
              additionalProperties: false,
            },
          },
          { explanation: { type: "string", description: "The reason for the change." } },
        ),
      ],
    },
    {
      tool: "Agent",
      name: "spawn_agent",
      fields: { prompt: "message", subagent_type: "agent_type", name: "task_name" },
      convert: [titleFrom("message")],
    },
    { tool: "SendMessage", name: "send_message" },
    { tool: "SendMessage", name: "send_input" },
    { tool: "AskUserQuestion", name: "request_user_input" },
    { tool: "ToolSearch", name: "tool_search", fields: { max_results: "limit" } },
    { tool: "ListMcpResources", name: "list_mcp_resources" },
    { tool: "ReadMcpResource", name: "read_mcp_resource" },
  ],
};
