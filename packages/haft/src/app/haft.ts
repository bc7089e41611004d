import type { Toolbox } from "@haft/core/adapter";
import type { Answer, ApprovalRequest, Asker, Receipt } from "@haft/core/approval";
import type { ForeignTool } from "@haft/core/compat/foreign";
import type {
  BatchOptions,
  CallEvent,
  CallEventType,
  CallOutcome,
  CallRequest,
  Concurrency,
  Explanation,
  OpenBatch,
} from "@haft/core/executor";
import type { Hook } from "@haft/core/hook";
import type { ApprovalTable, HostPorts, RecordStore, SpillStore, UndoJournal } from "@haft/core/host";
import type { Mode, RuleSource, ServerSettings, Settings, ShellSettings, WrittenSettings } from "@haft/core/policy";
import type { Entry, Offer, Registry } from "@haft/core/registry";
import type { AgentRef, Agents, Canvas, ChannelDriver, Progress, Result, ToolLike } from "@haft/core/tool";
import type { JournalHints, Undone } from "@haft/journal";
import type { Browser, McpServers } from "@haft/mcp";
import type { HookCallbacks, RunHooks } from "@haft/plugins/hook";
import type { JobStore } from "@haft/service/jobs";
import type { QueueOptions } from "@haft/workers";
import type { Effort, Mailbox, Model } from "../agent/index.ts";
import type { SessionSpending } from "./agents/spending.ts";
import type { SkillCommands } from "./extend/skill-commands.ts";
import type { FormatOptions, Formats } from "./formats.ts";
import type { Notice, NoticeListener } from "./notice.ts";
import type { SessionLink } from "./session/sessions.ts";

