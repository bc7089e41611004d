import { fail } from "@haft/core/tool";

type Raw = Readonly<Record<string, unknown>>;

/** A call that another agent is about to make. */
export interface ForeignCall {
  readonly tool: string;
  readonly input: Raw;
  readonly cwd?: string;
  /** The permission mode of that agent, if it gives one. */
  readonly mode?: string;
  readonly session?: string;
}

/** Haft's decision about a call. */
export interface Verdict {
  readonly decision: "allow" | "ask" | "deny";
  readonly reason: string;
}

/** How an agent reports a call and gets the answer. */
export interface HookAgent {
  /** The agent's message about a shell command. */
  sample(command: string, cwd: string): Raw;
  /** Parses the agent's message. Throws for an invalid call. */
  read(payload: Raw): ForeignCall;
  /** The answer. An allow says nothing, so the agent still asks its own questions. */
  answer(verdict: Verdict, payload: Raw): object | undefined;
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

const record = (value: unknown): Raw | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Raw) : undefined;

/** Arguments may be an object or its JSON. */
function argumentsOf(value: unknown): Raw {
  const parsed = typeof value === "string" ? (JSON.parse(value) as unknown) : value;
  return record(parsed) ?? fail("invalid_input", "The arguments of the call are not an object.");
}

function callOf(tool: unknown, input: unknown, payload: Raw): ForeignCall {
  const name = text(tool) ?? fail("invalid_input", "The call does not name a tool.");
  const roots = Array.isArray(payload.workspace_roots) ? text(payload.workspace_roots[0]) : undefined;
  const cwd = text(payload.cwd) ?? roots;
  const mode = text(payload.permission_mode);
  const session =
    text(payload.session_id) ?? text(payload.sessionId) ?? text(payload.sessionID) ?? text(payload.conversation_id);
  return {
    tool: name,
    input: argumentsOf(input),
    ...(cwd === undefined ? {} : { cwd }),
    ...(mode === undefined ? {} : { mode }),
    ...(session === undefined ? {} : { session }),
  };
}

const documented = ({ tool_name, tool_input }: Raw, payload: Raw): ForeignCall =>
  callOf(tool_name, tool_input ?? {}, payload);

/**
 * The answer of a PreToolUse hook. At a PermissionRequest the person has already been asked, so only a denial is
 * returned.
 */
function claudeAnswer({ decision, reason }: Verdict, { hook_event_name }: Raw): object | undefined {
  if (hook_event_name === "PermissionRequest")
    return decision === "deny"
      ? { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: reason } } }
      : undefined;
  if (decision === "allow") return undefined;
  const own = { permissionDecision: decision, permissionDecisionReason: reason };
  return { hookSpecificOutput: { hookEventName: "PreToolUse", ...own } };
}

/** The answer for an agent that does not support questions: a denial, and how to allow the call. */
const withoutQuestion = ({ decision, reason }: Verdict): Verdict =>
  decision === "ask"
    ? {
        decision: "deny",
        reason: `${reason} A person has to allow this first, with a rule in Haft's settings, or run it themselves.`,
      }
    : { decision, reason };

/** Names tools of MCP servers as rules do. */
function geminiTool({ tool_name, mcp_context }: Raw): unknown {
  const server = text(record(mcp_context)?.server_name);
  const tool = text(record(mcp_context)?.tool_name);
  if (server !== undefined && tool !== undefined) return `mcp__${server}__${tool}`;
  const [, first, rest] = /^mcp_([^_]+)_(.+)$/.exec(text(tool_name) ?? "") ?? [];
  return first === undefined ? tool_name : `mcp__${first}__${rest}`;
}

/** The events of Cursor, each with its own fields. */
function cursorCall(payload: Raw): ForeignCall {
  const { hook_event_name, command, file_path, tool_name, tool_input } = payload;
  switch (hook_event_name) {
    case "beforeShellExecution":
      return callOf("Bash", { command }, payload);
    case "beforeReadFile":
      return callOf("Read", { file_path }, payload);
    case "beforeMCPExecution":
      return callOf(mcpNamed(tool_name, true), tool_input ?? {}, payload);
    default:
      return callOf(mcpNamed(tool_name), tool_input ?? {}, payload);
  }
}

/** `MCP:server:tool`. If the server is not named, rules know it as `cursor`. */
function mcpNamed(name: unknown, isRemote = false): unknown {
  const [, server, tool] = /^MCP:(?:([^:]+):)?(.+)$/.exec(text(name) ?? "") ?? [];
  if (tool !== undefined) return `mcp__${server ?? "cursor"}__${tool}`;
  return isRemote && text(name) !== undefined ? `mcp__cursor__${name}` : name;
}

const documentedShell =
  (event: string, tool: string) =>
  (command: string, cwd: string): Raw => ({ hook_event_name: event, tool_name: tool, tool_input: { command }, cwd });

/** The agents with known hooks. */
export const HOOK_AGENTS: Readonly<Record<string, HookAgent>> = {
  claude: {
    sample: documentedShell("PreToolUse", "Bash"),
    read: (payload) => documented(payload, payload),
    answer: claudeAnswer,
  },
  // It accepts the word ask, but continues when a hook returns it.
  codex: {
    sample: documentedShell("PreToolUse", "Bash"),
    read: (payload) => documented(payload, payload),
    answer: (verdict, payload) => claudeAnswer(withoutQuestion(verdict), payload),
  },
  gemini: {
    sample: documentedShell("BeforeTool", "run_shell_command"),
    read: (payload) => callOf(geminiTool(payload), payload.tool_input ?? {}, payload),
    answer: ({ decision, reason }) => (decision === "allow" ? undefined : { decision, reason, systemMessage: reason }),
  },
  copilot: {
    sample: (command, cwd) => ({ cwd, toolName: "bash", toolArgs: JSON.stringify({ command }) }),
    read: (payload) =>
      callOf(payload.toolName ?? payload.tool_name, payload.toolArgs ?? payload.tool_input ?? {}, payload),
    answer: ({ decision, reason }) =>
      decision === "allow" ? undefined : { permissionDecision: decision, permissionDecisionReason: reason },
  },
  cursor: {
    sample: (command, cwd) => ({ hook_event_name: "beforeShellExecution", command, cwd }),
    read: cursorCall,
    answer: ({ decision, reason }) =>
      decision === "allow" ? {} : { permission: decision, user_message: reason, agent_message: reason },
  },
  // The plugin that `haft hook install opencode` writes reads this.
  opencode: {
    sample: (command, cwd) => ({ tool: "bash", args: { command }, cwd }),
    read: (payload) => callOf(payload.tool, payload.args ?? {}, payload),
    answer: (verdict) => (verdict.decision === "allow" ? {} : withoutQuestion(verdict)),
  },
};
