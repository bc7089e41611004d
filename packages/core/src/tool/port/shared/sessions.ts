/** The port to the sessions of this user on this machine. */

/** A session, as others may see it. */
export interface SessionInfo {
  readonly id: string;
  readonly label?: string;
  /** `agent`: a conversation with a person. `spawned`: started by another session. `schedule`: a firing of a schedule. */
  readonly kind: "agent" | "spawned" | "schedule";
  readonly folder: string;
  readonly status: "working" | "idle" | "ended";
  /** The last activity, ISO 8601. */
  readonly activeAt: string;
  readonly parent?: string;
  readonly model?: string;
}

/** Facts about one session. */
export interface SessionStatus extends SessionInfo {
  readonly mode?: string;
  readonly tokens?: { readonly input: number; readonly output: number; readonly context?: number };
  /** Calls by tool, with the failed ones of each. */
  readonly calls: readonly { readonly tool: string; readonly count: number; readonly failed: number }[];
  /** Background jobs that still run. */
  readonly jobs?: readonly string[];
}

/** One entry of a session's conversation. */
export interface SessionLine {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  /** The tool of a call or result. */
  readonly tool?: string;
}

/** The sessions to list. */
export interface SessionQuery {
  /** Words that their conversations contain. */
  readonly query?: string;
  readonly kind?: SessionInfo["kind"];
  /** Only those with activity within these minutes. */
  readonly activeMinutes?: number;
  readonly limit?: number;
}

/** A session to start. */
export interface SpawnRequest {
  readonly task: string;
  readonly label?: string;
  readonly model?: string;
  /** `delete`: its files are removed after its result was announced. */
  readonly cleanup?: "keep" | "delete";
  readonly timeoutMs?: number;
}

/** A delivered message; `answered` with the last words of the run that it caused. */
export type Delivery =
  | { readonly status: "accepted"; readonly id: string }
  | { readonly status: "answered"; readonly id: string; readonly answer: string; readonly sources: readonly string[] };

/**
 * The sessions that this one may see, by the setting `sessions.visibility`. Any other id fails with `invalid_input`, the
 * same as an unknown one.
 */
export interface Sessions {
  /** The id of this session. */
  readonly own: string;
  /** Whether a session belongs to the tree of this one: it started it, or was started by it, directly or not. */
  isKin(id: string): boolean;
  status(id?: string): Promise<SessionStatus>;
  list(query: SessionQuery): Promise<readonly SessionInfo[]>;
  history(
    id: string,
    options: { readonly limit: number; readonly tools: boolean },
  ): Promise<{ readonly lines: readonly SessionLine[]; readonly sources: readonly string[] }>;
  /** Fails with `limit_reached` if too many messages follow from one another. */
  send(id: string, text: string, options: { readonly waitMs: number; readonly signal: AbortSignal }): Promise<Delivery>;
  /** Returns at once. Fails with `tool_unavailable` where no live agent could hear the result. The result comes as a message when the session has ended. */
  spawn(request: SpawnRequest): Promise<{ readonly status: "accepted"; readonly session: string }>;
}