/** Rules as text, in the grammar of the settings. */
export interface RuleTexts {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

/** Options of a Haft. Each has a default: the built-in tools, in the folder of the process, under its settings. */
export interface HaftOptions {
  /** The folder to work in. Default: the process's. */
  readonly cwd?: string;
  /**
   * The host's own tools, added to the built-in ones; or only a preset of the built-in ones. Default `coding`. Tools of the
   * AI SDK, LangChain, OpenAI Agents, Mastra, MCP servers and Anthropic's SDK are taken as they are; those without a name
   * as a record by name.
   */
  readonly tools?: "coding" | "read-only" | readonly (ToolLike | ForeignTool)[];
  /** The decision where no rule matches. Default: that of the settings, else `default`. */
  readonly mode?: Mode;
  /** Rules with the precedence of the command line. */
  readonly rules?: RuleTexts;
  /**
   * Answers calls that need approval: a function, or `host` for `pending()` and `answer()`. Without either, calls that
   * would ask are denied.
   */
  readonly ask?: Asker | "host";
  /**
   * `false`: read no settings files. A path: read this file too. An object: the keys of a settings file, with the
   * precedence of the command line. See `settingsFiles`.
   */
  readonly settings?: false | string | WrittenSettings;
  /**
   * `false`: read no settings files, so that only an object in `settings` counts. `own`: read those of the user and the
   * administrator, and none of the folder; also with a `host`. Folders that they add to the workspace count on this machine
   * only.
   */
  readonly settingsFiles?: false | "own";
  /**
   * `false`: do not start the configured MCP servers, for programs that only look at rules and tools. `served`: start them
   * only if the settings serve their tools (`server.tools`).
   */
  readonly mcpServers?: false | "served";
  /** The model that MCP servers may use if the settings allow it, as `provider/name`. Default: that of the settings. */
  readonly model?: string;
  /**
   * The names that the model calls tools by: `gemini`, `codex`, `opencode`, `openclaw`, `sema`, `antigravity`; or one for
   * each pattern of a model's name (`{"gemini-*": "gemini"}`). Rules, hooks and records keep Haft's names. Default: that of
   * the settings, else Haft's own names.
   */
  readonly dialect?: string | Readonly<Record<string, string>>;
  /** The model if neither `model` nor the settings name one. */
  readonly fallbackModel?: string;
  /**
   * The kind of agent that the session runs as, by its name in the agent files. Its tools, mode, budget, effects, hooks and
   * memory hold for the whole session; its model counts where `model` is absent.
   */
  readonly agent?: string;
  /** Most tokens and money for the session and its agents together. Money needs a price (`toolAgent.prices`, or a list price). */
  readonly budget?: { readonly tokens?: number; readonly money?: number };
  /** Opens a model by its name, for agents that a tool starts. Default: by provider, with API keys from the environment. */
  readonly openModel?: (name: string) => Model | Promise<Model>;
  /** Lets a person log in where an MCP server requires it. Absent: such a server fails with the steps to take. */
  readonly browser?: Browser;
  /** Ignore the user's own settings file. */
  readonly withoutUserSettings?: boolean;
  /** Let the folder's own settings loosen as well as tighten. Default: the user's decision with `haft trust`. */
  readonly trusted?: boolean;
  /** Resume this session instead of starting one. */
  readonly session?: string;
  /** The folder for sessions. `false`: nothing is written to disk, and results that are too long are cut. */
  readonly stateDir?: string | false;
  /**
   * Writes nothing to disk, as with `stateDir: false`, but earlier trust and grants count, and so do known MCP servers and
   * their tools. With `session`, that session's grants count too. For programs that only ask what would be decided.
   */
  readonly lookOnly?: true;
  /**
   * `false`: keep no changes of calls, so nothing can be undone. Or the words with which results explain how to continue
   * with a command's changes, by the commands or buttons of your program. Default: by the model's tool for it. Or a journal
   * of your own.
   */
  readonly journal?: false | JournalHints | UndoJournal;
  /**
   * The machine that tools work on, if it is not this one. `cwd` and `home` are then folders there, and settings files
   * are read only with `settingsFiles: "own"`. See docs/stores-and-hosts.md.
   */
  readonly host?: HostPorts;
  /** Your own store for questions. Default: files of the session. */
  readonly approvals?: ApprovalTable;
  /** Your own store for the session's record. Default: a file of the session. */
  readonly record?: RecordStore;
  /** Your own store for results that are too long for the model. Default: files of the session. */
  readonly spill?: SpillStore;
  /** The terminal and environment of commands. Each key overrides that of the settings. */
  readonly shell?: ShellSettings;
  /** Functions around calls; they run before the hooks of the settings. */
  readonly hooks?: readonly Hook[];
  /** Functions of another program in the documented protocol of hooks; they run beside the hooks of the settings. */
  readonly hookCallbacks?: HookCallbacks;
  /** How calls of one message are ordered. Default `effects`: calls that do not conflict overlap. */
  readonly concurrency?: Concurrency;
  /** `false`: allow repeated calls. For callers that are programs; a model's repetition is a loop. */
  readonly loopGuard?: false;
  /** Receives events of calls from the start; see `Haft.on`. Errors that it throws are ignored. */
  readonly onEvent?: (event: CallEvent) => void;
  /**
   * Receives everything that the person should know and no result contains: ignored settings, a missing sandbox, messages
   * of hooks, answers without effect. Called from the start, so also before there is a Haft. Default: a process warning for
   * each.
   */
  readonly onNotice?: NoticeListener;
  /** The user's home folder. Default: that of the system. */
  readonly home?: string;
  /** Environment for settings and state folders. Default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Further channels for the tool message, by name: those of plugins and of your program. */
  readonly channels?: Readonly<Record<string, ChannelDriver>>;
  /** The canvas of a web console that shows the session. */
  readonly canvas?: Canvas;
  /** Milliseconds after which an unanswered approval is denied. Default: it waits. */
  readonly approvalTimeoutMs?: number;
  /** Sends calls to workers: the address of the queue (`redis://HOST:PORT`), or more. Needs `@haft/workers`. */
  readonly queue?: string | QueueOptions;
}

/** Options of one call. */
export interface CallOptions {
  /** A repeated id returns the stored result of the first call. */
  readonly id?: string;
  /** The id of the model's message, for tools that need it. */
  readonly messageId?: string;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Receives progress while the call runs. */
  readonly onUpdate?: (progress: Progress) => void;
  /** A program makes the call, and not a model: it needs no definition of the tool, and may repeat itself. */
  readonly isProgram?: boolean;
}

/** The options of `with`. They only narrow: rules add up, a mode never loosens, and tools are a subset. */
export interface AgentScope {
  /** Names of the remaining tools. Default: all. */
  readonly tools?: readonly string[];
  /** Additional rules. */
  readonly rules?: Pick<RuleTexts, "ask" | "deny">;
  /** Applies if it is stricter than the mode in force. */
  readonly mode?: Mode;
  /** The agent that makes the calls. */
  readonly agent?: AgentRef;
  /**
   * Rules such as `write(docs/**)` that must cover every effect of every call. Everything else is refused, whatever mode
   * and rules say. Session notes and questions are exempt. An empty list covers nothing.
   */
  readonly effects?: readonly string[];
  /** A further condition for every tool, checked for each list and each call. */
  only?(entry: Entry): boolean;
  /** Separates its grants, reads and memory: for somebody else, not for a part of the same work. */
  readonly apart?: true;
}

/** The part of an agent's file that the program which runs the loop needs. */
export interface AgentRole {
  readonly name: string;
  /** The agent's instructions, for the system prompt. */
  readonly system: string;
  /** Sent first, before the person's own prompt. */
  readonly initialPrompt?: string;
  readonly maxTurns?: number;
  readonly effort?: Effort;
}

/** The form in which tools are offered. */
export interface OfferChoice {
  /**
   * Leaves out the definitions of further tools until the model loads them (`gates.toolSearch`). Use it only if you request
   * an offer before every request: loaded tools are in the next offer. `"withheld"`: definitions are included in full and
   * marked, for a provider that hides them from the model itself. Default: every tool is offered in full.
   */
  readonly deferred?: boolean | "withheld";
}

/** Haft, ready to use: tools, policy, approvals and the record of one session. */
export interface Haft extends AsyncDisposable {
  /** The session, and the file of its record if it has one. */
  readonly session: { readonly id: string; readonly path?: string };
  /** The folder it works in, as a real path. */
  readonly cwd: string;
  /** The mode in force. */
  readonly mode: Mode;
  /** The rules that hold now: those of the settings and the options, then what people have allowed in the session. */
  readonly rules: readonly RuleSource[];
  /** All known tools, offered or not. */
  readonly registry: Registry;
  /** The MCP servers of the session: their state, and adding more at run time. */
  readonly mcp: McpServers;
  /** The skills that people may call as commands. */
  readonly skills: SkillCommands;
  /** The notices so far: the latest hundred, oldest first. */
  readonly notices: readonly Notice[];
  /** The settings for long conversations. */
  readonly compaction: NonNullable<Settings["compaction"]>;
  /** The settings for Haft as a server. */
  readonly serving: ServerSettings;
  /** The model of the session, as `provider/name`: the one given, else that of the settings. */
  readonly model: string | undefined;
  /** The agent that the session runs as (`agent` of the options). For programs that run the loop. */
  readonly role?: AgentRole;
  /**
   * Changes the mode of the session for all calls from now on. For people, not for agents: a narrowed Haft refuses.
   *
   * @throws HaftError `validation_failed` if the settings or this machine do not allow the mode.
   */
  setMode(mode: Mode): Promise<void>;
  /** Changes the model of the session. Agents that a tool starts from now on inherit it. A narrowed Haft refuses. */
  setModel(name: string): void;
  /**
   * Replaces the switches of tools in the settings (`enableToolCalls`, `tools`), from the next request and call on. For
   * people, not for agents: a narrowed Haft refuses.
   */
  setTools(switches: Pick<Settings, "enableToolCalls" | "tools">): void;
  /** The tools in the format of a model API or SDK. Keys use the host's own option names. */
  for<F extends keyof Formats>(format: F, options?: FormatOptions[F]): Formats[F];
  /** The base for your own adapters, and for `createCodingTools` of `@haft/core/compat/agent-tool`. */
  readonly toolbox: Toolbox;
  /** One call through the whole pipeline. The same id with the same input returns the stored result. */
  call(tool: string, input: unknown, options?: CallOptions): Promise<Result>;
  /** The calls of one model message, added as they arrive. */
  open(options?: BatchOptions): OpenBatch;
  /** All calls of one model message. Returns one outcome each, in order. Never rejects because of a call. */
  run(calls: readonly CallRequest[], options?: BatchOptions): Promise<readonly CallOutcome[]>;
  /** The tool list of a model request, for the current state. */
  offer(options?: OfferChoice): Promise<Offer>;
  /**
   * Runs the discovery program and lists the tools of the MCP servers again. Tools that vanished go; a source that fails
   * keeps its tools.
   */
  discover(): Promise<void>;
  /**
   * Prepares the first command and the first tool search; call it before a model request. While the model thinks, it probes
   * and sets up a sandbox, and reads tools that were offered by name only. Returns at once. Unused, the sandbox is removed
   * after some minutes, and with Haft at the latest.
   */
  prepare(): void;
  /** The decision about a call, with its reasons. Runs nothing. */
  explain(tool: string, input: unknown): Promise<Explanation>;
  /** Runs the hooks of the settings for an event of the session: start, end, a prompt, the end of a turn. */
  readonly runHooks: RunHooks;
  /** Messages to the agent while it works, and the conversation that its tools may cut. For programs that run the loop. */
  readonly mailbox: Mailbox;
  /** The way to the user's other sessions; absent where nothing is written to disk. For programs that run the loop. */
  readonly link?: SessionLink;
  /** The agents that can be started or were started; absent without a model for them. */
  readonly agents?: Agents;
  /**
   * The instruction files of the user and of the trusted project (AGENTS.md, CLAUDE.md), as a part of a system prompt.
   * Empty without any.
   */
  instructions(): Promise<string>;
  /**
   * A model whose requests count towards the session's budget.
   *
   * @throws HaftError `invalid_input` where the budget limits money and the model's price is unknown.
   */
  metered(model: Model): Model;
  /** Tokens and money that the session and its agents have spent on models. Money is absent where a price is unknown. */
  readonly spent: SessionSpending;
  /** The background jobs of the session. `finished` returns those that ended since its last call. */
  readonly jobs: Pick<JobStore, "list" | "finished">;
  /**
   * Approvals that wait for an answer. Includes those left by an earlier process of this session: their answer counts when
   * the same call is made again.
   */
  pending(): readonly ApprovalRequest[];
  /** Answers an approval. An answer that is late, repeated or for another request has no effect, as the receipt reports. */
  answer(id: string, answer: Answer, by?: string): Receipt;
  /**
   * Undoes a call's changes to files; without an id, those of the last call that changed any. If others have changed the
   * same paths since, it fails with `conflict` and changes nothing.
   */
  undo(call?: string): Promise<Undone>;
  /** Redoes the last undo, or the undo of a call. */
  redo(call?: string): Promise<Undone>;
  /** Receives events of calls, or only of these types, until the returned function is called. */
  on(listener: (event: CallEvent) => void, types?: readonly CallEventType[]): () => void;
  /** A narrowed Haft for a subagent: the same session, locks and approvals. */
  with(narrowing: AgentScope): Haft;
}
