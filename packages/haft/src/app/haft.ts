import type { Toolbox } from "@haft/core/adapter";
import type { Answer, ApprovalRequest, Asker, Receipt } from "@haft/core/approval";
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
import type { Mode, ServerSettings, ShellSettings, WrittenSettings } from "@haft/core/policy";
import type { Entry, Offer, Registry } from "@haft/core/registry";
import type { AgentRef, Agents, Progress, Result, ToolLike } from "@haft/core/tool";
import type { Browser, JobStore, JournalWays, McpManager, RunHooks, Undone } from "@haft/tools";
import type { AgentDesk, Model } from "../agent/index.ts";
import type { FormatOptions, Formats } from "./formats.ts";
import type { Notice, NoticeListener } from "./notice.ts";

/** Rules as text, in the grammar of the settings. */
export interface RuleTexts {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

/** What a Haft is made of. Everything has a default: the built-in tools, in the folder of the process, under its settings. */
export interface HaftOptions {
  /** The folder to work in. Default: the process's. */
  readonly cwd?: string;
  /** Tools of the host's own, beside the built-in ones; or only a preset of those. Default `coding`. */
  readonly tools?: "coding" | "read-only" | readonly ToolLike[];
  /** What is decided where no rule says anything. Default: that of the settings, else `default`. */
  readonly mode?: Mode;
  /** Rules with the weight of the command line. */
  readonly rules?: RuleTexts;
  /**
   * Who answers when a call needs a yes: a function, or `host` for `pending()` and `answer()`. With neither, what would
   * ask is denied.
   */
  readonly ask?: Asker | "host";
  /**
   * `false`: read no settings files. A path: read this file too. An object: the keys of a settings file, with the weight of
   * the command line. See `settingsFiles`.
   */
  readonly settings?: false | string | WrittenSettings;
  /** `false`: read no settings files, so that only an object in `settings` counts. */
  readonly settingsFiles?: false;
  /**
   * `false`: the configured MCP servers are not started. For what only looks at rules and tools. `served`: only where the
   * settings want their tools served (`server.tools`).
   */
  readonly mcpServers?: false | "served";
  /** The model that MCP servers may ask, where the settings let one, as `provider/name`. Default: that of the settings. */
  readonly model?: string;
  /** Opens a model by its name, for agents that a tool starts. Default: by provider, with the keys of the environment. */
  readonly openModel?: (name: string) => Model | Promise<Model>;
  /** Brings a person to log in where an MCP server wants that. Absent: such a server fails with what to do. */
  readonly browser?: Browser;
  /** Leave the user's own settings file out. */
  readonly withoutUserSettings?: boolean;
  /** Let the folder's own settings loosen as well as tighten. Default: as the user has decided with `haft trust`. */
  readonly trusted?: boolean;
  /** Go on with this session instead of starting one. */
  readonly session?: string;
  /** Where sessions are kept. `false`: nothing is written to disk, and too long results are cut. */
  readonly stateDir?: string | false;
  /**
   * Nothing is written to disk, as with `stateDir: false`; but what was trusted and granted before counts, and what is
   * known of MCP servers and their tools, with `session` also what was granted in that. For who only asks what would be decided.
   */
  readonly lookOnly?: true;
  /**
   * `false`: nothing of what calls change is kept, and nothing can be undone. Or in which words results say how one goes on
   * with what a command changed: by the commands or buttons of your program. Default: by the model's tool for it.
   */
  readonly journal?: false | JournalWays;
  /** The terminal and the environment that commands find; each key stands over that of the settings. */
  readonly shell?: ShellSettings;
  /** Functions around calls, before the hooks of the settings. */
  readonly hooks?: readonly Hook[];
  /** How calls of one message are ordered. Default `effects`: those that are not in each other's way overlap. */
  readonly concurrency?: Concurrency;
  /** `false`: calls may repeat themselves. For callers that are programs; a model's repetition is a loop. */
  readonly loopGuard?: false;
  /** Hears what happens to calls from the start; see `Haft.on`. What it throws is ignored. */
  readonly onEvent?: (event: CallEvent) => void;
  /**
   * Hears everything that the person should know and no result says: settings that do not count, a sandbox that is not
   * there, what hooks have to say, answers that came to nothing. From the start, so also before there is a Haft. Default:
   * a process warning for each.
   */
  readonly onNotice?: NoticeListener;
  /** The user's home folder. Default: what the system says. */
  readonly home?: string;
  /** Environment for settings and state folders. Default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds after which an unanswered approval is a no. Default: it waits. */
  readonly approvalTimeoutMs?: number;
}

/** What is said about one call. */
export interface CallOptions {
  /** A call with an id that has run before gives its result again. */
  readonly id?: string;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Hears how the call goes on, while it runs. */
  readonly onUpdate?: (progress: Progress) => void;
}

/** What `with` may change. It narrows: rules add up, a mode never loosens, tools are a choice of those there are. */
export interface Narrowing {
  /** Names of the tools that are left. Default: all. */
  readonly tools?: readonly string[];
  /** Rules that come on top. */
  readonly rules?: Pick<RuleTexts, "ask" | "deny">;
  /** Counts where it is stricter than the one in force. */
  readonly mode?: Mode;
  /** Who makes the calls from now on. */
  readonly agent?: AgentRef;
  /**
   * Rules such as `write(docs/**)` that have to cover every effect of every call: all else is refused, whatever mode and
   * rules say. Notes of the session and questions are free. An empty list: nothing.
   */
  readonly effects?: readonly string[];
  /** A further condition for every tool, asked for each list and each call. */
  only?(entry: Entry): boolean;
  /** Keeps to itself what it is granted, has read and remembers: for somebody else, not for a part of the same work. */
  readonly apart?: true;
}

/** In which form tools are offered. */
export interface OfferChoice {
  /**
   * Leaves the definitions of further tools out until the model loads them (`gates.toolSearch`). Only for who asks for an
   * offer before every request: what was loaded is in the next one. `"withheld"`: they go along in full and marked, for a provider that keeps them from
   * the model itself. Default: every tool is offered in full.
   */
  readonly deferred?: boolean | "withheld";
}

/** Haft, ready to use: tools, policy, approvals and the record of one session. */
export interface Haft extends AsyncDisposable {
  /** The session, and the file of its record where one is kept. */
  readonly session: { readonly id: string; readonly path?: string };
  /** The folder it works in, at its real location. */
  readonly cwd: string;
  /** The mode in force. */
  readonly mode: Mode;
  /** The tools that are known, offered or not. */
  readonly registry: Registry;
  /** The MCP servers of the session: how they are doing, and more of them at run time. */
  readonly mcp: McpManager;
  /** What `onNotice` has heard so far: the latest hundred, oldest first. */
  readonly notices: readonly Notice[];
  /** What the settings say of Haft as a server. */
  readonly serving: ServerSettings;
  /** The model of the session, as `provider/name`: the one given, else that of the settings. */
  readonly model?: string;
  /** The tools in the format of a model API or SDK. The keys are the host's own option names. */
  for<F extends keyof Formats>(format: F, options?: FormatOptions[F]): Formats[F];
  /** What adapters of your own stand on, and `createCodingTools` of `@haft/core/compat/agent-tool`. */
  readonly toolbox: Toolbox;
  /** One call through the whole pipeline. The same id with the same input gives the stored result. */
  call(tool: string, input: unknown, options?: CallOptions): Promise<Result>;
  /** The calls of one model message, as they come. */
  open(options?: BatchOptions): OpenBatch;
  /** All calls of one model message: an outcome for each, in their order. Never rejects for what a call does. */
  run(calls: readonly CallRequest[], options?: BatchOptions): Promise<readonly CallOutcome[]>;
  /** The tool list of a model request, as things stand now. */
  offer(options?: OfferChoice): Promise<Offer>;
  /**
   * Gets ready for the first command and the first search for tools, for who goes to ask a model now: a sandbox is tried
   * and put up, and tools are read that only their names were offered of, while the model thinks. Returns at once. Unused it goes away after some minutes, and with Haft at the latest.
   */
  prepare(): void;
  /** What would be decided about a call, and why. Runs nothing. */
  explain(tool: string, input: unknown): Promise<Explanation>;
  /** Runs the hooks of the settings for an event of the session: its start and end, a prompt, the end of a turn. */
  readonly runHooks: RunHooks;
  /** What is said to the agent while it works, and the conversation that its tools may cut: for who runs the loop. */
  readonly desk: AgentDesk;
  /** The agents that can be started, and those that were; absent where there is no model for them. */
  readonly agents?: Agents;
  /** The background jobs of the session. `finished` gives those that have ended since it was last asked. */
  readonly jobs: Pick<JobStore, "list" | "finished">;
  /**
   * Approvals that wait for an answer. Also those that an earlier process of this session has left: their answer counts
   * when the same call is made again.
   */
  pending(): readonly ApprovalRequest[];
  /** Answers one of them. An answer that comes late, twice or for a foreign request changes nothing and says so. */
  answer(id: string, answer: Answer, by?: string): Receipt;
  /**
   * Takes back what a call changed in files; without an id, the last one that changed any. Refuses with `conflict`, and
   * changes nothing, when others have changed the same paths since.
   */
  undo(call?: string): Promise<Undone>;
  /** Does again what was undone last, or what was undone of a call. */
  redo(call?: string): Promise<Undone>;
  /** Hears what happens to calls, or only of these types, until the returned function is called. */
  on(listener: (event: CallEvent) => void, types?: readonly CallEventType[]): () => void;
  /** A narrowed Haft for a subagent: the same session, locks and approvals. */
  with(narrowing: Narrowing): Haft;
}
