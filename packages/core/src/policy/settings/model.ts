import type { Mode, Origin } from "../decision.ts";
import type { RuleSource } from "../rule/rule.ts";
import type { SourcedToolPolicy, ToolPolicy, ToolSetting } from "../toolset/index.ts";
import type { HOOK_FAILURES, HookEventName, SEARCH_PROVIDERS } from "./schema.ts";

/** Where settings may be written, strongest first. For single values the first that says something decides. */
export const SETTINGS_PRECEDENCE = ["managed", "cli", "local", "project", "user"] as const satisfies readonly Origin[];

/** Where settings come from. */
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

/** `bash`: how commands are confined and asked about. */
export interface BashSettings {
  readonly enableSandbox?: boolean;
  readonly defaultWorkingDirectory?: string;
  readonly allowedDirectories?: readonly string[];
  readonly confirmDangerousCommands?: boolean;
  readonly dangerousCommandWhitelist?: readonly string[];
}

/** `toolAgent`: limits of every agent that a tool starts, and the model it works with. */
export interface ToolAgentSettings {
  readonly autoConfirmDangerous?: boolean;
  readonly maxToolCalls?: number;
  /** Agents of one session together. */
  readonly maxAgents?: number;
  /** Milliseconds. */
  readonly timeoutMs?: number;
  readonly providerId?: string;
  readonly model?: string;
  /** Other names for models, such as `haiku`: what agents and the model may ask for. */
  readonly models?: Readonly<Record<string, string>>;
  /** What models cost, by `provider/name`: for a million tokens each. */
  readonly prices?: Readonly<Record<string, { readonly input: number; readonly output: number }>>;
}

/** What is kept of changes, and where the head of the records goes: a file, or a program with its arguments. */
export interface JournalSettings {
  readonly enabled?: boolean;
  readonly bytes?: number;
  readonly head?: string | readonly string[];
}

/** One hook; which of the fields count depends on its type. */
export interface HookSettings {
  readonly type: "command" | "http" | "mcp_tool" | "prompt" | "agent";
  readonly [field: string]: unknown;
}

/** Hooks of one event, for the calls that `matcher` means. Default: all. */
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
  /** Who logs in: a person (`authorization_code`, the default), or the client by itself. */
  readonly grant?: "authorization_code" | "client_credentials";
  /** The client that is registered for us; its secret, if it has one. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The file of the key (PEM) by which the client proves who it is, instead of a secret. */
  readonly privateKeyFile?: string;
  /** The address of a document that describes us, for authorization servers that read one. */
  readonly clientMetadataUrl?: string;
  /** The only authorization server that may be used. */
  readonly issuer?: string;
  /** Scopes to ask for where the server names none. */
  readonly scope?: string;
  /** The port at which people come back; some authorization servers want to know it. */
  readonly callbackPort?: number;
}

/** One of `mcpServers`: how it is started or reached, and how far it is trusted. */
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
  /** Lets it ask the session's model, each time after a person has seen what for. */
  readonly sampling?: boolean;
  readonly oauth?: McpOAuthSettings;
}

/**
 * What is confined. `readers`: commands that are proved to only read, where a sandbox works. `auto`: all commands, where
 * one works. `bwrap`, `srt`: all commands, or none runs.
 */
export type SandboxTier = "auto" | "readers" | "bwrap" | "srt" | "none";

/** What one confined command may use. */
export interface SandboxLimits {
  readonly processes?: number;
  /** Address space of each process. */
  readonly memoryMB?: number;
}

/** `sandbox`: what commands run in, and what they reach from there. */
export interface SandboxSettings {
  readonly tier?: SandboxTier;
  /**
   * Hosts that confined commands reach besides those of their grant: `example.org`, `*.example.org`, or an address range
   * that opens private addresses, `10.0.0.0/8`. `true`: the whole network of the machine.
   */
  readonly network?: boolean | readonly string[];
  readonly limits?: SandboxLimits;
}

/** How commands find the terminal that they think they write to. */
export interface ShellSettings {
  /** Its size: `COLUMNS` and `LINES`, and that of real terminals of background jobs. */
  readonly columns?: number;
  readonly rows?: number;
  /** The program that shows long texts. Default `cat`: nobody turns pages. */
  readonly pager?: string;
  /** Whether programs are told to use colours, or told not to. */
  readonly color?: boolean;
  /** Further variables. Names by which code gets into a program unseen are refused. */
  readonly env?: Readonly<Record<string, string>>;
}

/** `discovery`: programs that list and run further tools, as a command line or its words. */
export interface DiscoverySettings {
  readonly command?: string | readonly string[];
  readonly callCommand?: string | readonly string[];
}

/** `web`: what the web tools may reach and use. */
export interface WebSettings {
  /** Hosts of private networks and of this machine that tools may reach. */
  readonly privateHosts?: readonly string[];
  /** The small model that answers questions about a page. */
  readonly model?: string;
  readonly search?: WebSearchSettings;
  readonly browser?: WebBrowserSettings;
}

