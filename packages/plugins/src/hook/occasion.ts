import type { HookEventName, Situation } from "@haft/core/policy";

/** The events of the hooks protocol that happen in Haft. */
export type LiveEvent = Extract<
  HookEventName,
  | "PreToolUse"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "PostToolBatch"
  | "PermissionRequest"
  | "SessionStart"
  | "SessionEnd"
  | "UserPromptSubmit"
  | "Stop"
  | "PreCompact"
  | "PostCompact"
  | "SubagentStart"
  | "SubagentStop"
  | "TaskCreated"
  | "TaskCompleted"
  | "Notification"
  | "ConfigChange"
  | "CwdChanged"
  | "WorktreeCreate"
  | "WorktreeRemove"
  | "Elicitation"
  | "ElicitationResult"
  | "PermissionDenied"
  | "UserPromptExpansion"
  | "StopFailure"
  | "TeammateIdle"
  | "FileChanged"
  | "InstructionsLoaded"
  | "PreModelSwitch"
  | "PostModelSwitch"
>;

/** The protocol's rules for an event that all handlers share. */
export interface EventRules {
  /** Whether the event is about one call. Then a matcher tests the tool, and `if` has something to test. */
  readonly onCall: boolean;
  /** The field that a matcher tests, if not the tool. */
  readonly matchOn?:
    | "source"
    | "reason"
    | "trigger"
    | "agent_type"
    | "notification_type"
    | "mcp_server_name"
    | "tool_name"
    | "command_name"
    | "error"
    | "file_name"
    | "load_reason";
  /** Whether plain text on stdout is context for the model. */
  readonly textIsContext?: boolean;
  /** Effect of exit code 2. `tell`: stderr goes to the person. `none`: no effect; only JSON gives an answer. */
  readonly exit2: "block" | "tell" | "none";
  /** Default timeout in seconds. */
  readonly timeout: number;
  /** Longest timeout in seconds, whatever a handler sets. */
  readonly mostTime?: number;
}

const onCall = { onCall: true, exit2: "block", timeout: 600 } as const;
const told = { onCall: false, exit2: "tell", timeout: 600 } as const;
const apart = { onCall: false, exit2: "block", timeout: 600 } as const;

export const EVENT_RULES: Readonly<Record<LiveEvent, EventRules>> = {
  PreToolUse: onCall,
  PostToolUse: onCall,
  PostToolUseFailure: onCall,
  PermissionRequest: { ...onCall, exit2: "none" },
  PostToolBatch: apart,
  SessionStart: { ...apart, matchOn: "source", textIsContext: true, exit2: "tell" },
  SessionEnd: { ...apart, matchOn: "reason", exit2: "tell", timeout: 1.5, mostTime: 60 },
  UserPromptSubmit: { ...apart, textIsContext: true, timeout: 30 },
  Stop: apart,
  PreCompact: { ...apart, matchOn: "trigger" },
  PostCompact: { ...told, matchOn: "trigger" },
  SubagentStart: { ...told, matchOn: "agent_type" },
  SubagentStop: { ...apart, matchOn: "agent_type" },
  TaskCreated: apart,
  TaskCompleted: apart,
  Notification: { ...told, matchOn: "notification_type" },
  ConfigChange: { ...told, matchOn: "source" },
  CwdChanged: told,
  WorktreeCreate: told,
  WorktreeRemove: told,
  Elicitation: { ...apart, matchOn: "mcp_server_name" },
  ElicitationResult: { ...apart, matchOn: "mcp_server_name" },
  PermissionDenied: { ...told, matchOn: "tool_name" },
  UserPromptExpansion: { ...apart, matchOn: "command_name", textIsContext: true, timeout: 30 },
  StopFailure: { ...told, matchOn: "error" },
  TeammateIdle: apart,
  FileChanged: { ...told, matchOn: "file_name" },
  InstructionsLoaded: { ...told, matchOn: "load_reason" },
  PreModelSwitch: apart,
  PostModelSwitch: told,
};

export const isLive = (event: string): event is LiveEvent => Object.hasOwn(EVENT_RULES, event);

/** One occurrence of an event: what matchers and conditions test, and what handlers receive. */
export interface Occasion {
  readonly event: LiveEvent;
  /** The names that a matcher may test; absent where matchers do not apply. */
  readonly names?: readonly string[];
  readonly call?: Situation;
  readonly payload: object;
  /** The folder in which handlers run. */
  readonly cwd: string;
  readonly signal: AbortSignal;
}
