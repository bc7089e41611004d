import type { AgentIsolation } from "../../tool/index.ts";
import type { Mode, Origin } from "../decision.ts";
import type { RuleSource } from "../rule/rule.ts";
import type { SourcedToolPolicy, ToolPolicy, ToolSetting } from "../toolset/index.ts";
import type { HOOK_FAILURES, HookEventName, SEARCH_PROVIDERS } from "./schema.ts";

/** The places of settings, strongest first. The first that sets a single value decides it. */
export const SETTINGS_PRECEDENCE = ["managed", "cli", "local", "project", "user"] as const satisfies readonly Origin[];

/** The source of settings. */
export type SettingsOrigin = (typeof SETTINGS_PRECEDENCE)[number];

/** A problem of a settings file that a person should know. With an `error`, nothing may start. */
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

/** `bash`: how commands are confined, and when a person is asked. */
export interface BashSettings {
  readonly enableSandbox?: boolean;
  readonly defaultWorkingDirectory?: string;
  readonly allowedDirectories?: readonly string[];
  readonly confirmDangerousCommands?: boolean;
  readonly dangerousCommandWhitelist?: readonly string[];
}

/** `toolAgent`: limits of every agent that a tool starts, and its model. */
export interface ToolAgentSettings {
  readonly autoConfirmDangerous?: boolean;
  readonly maxToolCalls?: number;
  /** The folder in which an agent works, unless its kind or the request says it. Default `auto`. */
  readonly isolation?: AgentIsolation;
  /** For all agents of one session together. */
  readonly maxAgents?: number;
  /** Milliseconds. */
  readonly timeoutMs?: number;
  readonly providerId?: string;
  readonly model?: string;
  /** Aliases for models, such as `haiku`: names that agents and the model may request. */
  readonly models?: Readonly<Record<string, string>>;
  /** Prices of models, by `provider/name`, in US dollars per million tokens. */
  readonly prices?: Readonly<
    Record<
      string,
      { readonly input: number; readonly output: number; readonly cacheRead?: number; readonly cacheWrite?: number }
    >
  >;
}

/** The settings of the journal, and the destination of the records' head: a file, or a program with its arguments. */
export interface JournalSettings {
  readonly enabled?: boolean;
  readonly tier?: "view" | "clone" | "direct";
  readonly bytes?: number;
  readonly head?: string | readonly string[];
}

/** One hook. Its type decides which of the fields count. */
export interface HookSettings {
  readonly type: "command" | "http" | "mcp_tool" | "prompt" | "agent";
  readonly [field: string]: unknown;
}

/** Hooks of one event, for the calls that `matcher` matches. Default: all. */
export interface HookGroupSettings {
  readonly matcher?: string;
  readonly hooks: readonly HookSettings[];
}

/** Hooks by event, and the decision for a call whose guard failed. */
export type HooksSettings = Readonly<Partial<Record<HookEventName, readonly HookGroupSettings[]>>> & {
  readonly onFailure?: (typeof HOOK_FAILURES)[number];
};

/** How people log in to an MCP server that does not announce everything itself. */
export interface McpOAuthSettings {
  /** The party that logs in: a person (`authorization_code`, the default), or the client by itself. */
  readonly grant?: "authorization_code" | "client_credentials";
  /** The client registered for us; its secret, if any. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The key file (PEM) with which the client proves its identity, instead of a secret. */
  readonly privateKeyFile?: string;
  /** The address of a document that describes us, for authorization servers that support one. */
  readonly clientMetadataUrl?: string;
  /** The only authorization server that may be used. */
  readonly issuer?: string;
  /** Scopes to request if the server names none. */
  readonly scope?: string;
  /** The callback port for people's browsers; some authorization servers require a fixed one. */
  readonly callbackPort?: number;
}

/** One of `mcpServers`: how to start or reach it, and how far to trust it. */
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
  /** Timeouts in milliseconds: for its start, and for silence during a call. `timeoutMs` is another spelling of the latter. */
  readonly startTimeoutMs?: number;
  readonly callTimeoutMs?: number;
  readonly timeoutMs?: number;
  /** The only tools of the server that exist, and those that do not, by the server's own names. */
  readonly allowedTools?: readonly string[];
  readonly disabledTools?: readonly string[];
  readonly alwaysLoad?: boolean;
  /** Starts the server confined: it writes only the workspace, reads nothing private, and has no network. */
  readonly sandbox?: boolean;
  /** Lets the server ask the session's model. A person approves each request. */
  readonly sampling?: boolean;
  readonly oauth?: McpOAuthSettings;
}

