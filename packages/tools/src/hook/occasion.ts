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
>;

/** What the protocol says about an event, as far as all handlers share it. */
export interface EventRules {
  /** Whether it is about one call, so that a matcher means the tool and `if` has something to look at. */
  readonly onCall: boolean;
  /** The field that a matcher looks at, where it is not the tool. */
  readonly matchOn?: "source" | "reason";
  /** Whether plain text on stdout is context for the model. */
  readonly textIsContext?: boolean;
  /** What exit code 2 does. `tell`: stderr goes to the person; `none`: nothing, an answer has to be given as JSON. */
  readonly exit2: "block" | "tell" | "none";
  /** Seconds, where a handler does not say. */
  readonly timeout: number;
  /** Most seconds, whatever a handler says. */
  readonly mostTime?: number;
}

const onCall = { onCall: true, exit2: "block", timeout: 600 } as const;
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
};

export const isLive = (event: string): event is LiveEvent => Object.hasOwn(EVENT_RULES, event);

/** One time that an event happens: what matchers and conditions look at, and what handlers are told. */
export interface Occasion {
  readonly event: LiveEvent;
  /** The names by which a matcher may mean it; absent where matchers do not count. */
  readonly names?: readonly string[];
  readonly call?: Situation;
  readonly payload: object;
  /** The folder in which handlers run. */
  readonly cwd: string;
  readonly signal: AbortSignal;
}
