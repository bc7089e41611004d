/** A name by which a tool is called, with the older and foreign names that mean the same. */
export interface NamedTool {
  readonly name: string;
  readonly aliases?: readonly string[];
}

const tool = (name: string, ...aliases: string[]): NamedTool => ({ name, aliases });

/**
 * The tools that Haft ships, by canonical name, with the names that other systems give the same tool. Data only: lists,
 * rules and settings can be read before any tool is loaded, and a name resolves whichever family it comes from.
 * `Task` means a subagent; the task list's tools carry longer names.
 */
export const BUILTIN_TOOLS: readonly NamedTool[] = [
  // files
  tool("Read", "ReadFile", "read_file", "FileRead", "view_image"),
  tool("ReadManyFiles", "read_many_files"),
  tool("Write", "WriteFile", "write_file"),
  tool("Edit", "MultiEdit", "replace"),
  tool("apply_patch"),
  tool("NotebookEdit"),
  tool("Ls", "list_directory"),
  // search
  tool("Glob", "find"),
  tool("Grep", "RipGrep", "search", "grep_search", "search_file_content"),
  tool("ToolSearch", "tool_search"),
  // programs
  tool("Bash", "exec", "Shell", "run_shell_command", "shell_command", "exec_command"),
  tool("process", "write_stdin"),
  tool("PowerShell"),
  tool("REPL"),
  tool("TaskOutput", "BashOutput", "read_background_output"),
  tool("TaskStop", "KillShell", "KillBash"),
  tool("HeldChanges"),
  tool("Sleep"),
  // web
  tool("WebFetch", "web_fetch"),
  tool("WebSearch", "web_search", "google_web_search"),
  tool("WebBrowser", "browser"),
  tool("canvas"),
  // plans, tasks, versions
  tool("TodoWrite", "WriteTodos", "write_todos", "update_plan"),
  tool("TaskCreate"),
  tool("TaskGet"),
  tool("TaskList"),
  tool("TaskUpdate"),
  tool("EnterPlanMode", "enter_plan_mode"),
  tool("ExitPlanMode", "ExitPlanModeV2", "exit_plan_mode", "plan_exit"),
  tool("EnterWorktree"),
  tool("ExitWorktree"),
  // memory and automation
  tool("Memory", "MemoryTool", "save_memory"),
  tool("Snip"),
  tool("cron", "automations"),
  // people
  tool("AskUserQuestion", "ask_user", "question", "request_user_input"),
  tool("Brief"),
  tool("SendUserFile"),
  tool("message"),
  // agents and sessions
  tool("Agent", "Task", "invoke_agent", "spawn_agent"),
  tool("Delegate"),
  tool("SendMessage", "send_message", "send_input"),
  tool("TeamCreate"),
  tool("TeamDelete"),
  tool("Skill", "activate_skill"),
  tool("sessions_list"),
  tool("sessions_send"),
  tool("sessions_spawn"),
  tool("session_status"),
  // the host
  tool("Config"),
  tool("Tungsten"),
  tool("ListMcpResources", "ListMcpResourcesTool", "list_mcp_resources"),
  tool("ReadMcpResource", "ReadMcpResourceTool", "read_mcp_resource"),
];
