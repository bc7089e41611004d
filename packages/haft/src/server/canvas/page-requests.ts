import { randomUUID } from "node:crypto";
import { contentsText } from "@haft/core/tool";
import { z } from "zod";
import type { AgentSession } from "../../session/index.ts";
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
    return {
      protocolVersion: "2026-01-26",
      hostInfo: { name: "haft", title: "Haft", version: "1" },
      hostCapabilities: {
        openLinks: {},
        serverTools: {},
        serverResources: {},
        updateModelContext: { text: {} },
        message: { text: {} },
        sandbox: { permissions: {}, csp: this.#board.state.domains },
      },
      hostContext: { displayMode: "inline", availableDisplayModes: ["inline"], platform: "web", userAgent: "haft" },
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

  async #call(params: unknown, signal: AbortSignal): Promise<object> {
    const { name, arguments: given } = checked(toolCall, params);
    const { haft } = this.#session;
    const server = this.#server;
    const { isError, content, output, error } = resultOf(
      await haft.call(server === undefined ? name : this.#toolOf(server, name), given ?? {}, {
        ...{ id: `ui-${randomUUID()}`, signal },
      }),
    );
    const structured =
      server === undefined ? output : (output as { readonly structured?: unknown } | undefined)?.structured;
    const isData = structured !== null && typeof structured === "object" && !Array.isArray(structured);
    return {
      content: error ? [{ type: "text", text: error }] : content,
      ...(isError ? { isError } : {}),
      ...(isData ? { structuredContent: structured } : {}),
    };
  }

  /** The tool of a server, by the server's own name for it. */
  #toolOf(server: string, name: string): string {
    for (const { tool } of this.#session.haft.registry.entries()) {
      const { mcpInfo } = tool as { readonly mcpInfo?: { readonly serverName: string; readonly toolName: string } };
      if (mcpInfo?.serverName === server && mcpInfo.toolName === name) return tool.name;
    }
    throw new PageError(-32602, `The MCP server "${server}" has no tool "${name}". A page calls its own server only.`);
  }

  async #read(params: unknown, signal: AbortSignal): Promise<object> {
    const { uri } = checked(resource, params);
    const server = this.#server;
    if (server === undefined) throw new PageError(-32602, "Only the page of an MCP server reads resources.");
    const result = await this.#session.haft.call(
      "ReadMcpResource",
      { server, uri },
      { id: `ui-${randomUUID()}`, signal },
    );
    if (result.error) throw new PageError(-32000, result.error.message);
    return { contents: [{ uri, mimeType: "text/plain", text: contentsText(result.content) }] };
  }
}

type CallResult = Awaited<ReturnType<AgentSession["haft"]["call"]>>;

const resultOf = ({ error, content, output }: CallResult) => ({
  isError: error !== undefined,
  content: [{ type: "text", text: contentsText(content) }],
  output: output as unknown,
  error: error && [error.message, error.hint].filter(Boolean).join(" "),
});

function checked<T>(schema: z.ZodType<T>, params: unknown): T {
  const read = schema.safeParse(params);
  if (read.success) return read.data;
  throw new PageError(-32602, z.prettifyError(read.error).replaceAll("\n", " "));
}
