import type { Effect, ErrorCode } from "../tool/index.ts";

/** What a rule, or a decision, does with a call. */
export type Behavior = "allow" | "ask" | "deny";

/**
 * Where a rule comes from. `session` covers what a person granted and what the host adds while running; `builtin` is
 * what Haft itself holds out of a grant.
 */
export type Origin = "managed" | "cli" | "local" | "project" | "user" | "session" | "builtin";

/** A rule that decided or was considered, with the place where a person can change it. */
export interface RuleRef {
  readonly rule: string;
  readonly behavior: Behavior;
  readonly origin: Origin;
  readonly file?: string;
  /** Line in `file`, from 1. */
  readonly line?: number;
}

/** One step of a decision. Together the steps explain it completely. */
export interface TraceStep {
  readonly step:
    | "available"
    | "deny"
    | "ask"
    | "protected"
    | "critical"
    | "flow"
    | "mode"
    | "allow"
    | "default"
    | "hook";
  readonly outcome: Behavior | "pass";
  /** The effect in question, as an index into the call's effects; absent when the step concerns the whole call. */
  readonly effect?: number;
  readonly rule?: RuleRef;
  readonly note: string;
  /** Allowed on the condition that what was changed is judged again before it becomes real. */
  readonly hold?: true;
}

/** Rules that would have made this call need no question, narrow first. What is previewed is what is saved. */
export interface Suggestion {
  readonly label: string;
  /** What the rules let through, in words. */
  readonly covers?: string;
  readonly rules: readonly string[];
  readonly scope: "session" | "project" | "user" | "server" | "tool";
}

/** A part of a tree bound that a deny or ask rule takes out of the grant. Touching it ends as `sandbox_denied`. */
export interface Hole {
  readonly do: "read" | "write";
  readonly rule: RuleRef;
  /** Only what files hold is closed; that they are there may be seen. */
  readonly contentOnly?: true;
  /** Whether an absolute real path lies in the hole. */
  matches(path: string): boolean;
}

/** What a call may do once it is allowed: its effects, less the holes. Ports and sandbox are bound to this. */
export interface Grant {
  readonly effects: readonly Effect[];
  readonly holes: readonly Hole[];
  /** Commands run confined in a view of the workspace, and what they changed there is judged before it becomes real. */
  readonly hold?: true;
}

/** The answer of the policy to one call. */
export interface Decision {
  readonly decision: Behavior;
  /** One sentence: what decided. */
  readonly reason: string;
  /** Set with `deny`: which kind of refusal this is. */
  readonly code?: ErrorCode;
  readonly rule?: RuleRef;
  readonly trace: readonly TraceStep[];
  readonly suggestions: readonly Suggestion[];
  readonly grant: Grant;
}

/** The presets, for people to choose between: each answers for every effect, so that no call is left without a decision. */
export const modes = ["default", "acceptEdits", "plan", "dontAsk", "undoable", "bypassPermissions"] as const;

/** What is decided where no rule says anything. */
export type Mode = (typeof modes)[number];

/** Where the work takes place. All paths absolute and real. */
export interface Workspace {
  /** The folder that project rules (`/path`) count from. */
  readonly root: string;
  /** The folder in which the session started; local and CLI rules (`/path`) count from it. */
  readonly startedIn: string;
  /** The current folder; bare and `./` patterns count from it. */
  readonly cwd: string;
  readonly home: string;
  readonly additional: readonly string[];
  /** Folders of Haft's own that every call may read: spill files of this session. */
  readonly readable?: readonly string[];
  readonly platform: string;
}

/** What the policy has to know of a tool. */
export interface PolicyTool {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly autoExecute?: boolean;
  /** The tool whose bare deny or ask rule means this one too, where that is known only here. */
  readonly family?: string;
  /** builtin, discovered, mcp, plugin, client, custom */
  readonly origin: string;
  /** The MCP server that offers it. */
  readonly server?: string;
  /** What that server itself calls it. */
  readonly remoteName?: string;
}

/** One call, as the policy sees it. */
export interface Situation {
  readonly tool: PolicyTool;
  readonly input: unknown;
  readonly effects: readonly Effect[];
  /** The tool's own word on whether `Tool(specifier)` means this call. Only conditions of hooks ask for it. */
  matches?(specifier: string): boolean;
  /**
   * Set when the effects are changes that a command has made in its view, none of them real yet: what was found out
   * about each, in the same order. Git's ordinary work in its own folder then counts as such.
   */
  readonly captured?: readonly CapturedFact[];
  /** Its commands run confined in a view, and nothing that they change becomes real: the ports see to it. */
  readonly isDryRun?: true;
}

/** What was found out about a change by looking at it. */
export interface CapturedFact {
  /** A protected name whose content runs and governs nothing. */
  readonly harmless?: true;
  /** Why a person has to see it, whatever its name. */
  readonly doubt?: string;
}
