import type { Mode, Origin } from "../decision.ts";
import type { RuleSource } from "../rule/rule.ts";
import type { SourcedToolPolicy, ToolPolicy, ToolSetting } from "../toolset/index.ts";
import type { HOOK_FAILURES, HookEventName } from "./schema.ts";

/** Where settings may be written, strongest first. For single values the first that says something decides. */
export const SETTINGS_PRECEDENCE = ["managed", "cli", "local", "project", "user"] as const satisfies readonly Origin[];

export type SettingsOrigin = (typeof SETTINGS_PRECEDENCE)[number];

/** Something about a settings file that a person should know. With an `error`, nothing may start. */
export interface SettingsProblem {
  readonly severity: "error" | "warning" | "notice";
  readonly file: string;
  /** The keys that lead to the place. */
  readonly path: readonly string[];
  /** Line in the file, from 1. */
  readonly line?: number;
  readonly message: string;
  readonly cure: string;
}

export interface BashSettings {
  readonly enableSandbox?: boolean;
  readonly defaultWorkingDirectory?: string;
  readonly allowedDirectories?: readonly string[];
  readonly confirmDangerousCommands?: boolean;
  readonly dangerousCommandWhitelist?: readonly string[];
}

export interface ToolAgentSettings {
  readonly autoConfirmDangerous?: boolean;
  readonly maxToolCalls?: number;
  /** Milliseconds. */
  readonly timeoutMs?: number;
  readonly providerId?: string;
  readonly model?: string;
}

/** One hook; which of the fields count depends on its type. */
export interface HookSettings {
  readonly type: "command" | "http" | "mcp_tool" | "prompt" | "agent";
  readonly [field: string]: unknown;
}

export interface HookGroupSettings {
  readonly matcher?: string;
  readonly hooks: readonly HookSettings[];
}

/** Hooks by event, and what becomes of a call whose guard failed. */
export type HooksSettings = Readonly<Partial<Record<HookEventName, readonly HookGroupSettings[]>>> & {
  readonly onFailure?: (typeof HOOK_FAILURES)[number];
};

/** How people log in at an MCP server, where it does not say everything itself. */
export interface McpOAuthSettings {
  /** The client that is registered for us; its secret, if it has one. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The address of a document that describes us, for authorization servers that read one. */
  readonly clientMetadataUrl?: string;
  /** The only authorization server that may be used. */
  readonly issuer?: string;
  /** Scopes to ask for where the server names none. */
  readonly scope?: string;
  /** The port at which people come back; some authorization servers want to know it. */
  readonly callbackPort?: number;
}

export interface McpServerSettings {
  readonly type?: "stdio" | "http" | "sse";
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly enabled?: boolean;
  readonly trusted?: boolean;
  /** Milliseconds that it has to start, and that a call may be silent. `timeoutMs` is another spelling of the latter. */
  readonly startTimeoutMs?: number;
  readonly callTimeoutMs?: number;
  readonly timeoutMs?: number;
  /** The only tools of it that exist, and those that do not, by the server's own names. */
  readonly allowedTools?: readonly string[];
  readonly disabledTools?: readonly string[];
  readonly alwaysLoad?: boolean;
  /** Starts it confined: it writes the workspace only, reads nothing private, and has no network. */
  readonly sandbox?: boolean;
  readonly oauth?: McpOAuthSettings;
}

export type SandboxTier = "auto" | "bwrap" | "srt" | "none";

export interface SandboxSettings {
  readonly tier?: SandboxTier;
  readonly network?: boolean;
}

export interface DiscoverySettings {
  readonly command?: string | readonly string[];
  readonly callCommand?: string | readonly string[];
}

export interface BudgetSettings {
  readonly resultChars?: number;
  readonly batchChars?: number;
  readonly tools?: Readonly<Record<string, number>>;
}

/** What all forms of settings share: one value per key, names canonical, every key optional. */
interface CommonSettings {
  readonly defaultMode?: Mode;
  readonly additionalDirectories?: readonly string[];
  readonly tools?: Readonly<Record<string, ToolSetting>>;
  readonly enableToolCalls?: boolean;
  readonly useTools?: readonly string[] | null;
  readonly bash?: BashSettings;
  readonly toolAgent?: ToolAgentSettings;
  readonly hooks?: HooksSettings;
  readonly mcpServers?: Readonly<Record<string, McpServerSettings>>;
  readonly sandbox?: SandboxSettings;
  readonly model?: string;
  readonly concurrency?: "effects" | "partition" | "strict";
  readonly gates?: Readonly<Record<string, boolean | string>>;
  readonly discovery?: DiscoverySettings;
  readonly flow?: "enforce" | "off";
  readonly budgets?: BudgetSettings;
}

/** One file's settings in the common form. Its rules stand beside it, see `SettingsLayer`. */
export interface LayerSettings extends CommonSettings {
  readonly policy?: ToolPolicy;
}

/** The settings in force, all layers together. */
export interface Settings extends CommonSettings {
  /** All hold, one after the other: see `createToolFilter`. */
  readonly toolPolicies: readonly SourcedToolPolicy[];
}

/** One place where settings are written, parsed. */
export interface SettingsLayer {
  readonly origin: SettingsOrigin;
  readonly file: string;
  readonly settings: LayerSettings;
  readonly rules: readonly RuleSource[];
  readonly problems: readonly SettingsProblem[];
}
