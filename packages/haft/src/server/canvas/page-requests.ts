import { randomUUID } from "node:crypto";
import type { Entry } from "@haft/core/registry";
import { contentsText } from "@haft/core/tool";
import { type McpInfo, pageAgent } from "@haft/mcp";
import { z } from "zod";
import type { Haft } from "../../app/haft.ts";
import type { AgentSession } from "../../session/index.ts";
import { mcpResult } from "../mcp/call-result.ts";
import { PAGE_CALL } from "./app-calls.ts";
import type { CanvasBoard } from "./board.ts";
import { MessageBudget } from "./message-budget.ts";

/** A JSON-RPC error of a page's request. */
export class PageError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Most calls of a page that run or wait for an answer at the same time. */
const MOST_OPEN = 8;
const MOST_CONTEXT = 20_000;

const toolCall = z.object({ name: z.string().min(1).max(200), arguments: z.unknown().optional() });
const resource = z.object({ uri: z.string().min(1).max(8_192) });

/**
 * The requests of the pages on a canvas: those of MCP Apps (2026-01-26). Each call goes through the whole pipeline of the
 * session, so a page may do what the model may, and is asked where the model is. The page of a server calls only the
 * tools of that server.
 */
export class PageRequests {
  readonly #session: AgentSession;
  readonly #board: CanvasBoard;
  readonly #budget = new MessageBudget();
  #open = 0;

  constructor(session: AgentSession, board: CanvasBoard) {
    this.#session = session;
    this.#board = board;
  }

  /** @throws PageError */
  async handle(version: number, method: string, params: unknown, signal: AbortSignal): Promise<object> {
    const { state } = this.#board;
    if (version !== state.version || !state.page) throw new PageError(-32000, "This page is no longer shown.");
    if (!this.#budget.take(Date.now())) throw new PageError(-32000, "The page sends too many messages.");
    if (method === "ui/initialize") return this.#initialize();
    if (method === "ping") return {};
    if (method === "ui/request-display-mode") return { mode: "inline" };
    if (method === "ui/update-model-context") return this.#updateContext(params);
    if (method !== "tools/call" && method !== "resources/read")
      throw new PageError(-32601, `The canvas does not know ${method}.`);
    if (this.#open >= MOST_OPEN) throw new PageError(-32000, `${MOST_OPEN} calls of the page are open. Wait for them.`);
    this.#open += 1;
    try {
      return await (method === "tools/call" ? this.#call(params, signal) : this.#read(params, signal));
    } finally {
      this.#open -= 1;
    }
  }

  #initialize(): object {
    const { call, domains } = this.#board.state;
    return {
      protocolVersion: "2026-01-26",
      hostInfo: { name: "haft", title: "Haft", version: "1" },
      hostCapabilities: {
        openLinks: {},
        serverTools: {},
        serverResources: {},
        updateModelContext: { text: {} },
        message: { text: {} },
        sandbox: { permissions: {}, csp: domains },
      },
      hostContext: {
        ...(call ? { toolInfo: { id: call.id, tool: call.tool } } : {}),
        ...{ theme: "light", displayMode: "inline", availableDisplayModes: ["inline"] },
        ...{ platform: "web", userAgent: "haft" },
      },
    };
  }

  #updateContext(params: unknown): object {
    const { content = [], structuredContent } = (params ?? {}) as { content?: unknown; structuredContent?: unknown };
    this.#board.context = `The page says: ${JSON.stringify({ content, structuredContent })}`.slice(0, MOST_CONTEXT);
    return {};
  }

  get #server(): string | undefined {
    const { page } = this.#board.state;
    return page?.kind === "app" ? page.server : undefined;
  }

  /** Calls are made in the name of the page, so that a question says who asks. */
  get #haft(): Haft {
    const { haft } = this.#session;
    return this.#server === undefined ? haft : haft.with({ agent: pageAgent(this.#server) });
  }

  async #call(params: unknown, signal: AbortSignal): Promise<object> {
    const { name, arguments: given } = checked(toolCall, params);
    const entry = this.#server === undefined ? this.#session.haft.registry.get(name) : this.#toolOf(this.#server, name);
    const tool = entry?.tool.name ?? name;
    return mcpResult({ result: await this.#haft.call(tool, given ?? {}, callOptions(signal)) }, entry, undefined);
  }

  /** The tool of a server, by the server's own name for it. */
  #toolOf(server: string, name: string): Entry {
    for (const entry of this.#session.haft.registry.entries()) {
      const { mcpInfo } = entry.tool as { readonly mcpInfo?: McpInfo };
      if (mcpInfo?.serverName !== server || mcpInfo.toolName !== name) continue;
      if (mcpInfo.page?.isForPages !== false) return entry;
      throw new PageError(-32602, `The MCP server "${server}" reserves the tool "${name}" for the model.`);
    }
    throw new PageError(
      -32602,
      `The MCP server "${server}" has no tool "${name}". A page can only call its own server.`,
    );
  }

  async #read(params: unknown, signal: AbortSignal): Promise<object> {
    const { uri } = checked(resource, params);
    const server = this.#server;
    if (server === undefined) throw new PageError(-32602, "Only pages of MCP servers can read resources.");
    const result = await this.#haft.call("ReadMcpResource", { server, uri }, callOptions(signal));
    if (result.error) throw new PageError(-32000, result.error.message);
    return { contents: [{ uri, mimeType: "text/plain", text: contentsText(result.content) }] };
  }
}

const callOptions = (signal: AbortSignal) => ({ id: `${PAGE_CALL}${randomUUID()}`, signal, isProgram: true });

function checked<T>(schema: z.ZodType<T>, params: unknown): T {
  const read = schema.safeParse(params);
  if (read.success) return read.data;
  throw new PageError(-32602, z.prettifyError(read.error).replaceAll("\n", " "));
}
