import type { Dispatch } from "./dispatch.ts";
import { EVENT_RULES, type LiveEvent } from "./occasion.ts";
import { commonFields, type Scene } from "./payload.ts";

/** Payload of each event of the agent loop, by the documented names. */
export interface SessionPayloads {
  readonly SessionStart: {
    readonly source: "startup" | "resume" | "clear" | "compact" | "fork";
    readonly model?: string;
  };
  readonly UserPromptSubmit: { readonly prompt: string };
  /** `stop_hook_active`: the turn already continues because a Stop hook wanted it to. */
  readonly Stop: { readonly stop_hook_active: boolean; readonly last_assistant_message?: string };
  /** Before the conversation is summarized. `custom_instructions`: the person's words about the summary. */
  readonly PreCompact: { readonly trigger: "manual" | "auto"; readonly custom_instructions: string };
  /** After it. */
  readonly PostCompact: { readonly trigger: "manual" | "auto"; readonly compact_summary: string };
  readonly SubagentStart: AgentFields;
  /** `stop_hook_active`: the agent already goes on because a hook wanted it to. */
  readonly SubagentStop: AgentFields & {
    readonly stop_hook_active: boolean;
    readonly last_assistant_message?: string;
  };
  readonly TaskCreated: TaskFields;
  readonly TaskCompleted: TaskFields;
  /** A person is needed. */
  readonly Notification: {
    readonly message: string;
    readonly title?: string;
    readonly notification_type: "permission_prompt" | "elicitation_dialog";
  };
  /** Files that the session reads have changed. */
  readonly ConfigChange: { readonly source: "skills" };
  readonly CwdChanged: { readonly old_cwd?: string; readonly new_cwd?: string };
  readonly WorktreeCreate: { readonly name: string; readonly worktree_path: string; readonly branch: string };
  readonly WorktreeRemove: { readonly worktree_path: string };
  /** An MCP server asks for something. */
  readonly Elicitation: {
    readonly mcp_server_name: string;
    readonly message: string;
    readonly mode: "form" | "url";
    readonly url?: string;
    readonly requested_schema?: unknown;
  };
  /** The answer that the server is about to get. */
  readonly ElicitationResult: {
    readonly mcp_server_name: string;
    readonly action: "accept" | "decline" | "cancel";
    readonly content?: unknown;
  };
  /** A rule, the mode, a hook or a person refused a call. */
  readonly PermissionDenied: {
    readonly tool_name: string;
    readonly tool_input: unknown;
    readonly tool_use_id: string;
    readonly reason: string;
  };
  /** A slash command becomes a prompt. */
  readonly UserPromptExpansion: {
    readonly expansion_type: "slash_command" | "mcp_prompt";
    readonly command_name: string;
    readonly command_args: string;
    readonly command_source: string;
    readonly prompt: string;
  };
  /** A turn ended with an error of the model or its server. */
  readonly StopFailure: {
    readonly error: "authentication_failed" | "rate_limit" | "invalid_request" | "server_error" | "unknown";
    readonly error_details: string;
    readonly last_assistant_message?: string;
  };
  /** An agent of a team has nothing more to do. */
  readonly TeammateIdle: { readonly teammate_name: string; readonly team_name: string };
  /** A file in the folder of the session has changed. A matcher tests `file_name`. */
  readonly FileChanged: {
    readonly file_path: string;
    readonly file_name: string;
    readonly event: "add" | "change" | "unlink";
  };
  /** An instruction file has been read for the first time in this session. */
  readonly InstructionsLoaded: {
    readonly file_path: string;
    readonly memory_type: "User" | "Project";
    readonly load_reason: "session_start" | "include";
  };
  readonly PreModelSwitch: ModelFields;
  readonly PostModelSwitch: ModelFields;
  readonly SessionEnd: { readonly reason: "clear" | "resume" | "logout" | "prompt_input_exit" | "other" };
}

interface ModelFields {
  readonly from_model?: string;
  readonly to_model: string;
}

interface AgentFields {
  readonly agent_id: string;
  readonly agent_type: string;
}

interface TaskFields {
  readonly task_id: string;
  readonly task_subject: string;
  readonly task_description: string;
  readonly teammate_name?: string;
}

/** A session event that runs hooks. */
export type SessionEvent = keyof SessionPayloads & LiveEvent;

/** Combined outcome of the hooks of a session event. */
export interface SessionOutcome {
  /** For the model: text and additionalContext, in the order of the hooks. */
  readonly context: readonly string[];
  /** UserPromptSubmit: the prompt is not sent, for this reason. Stop: the turn goes on, and the model is told this. PreCompact: nothing is summarized. SubagentStop: the agent goes on. TeammateIdle: the agent goes on. TaskCreated, TaskCompleted, Elicitation, UserPromptExpansion, PreModelSwitch: it is refused. */
  readonly blocked?: string;
  /** The whole run ends, for this reason (`continue: false`). It beats `blocked`. */
  readonly stop?: string;
}

/** How often in a row Stop hooks may continue a turn, as documented. The loop does the counting. */
export const MOST_STOP_BLOCKS = 8;

/**
 * Runs the hooks of an event that is not about a call. Never rejects. A hook that fails is reported and has no
 * effect, unless its entry says that its failure counts as a no.
 */
export type RunHooks = <E extends SessionEvent>(
  event: E,
  payload: SessionPayloads[E],
  signal?: AbortSignal,
) => Promise<SessionOutcome>;

export function createRunHooks(dispatch: Dispatch, scene: () => Scene, transcript: string): RunHooks {
  return async (event, payload, signal = new AbortController().signal) => {
    const where = scene();
    const matched = EVENT_RULES[event].matchOn;
    const name = matched && (payload as Readonly<Record<string, unknown>>)[matched];
    const heard = await dispatch({
      event,
      ...(typeof name === "string" ? { names: [name] } : {}),
      payload: { ...commonFields(event, where, transcript), ...payload },
      cwd: where.cwd,
      signal,
    });
    const blocked = heard.find(({ said }) => said.block !== undefined)?.said.block;
    const stop = heard.find(({ said }) => said.stop !== undefined)?.said.stop;
    return {
      context: heard.flatMap(({ said }) => said.context ?? []),
      ...(blocked === undefined ? {} : { blocked }),
      ...(stop === undefined ? {} : { stop }),
    };
  };
}
