import type { Registry } from "@haft/core/registry";
import type { CallContext, ToolError } from "@haft/core/tool";
import type { ReadResourceResult } from "@modelcontextprotocol/client";
import type { Spawn } from "../../host/index.ts";
import type { Fenced } from "../../sandbox/index.ts";
import type { Browser } from "./auth/browser.ts";
import type { AnswerParts } from "./connection/answers.ts";
import type { ConnectionState } from "./connection/connection.ts";
import type { Live } from "./connection/open.ts";
import type { PromptText, RemotePrompt } from "./prompts.ts";
import type { McpServer } from "./server.ts";
import type { Quiet } from "./starts-in-turn.ts";

/** What servers are told, who answers their questions, and where is kept what is known of them. */
export interface McpManagerOptions extends Pick<AnswerParts, "elicit" | "sample"> {
  readonly registry: Registry;
  /** Absolute real path of the workspace: servers start there. */
  readonly cwd: string;
  /** All folders that were granted to the session: what servers are told of as roots. Default: `cwd` alone. */
  readonly folders?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Files in which pins and what is known of servers are kept. Absent: as long as the manager lives. */
  readonly pinFile?: string;
  readonly eraFile?: string;
  /** The file of the user's logins, shared by all sessions. Absent: logins last as long as the manager. */
  readonly tokenFile?: string;
  /** Those three files are read and never written: what becomes known lives as long as the manager. */
  readonly readOnly?: boolean;
  /** Brings a person to log in where a server wants that. Absent: the server fails with what to do. */
  readonly browser?: Browser;
  /** A folder for what servers say on standard error, one file each. */
  readonly logFolder?: string;
  readonly client?: { readonly name: string; readonly version: string };
  /** Milliseconds until a server must have answered after its start. Default 30,000. */
  readonly startTimeoutMs?: number;
  /** Milliseconds that a call may be silent, for servers that do not say. Default 60,000; the SDKs' own default. */
  readonly callTimeoutMs?: number;
  /** Milliseconds that a call may take altogether. Default 30 minutes. */
  readonly totalTimeoutMs?: number;
  /** Bytes of one message. Default 32 MiB. */
  readonly maxMessageBytes?: number;
  /** Lets the host keep moments free of what holds the process up. Absent: nothing is in a hurry. */
  readonly quiet?: Quiet;
  /** Puts a server's program in the sandbox. Absent: a server that has to run in one is not started. */
  confine?(server: McpServer, plain: Spawn): Promise<Fenced>;
  /** Whether a server may be started. Asked once for each server before its first start; `false` leaves it alone. */
  mayStart?(server: McpServer, signal: AbortSignal): Promise<boolean>;
}

/** How a server is doing. */
export interface McpStatus {
  readonly server: McpServer;
  readonly state: ConnectionState;
  /** Why it is not ready. */
  readonly error?: ToolError;
  /** Names of its tools in the registry. */
  readonly tools: readonly string[];
  /** What was wrong with single tools of it. */
  readonly problems: readonly string[];
  readonly era?: "legacy" | "modern";
}

/** Of which server which resource has changed; without an address it is the list of them. */
export interface ResourceChange {
  readonly server: string;
  readonly uri?: string;
}

/** All MCP servers of one session. Their tools come and go in the registry. */
export interface McpManager {
  /** Takes a server in and connects to it in the background, if it is enabled. A server of the same name is replaced. */
  add(server: McpServer, options?: { readonly connect?: boolean }): void;
  /** Ends a server and forgets it. */
  remove(name: string): Promise<boolean>;
  /** Ends a server and takes its tools out; `connect` brings it back. */
  disconnect(name: string): Promise<void>;
  /** Connects now, and resolves when its tools are there. */
  connect(name: string): Promise<void>;
  list(): readonly McpStatus[];
  /** The last lines that a server said beside the protocol. */
  logs(name: string): readonly string[];
  /** Resolves when no server is on its way any more, or after `ms`. Never rejects. */
  settled(ms?: number): Promise<void>;
  /** Resolves when a tool of this name is known, or no server is on its way any more, or after `ms`. */
  awaitTool(name: string, ms?: number): Promise<void>;
  /** Why a tool of this name is not there, if it would be one of a server that is not ready. */
  whyMissing(name: string): ToolError | undefined;
  /** The prompts of all connected servers, or of one, and what was wrong with some. */
  prompts(
    server?: string,
  ): Promise<{ readonly prompts: readonly RemotePrompt[]; readonly problems: readonly string[] }>;
  /** A prompt by its command, with its arguments filled in: by name, or as text behind the command. */
  prompt(command: string, given?: Readonly<Record<string, string>> | string, signal?: AbortSignal): Promise<PromptText>;
  /**
   * Asks a server to tell of changes of a resource until the returned function is called, over a new connection too.
   * `undefined`: it is not connected, or tells nothing.
   */
  follow(name: string, uri: string): (() => void) | undefined;
  /** Hears of resources that have changed: of those that are followed, and without an address of a server's list. */
  onResource(listener: (change: ResourceChange) => void): () => void;
  /** Makes a request of a server: again after a login that it wants, and where it had forgotten us. */
  request<T>(name: string, signal: AbortSignal, make: (live: Live) => Promise<T>): Promise<T>;
  /** What a resource of a server holds, read as a part of a call. */
  read(name: string, uri: string, ctx: CallContext): Promise<ReadResourceResult["contents"]>;
  /** The open connection of a server. */
  live(name: string): Promise<Live>;
  /** Ends all servers and everything they started. */
  close(): Promise<void>;
}
