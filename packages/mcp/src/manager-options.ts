import type { Registry } from "@haft/core/registry";
import type { CallContext, ToolError } from "@haft/core/tool";
import type { Spawn } from "@haft/host";
import type { Fenced } from "@haft/sandbox";
import type { ReadResourceResult } from "@modelcontextprotocol/client";
import type { Browser } from "./auth/browser.ts";
import type { AnswerParts } from "./connection/answers.ts";
import type { ConnectionState } from "./connection/connection.ts";
import type { Live } from "./connection/open.ts";
import type { ResourceEntry } from "./definition/resource.ts";
import type { PromptText, RemotePrompt } from "./prompts.ts";
import type { McpServer } from "./server.ts";
import type { Quiet } from "./starts-in-turn.ts";

/** Texts for servers, answers to their questions, and places to store their state. */
export interface McpManagerOptions extends Pick<AnswerParts, "elicit" | "sample"> {
  readonly registry: Registry;
  /** Absolute real path of the workspace: servers start there. */
  readonly cwd: string;
  /** All folders granted to the session: servers get them as roots. Default: `cwd` alone. */
  readonly folders?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Files for pins and for facts about servers. Absent: they last as long as the manager. */
  readonly pinFile?: string;
  readonly eraFile?: string;
  /** The file of the user's logins, shared by all sessions. Absent: logins last as long as the manager. */
  readonly tokenFile?: string;
  /** Those three files are read and never written: new facts last as long as the manager. */
  readonly readOnly?: boolean;
  /** Asks a person to log in if a server requires it. Absent: the server fails with instructions. */
  readonly browser?: Browser;
  /** A folder for the stderr of servers, one file each. */
  readonly logFolder?: string;
  readonly client?: { readonly name: string; readonly version: string };
  /** Timeout in milliseconds for a server's first answer after its start. Default 30,000. */
  readonly startTimeoutMs?: number;
  /** Milliseconds that a call may be silent, for servers without their own setting. Default 60,000, as in the SDKs. */
  readonly callTimeoutMs?: number;
  /** Milliseconds that a call may take in total. Default 30 minutes. */
  readonly totalTimeoutMs?: number;
  /** Bytes of one message. Default 32 MiB. */
  readonly maxMessageBytes?: number;
  /** Lets the host delay work that would block the process. Absent: nothing is delayed. */
  readonly quiet?: Quiet;
  /** Puts a server's program in the sandbox. Absent: a server that must run in one is not started. */
  confine?(server: McpServer, plain: Spawn): Promise<Fenced>;
  /** Whether a server may be started. Asked once per server before its first start; `false` prevents it. */
  mayStart?(server: McpServer, signal: AbortSignal): Promise<boolean>;
}

/** The state of a server. */
export interface McpStatus {
  readonly server: McpServer;
  readonly state: ConnectionState;
  /** Why it is not ready. */
  readonly error?: ToolError;
  /** Names of its tools in the registry. */
  readonly tools: readonly string[];
  /** Problems with single tools of it. */
  readonly problems: readonly string[];
  readonly era?: "legacy" | "modern";
}

/** A changed resource and its server. Without an address the list of resources changed. */
export interface ResourceChange {
  readonly server: string;
  readonly uri?: string;
}

/** A part of a resource's content, as its server sent it: untrusted. */
export interface ResourcePart {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  /** Absent in binary content. */
  readonly text?: string | undefined;
  /** Binary content in Base64. */
  readonly blob?: string | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** All MCP servers of one session: their state, prompts and resources. */
export interface McpServers {
  /** Adds a server and connects to it in the background, if it is enabled. A server of the same name is replaced. */
  add(server: McpServer, options?: { readonly connect?: boolean }): void;
  /** Ends a server and removes it. */
  remove(name: string): Promise<boolean>;
  /** Ends a server and removes its tools; `connect` restores it. */
  disconnect(name: string): Promise<void>;
  /** Connects now, and resolves when its tools are registered. */
  connect(name: string): Promise<void>;
  /** Asks every enabled server for its tools again. A server that fails keeps what it has. Never rejects. */
  relist(signal?: AbortSignal): Promise<void>;
  list(): readonly McpStatus[];
  /** The last lines that a server wrote outside the protocol. */
  logs(name: string): readonly string[];
  /** Resolves when no server is still connecting, or after `ms`. Never rejects. */
  settled(ms?: number): Promise<void>;
  /** Resolves when a tool of this name is registered, or no server is still connecting, or after `ms`. */
  awaitTool(name: string, ms?: number): Promise<void>;
  /** Why a tool of this name is missing, if it would belong to a server that is not ready. */
  whyMissing(name: string): ToolError | undefined;
  /** The prompts of all connected servers, or of one, and problems with some. */
  prompts(
    server?: string,
  ): Promise<{ readonly prompts: readonly RemotePrompt[]; readonly problems: readonly string[] }>;
  /** A prompt by its command, with its arguments filled in: by name, or as text after the command. */
  prompt(command: string, given?: Readonly<Record<string, string>> | string, signal?: AbortSignal): Promise<PromptText>;
  /**
   * Subscribes to changes of a resource until the returned function is called, also over new connections. `undefined`: the server is not
   * connected, or does not report changes.
   */
  follow(name: string, uri: string): (() => void) | undefined;
  /** Listens to resource changes: of followed ones, and, without an address, of a server's list. */
  onResource(listener: (change: ResourceChange) => void): () => void;
  /** Resolves when a server is connected. @throws HaftError with the reason if it cannot be. */
  ready(name: string): Promise<void>;
  /** The resources or resource templates of a server, made safe to show. A server without resources has none. */
  resources(
    name: string,
    kind: "resources" | "templates",
    limits: { readonly ms: number; readonly signal?: AbortSignal },
  ): Promise<readonly ResourceEntry[]>;
  /** The content of a server's resource, read outside of any call. */
  resource(name: string, uri: string, signal: AbortSignal): Promise<readonly ResourcePart[]>;
  /** Ends all servers and everything they started. */
  close(): Promise<void>;
}

/** The servers of a session for the parts of Haft that speak the protocol. It adds and removes their tools in the registry. */
export interface McpManager extends McpServers {
  /** Makes a request to a server. Repeats it after a login that the server requires, or after the server lost the session. */
  request<T>(name: string, signal: AbortSignal, make: (live: Live) => Promise<T>): Promise<T>;
  /** The content of a server's resource, read as a part of a call. */
  read(name: string, uri: string, ctx: CallContext): Promise<ReadResourceResult["contents"]>;
  /** The open connection of a server. */
  live(name: string): Promise<Live>;
}