/**
 * Which commands are confined. `readers`: commands that are proved to only read, where a sandbox works. `auto`: all
 * commands, where one works. `bwrap`, `srt`: all commands; without it none runs.
 */
export type SandboxTier = "auto" | "readers" | "bwrap" | "srt" | "none";

/** Limits of one confined command. */
export interface SandboxLimits {
  readonly processes?: number;
  /** Address space of each process. */
  readonly memoryMB?: number;
}

/** `sandbox`: where commands run, and what they reach from there. */
export interface SandboxSettings {
  readonly tier?: SandboxTier;
  /**
   * Extra hosts that every confined command may reach: `example.org`, `*.example.org`, or an address range that opens
   * private addresses, `10.0.0.0/8`. `true`: the whole network of the machine.
   */
  readonly network?: boolean | readonly string[];
  readonly limits?: SandboxLimits;
}

/** The terminal that commands detect. */
export interface ShellSettings {
  /** Its size: `COLUMNS` and `LINES`, and the size of real terminals of background jobs. */
  readonly columns?: number;
  readonly rows?: number;
  /** The program that shows long texts. Default `cat`, because nobody turns pages. */
  readonly pager?: string;
  /** Whether programs are told to use colours or not to. */
  readonly color?: boolean;
  /** Further variables. Names that inject code into a program are refused. */
  readonly env?: Readonly<Record<string, string>>;
}

/** `discovery`: programs that list and run further tools, as a command line or its words. */
export interface DiscoverySettings {
  readonly command?: string | readonly string[];
  readonly callCommand?: string | readonly string[];
}

