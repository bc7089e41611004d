import type { Effect, ErrorCode } from "../tool/index.ts";

/** The verdict of a rule, or of a decision. */
export type Behavior = "allow" | "ask" | "deny";

/**
 * The source of a rule. `session`: granted by a person, or added by the host at run time. `builtin`: excluded from a
 * grant by Haft itself.
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
  /** Index of the effect in the call's effects; absent when the step concerns the whole call. */
  readonly effect?: number;
  readonly rule?: RuleRef;
  readonly note: string;
  /** Allowed on condition that the changes are judged again before they become real. */
  readonly hold?: true;
}

/** Rules that would have avoided the question for this call, narrowest first. A preview shows exactly what is saved. */
export interface Suggestion {
  readonly label: string;
  /** The grants of the rules, in words. */
  readonly covers?: string;
  readonly rules: readonly string[];
  readonly scope: "session" | "project" | "user" | "server" | "tool";
}

/** A part of a tree bound that a deny or ask rule excludes from the grant. Touching it ends as `sandbox_denied`. */
export interface Hole {
  readonly do: "read" | "write";
  readonly rule: RuleRef;
  /** Only file contents are closed; a call may still see that the files exist. */
  readonly contentOnly?: true;
  /** Whether an absolute real path lies in the hole. */
  matches(path: string): boolean;
}

/** The rights of an allowed call: its effects, minus the holes. Ports and sandbox are bound to this. */
export interface Grant {
  readonly effects: readonly Effect[];
  readonly holes: readonly Hole[];
  /** Commands run confined in a view of the workspace. Their changes there are judged before they become real. */
  readonly hold?: true;
}

/** The policy's answer to one call. */
export interface Decision {
  readonly decision: Behavior;
  /** One sentence that says what decided. */
  readonly reason: string;
  /** Set with `deny`: the kind of refusal. */
  readonly code?: ErrorCode;
  readonly rule?: RuleRef;
  readonly trace: readonly TraceStep[];
  readonly suggestions: readonly Suggestion[];
  readonly grant: Grant;
}

/** The presets that people choose from. Each one covers every effect, so that every call gets a decision. */
export const modes = ["default", "acceptEdits", "plan", "dontAsk", "undoable", "bypassPermissions"] as const;

/** Decides every effect that no rule covers. */
export type Mode = (typeof modes)[number];

/** The place of the work. All paths are absolute and real. */
export interface Workspace {
  /** The folder that project rules (`/path`) count from. */
  readonly root: string;
  /** The folder in which the session started; local and CLI rules (`/path`) count from it. */
  readonly startedIn: string;
  /** The current folder; bare and `./` patterns count from it. */
  readonly cwd: string;
  readonly home: string;
  readonly additional: readonly string[];
  /** Haft's own folders that every call may read: spill files of this session. */
  readonly readable?: readonly string[];
  readonly platform: string;
}

/** The properties of a tool that the policy needs. */
export interface PolicyTool {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly autoExecute?: boolean;
  /** The tool whose bare deny or ask rule also means this one, when only this object knows it. */
  readonly family?: string;
  /** builtin, discovered, mcp, plugin, client, custom */
  readonly origin: string;
  /** The MCP server that offers it. */
  readonly server?: string;
  /** The server's own name for it. */
  readonly remoteName?: string;
}

/** One call, as the policy sees it. */
export interface Situation {
  readonly tool: PolicyTool;
  readonly input: unknown;
  readonly effects: readonly Effect[];
  /** The tool's own answer to whether `Tool(specifier)` means this call. Only conditions of hooks use it. */
  matches?(specifier: string): boolean;
  /**
   * Set when the effects are changes that a command has made in its view, none of them real yet. Holds the facts found
   * about each, in the same order. Git's ordinary work in its own folder then counts as ordinary.
   */
  readonly captured?: readonly CapturedFact[];
  /** Its commands run confined in a view. The ports make sure that none of their changes becomes real. */
  readonly isDryRun?: true;
}

/** Facts found by inspecting a change. */
export interface CapturedFact {
  /** The name is protected, but the content neither runs nor governs anything. */
  readonly harmless?: true;
  /** Why a person has to see the change, whatever its name. */
  readonly doubt?: string;
}