/** `web.search`: the provider of WebSearch. */
export interface WebSearchSettings {
  readonly provider?: (typeof SEARCH_PROVIDERS)[number];
  readonly url?: string;
  readonly apiKey?: string;
}

/** `web.browser`: the browser of WebBrowser. */
export interface WebBrowserSettings {
  readonly executable?: string;
  /** Domains whose logins outlive a session. */
  readonly logins?: readonly string[];
}

/** `budgets`: how much of a result, of a batch and of single tools the model gets, in characters. */
export interface BudgetSettings {
  readonly resultChars?: number;
  readonly batchChars?: number;
  readonly tools?: Readonly<Record<string, number>>;
}

/** What one client of Haft's own server may do: each key only takes away from what the server's policy allows. */
export interface ServerClientSettings extends ToolPolicy {
  /** Rules beside those of the session. */
  readonly rules?: { readonly ask?: readonly string[]; readonly deny?: readonly string[] };
  /** Counts where it is stricter than the session's. */
  readonly mode?: string;
}

/** Haft as a server for other programs. */
export interface ServerSettings {
  /** Whose tools are served: Haft's own, those of the configured MCP servers, or all. Default `own`. */
  readonly tools?: "own" | "servers" | "all";
  /** Clients by name; `*` stands for every client that is not named. */
  readonly clients?: Readonly<Record<string, ServerClientSettings>>;
}

/** What all forms of settings share: one value per key, names canonical, every key optional. */
interface CommonSettings {
  readonly defaultMode?: Mode;
  /** Mode bypassPermissions cannot be entered. Any layer may say so, none may take it back. */
  readonly bypassDisabled?: true;
  readonly additionalDirectories?: readonly string[];
  readonly tools?: Readonly<Record<string, ToolSetting>>;
  readonly enableToolCalls?: boolean;
  readonly useTools?: readonly string[] | null;
  readonly bash?: BashSettings;
  readonly shell?: ShellSettings;
  readonly toolAgent?: ToolAgentSettings;
  readonly hooks?: HooksSettings;
  readonly mcpServers?: Readonly<Record<string, McpServerSettings>>;
  readonly server?: ServerSettings;
  readonly sandbox?: SandboxSettings;
  readonly model?: string;
  readonly concurrency?: "effects" | "partition" | "strict";
  /** Most calls that run at the same time. Default 10. */
  readonly maxConcurrent?: number;
  /** Whether the model is told that independent calls may be made in one turn. Default true. */
  readonly batching?: boolean;
  readonly gates?: Readonly<Record<string, boolean | string>>;
  readonly discovery?: DiscoverySettings;
  readonly flow?: "enforce" | "off";
  readonly journal?: JournalSettings;
  readonly web?: WebSettings;
  readonly budgets?: BudgetSettings;
}

/** One file's settings in the common form. Its rules stand beside it, see `SettingsLayer`. */
export interface LayerSettings extends CommonSettings {
  readonly policy?: ToolPolicy;
}

/** Settings as a person or a program writes them, before names and folders are in their common form. */
export interface WrittenSettings
  extends Omit<LayerSettings, "tools" | "sandbox" | "defaultMode" | "bypassDisabled" | "additionalDirectories"> {
  readonly permissions?: {
    readonly allow?: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
    readonly tests?: readonly RuleTest[];
    readonly defaultMode?: string;
    readonly disableBypassPermissionsMode?: "disable";
    readonly additionalDirectories?: readonly string[];
  };
  readonly tools?: Readonly<Record<string, ToolSetting & BashSettings>> | ToolPolicy;
  readonly sandbox?: SandboxTier | SandboxSettings;
  readonly toolAgentSettings?: ToolAgentSettings;
}

/** The settings in force, all layers together. */
export interface Settings extends CommonSettings {
  /** All hold, one after the other: see `createToolFilter`. */
  readonly toolPolicies: readonly SourcedToolPolicy[];
}

/** Calls that a rule of the same file has to hit, and calls that it must not. A text is a command for Bash. */
export interface RuleTest {
  readonly rule: string;
  readonly match?: readonly TestedCall[];
  readonly not_match?: readonly TestedCall[];
  /** Line in the file, from 1. */
  readonly line?: number;
}

/** A call that a rule test is about: a command, or a tool with its input. */
export type TestedCall = string | { readonly tool: string; readonly input?: Readonly<Record<string, unknown>> };

/** One place where settings are written, parsed. */
export interface SettingsLayer {
  readonly origin: SettingsOrigin;
  readonly file: string;
  readonly settings: LayerSettings;
  readonly rules: readonly RuleSource[];
  readonly problems: readonly SettingsProblem[];
  /** Line of a place in the file, from 1, where the reader kept it. */
  lineOf?(path: readonly string[]): number | undefined;
  /** What the file says its rules mean. Whoever loads it holds them to that. */
  readonly tests?: readonly RuleTest[];
}