/** `web`: what the web tools may reach and use. */
export interface WebSettings {
  /** Hosts of private networks and of this machine that the web tools may reach. */
  readonly privateHosts?: readonly string[];
  /** Whether WebFetch obeys the robots.txt of a site. */
  readonly robots?: boolean;
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

/** One of `channels`: a way to reach people with the tool message. */
export interface ChannelSettings {
  readonly type: "webhook" | "file" | "smtp" | "slack" | "discord" | "telegram";
  /** The address of the webhook, of the mail server (`smtp://user@host:587`), or of another server of the service. */
  readonly url?: string;
  /** The file that gets a line for each message. */
  readonly file?: string;
  /** The key or password, or the environment variable that holds it. */
  readonly token?: string;
  readonly tokenEnv?: string;
  /** The default recipient. */
  readonly to?: string;
  /** For mail. */
  readonly from?: string;
  readonly subject?: string;
}

/** One of `lsp`: a language server. */
export interface LanguageServerSettings {
  readonly command?: string;
  readonly args?: readonly string[];
  /** The extensions of its files, such as `.ts`. */
  readonly extensions?: readonly string[];
  readonly initializationOptions?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly enabled?: boolean;
  /** Whether edits report the errors that it finds. */
  readonly diagnostics?: boolean;
  readonly timeoutMs?: number;
  /** Starts it confined. Default: if commands are. */
  readonly sandbox?: boolean;
}

/** `sessions`: how far the sessions of this user see each other, and how long they are kept. */
export interface SessionsSettings {
  /** `self`: no other session. `tree`: those that it started, and their starters. `all`: every session of the user. */
  readonly visibility?: "self" | "tree" | "all";
  /** Most messages that may follow from one another between sessions. */
  readonly maxHops?: number;
  /** Days after its last write for which a session is kept; 0: for ever. */
  readonly keepDays?: number;
  /** Most sessions that a folder keeps; 0: any number. */
  readonly keepCount?: number;
}

/** `compaction`: when the conversation with the model is summarized. */
export interface CompactionSettings {
  /** Summarize when the conversation fills the model's context. Default true. */
  readonly auto?: boolean;
  /** Tokens that the model can read. Default: those of the provider's models, where Haft knows them. */
  readonly contextTokens?: number;
}

/** `budgets`: how many characters the model gets of a result, of a batch and of single tools. */
export interface BudgetSettings {
  readonly resultChars?: number;
  readonly batchChars?: number;
  readonly tools?: Readonly<Record<string, number>>;
}

/** Rights of one client of the server of Haft. Each key only restricts what the server's policy allows. */
export interface ServerClientSettings extends ToolPolicy {
  /** Rules in addition to those of the session. */
  readonly rules?: { readonly ask?: readonly string[]; readonly deny?: readonly string[] };
  /** Applies where it is stricter than the session's mode. */
  readonly mode?: string;
}

/** Haft as a server for other programs. */
export interface ServerSettings {
  /** Which tools are served: Haft's own, those of the configured MCP servers, or all. Default `own`. */
  readonly tools?: "own" | "servers" | "all";
  /** Clients by name; `*` means every client that is not named. */
  readonly clients?: Readonly<Record<string, ServerClientSettings>>;
}

/** The keys that all forms of settings share: one value per key, names canonical, every key optional. */
interface CommonSettings {
  readonly defaultMode?: Mode;
  /** Mode bypassPermissions cannot be entered. Any layer may set it, none may unset it. */
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
  /** The address of the MCP registry that `haft mcp search` asks. */
  readonly mcpRegistry?: string;
  readonly lsp?: Readonly<Record<string, LanguageServerSettings>>;
  readonly server?: ServerSettings;
  readonly sandbox?: SandboxSettings;
  readonly model?: string;
  /** The names that the model calls tools by: a dialect, or one for each pattern of a model's name. */
  readonly dialect?: string | Readonly<Record<string, string>>;
  readonly concurrency?: "effects" | "partition" | "strict";
  /** Maximum number of concurrent calls. Default 10. */
  readonly maxConcurrent?: number;
  /** Whether the model is told that independent calls may be made in one turn. Default true. */
  readonly batching?: boolean;
  readonly gates?: Readonly<Record<string, boolean | string>>;
  readonly discovery?: DiscoverySettings;
  readonly flow?: "enforce" | "off";
  readonly journal?: JournalSettings;
  readonly web?: WebSettings;
  readonly channels?: Readonly<Record<string, ChannelSettings>>;
  readonly sessions?: SessionsSettings;
  readonly compaction?: CompactionSettings;
  readonly budgets?: BudgetSettings;
}

/** One file's settings in the common form. Its rules are separate, see `SettingsLayer`. */
export interface LayerSettings extends CommonSettings {
  readonly policy?: ToolPolicy;
}

/** Settings as a person or a program writes them, before names and folders are normalized. */
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
  /** All of them apply, one after the other: see `createToolFilter`. */
  readonly toolPolicies: readonly SourcedToolPolicy[];
}

/** Calls that a rule of the same file must match, and calls that it must not match. A string is a command for Bash. */
export interface RuleTest {
  readonly rule: string;
  readonly match?: readonly TestedCall[];
  readonly not_match?: readonly TestedCall[];
  /** Line in the file, from 1. */
  readonly line?: number;
}

/** A call that a rule test is about: a command, or a tool with its input. */
export type TestedCall = string | { readonly tool: string; readonly input?: Readonly<Record<string, unknown>> };

/** The parsed settings of one place. */
export interface SettingsLayer {
  readonly origin: SettingsOrigin;
  readonly file: string;
  readonly settings: LayerSettings;
  readonly rules: readonly RuleSource[];
  readonly problems: readonly SettingsProblem[];
  /** Line of a place in the file, from 1, if the reader kept it. */
  lineOf?(path: readonly string[]): number | undefined;
  /** The file's statements about its rules. The loader checks them. */
  readonly tests?: readonly RuleTest[];
}

/** All layers together. With an error among the problems, callers refuse to start. */
export interface MergedSettings {
  readonly settings: Settings;
  readonly rules: readonly RuleSource[];
  /** Allow rules of an untrusted project: without effect, but named if one would have allowed a call. */
  readonly inert: readonly RuleSource[];
  readonly problems: readonly SettingsProblem[];
}

/** Whether nothing may start with these settings. */
export const hasErrors = (problems: readonly SettingsProblem[]): boolean =>
  problems.some((problem) => problem.severity === "error");

/** The merged settings where no layer has any. */
export const NO_SETTINGS: MergedSettings = { settings: { toolPolicies: [] }, rules: [], inert: [], problems: [] };

/** Number of concurrent calls if no setting gives one. */
export const DEFAULT_CONCURRENT = 10;
