import { realpathSync } from "node:fs";
import { extname } from "node:path";
import {
  fail,
  type LanguageOperation,
  type LanguageReply,
  type LanguageRequest,
  type LanguageServer,
  type Languages,
} from "@haft/core/tool";
import { type ServerPlan, serverPlanFor } from "./known-servers.ts";
import {
  DEFAULT_TIMEOUT_MS,
  initialize,
  type LanguageServerSession,
  type ServerProgram,
  uriOf,
} from "./language-server.ts";
import { diagnosticsOf, hoverText, placesOf } from "./reply.ts";

/** The language servers of a session, with what its end and its edits need. */
export interface SessionLanguages extends Languages {
  /**
   * Shows a changed file to its server, and returns the problems that it finds within `waitMs`. `undefined` if the server
   * does not run, says nothing, or is not asked after edits. Starts nothing.
   */
  afterEdit(
    document: Pick<LanguageRequest, "path" | "text">,
    bounds: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<LanguageReply | undefined>;
  close(): Promise<void>;
}

export interface LanguagesOptions {
  readonly servers: readonly ServerPlan[];
  /** The folder that the servers work in. */
  readonly root: string;
  /** Starts a program. @throws HaftError if it cannot. */
  start(plan: ServerPlan): Promise<ServerProgram>;
}

/** The methods of the operations, and the capability that each needs. */
const METHODS: Readonly<Record<Exclude<LanguageOperation, "diagnostics">, readonly [string, string]>> = {
  goToDefinition: ["textDocument/definition", "definitionProvider"],
  findReferences: ["textDocument/references", "referencesProvider"],
  hover: ["textDocument/hover", "hoverProvider"],
  documentSymbol: ["textDocument/documentSymbol", "documentSymbolProvider"],
  workspaceSymbol: ["workspace/symbol", "workspaceSymbolProvider"],
  goToImplementation: ["textDocument/implementation", "implementationProvider"],
  prepareCallHierarchy: ["textDocument/prepareCallHierarchy", "callHierarchyProvider"],
  incomingCalls: ["callHierarchy/incomingCalls", "callHierarchyProvider"],
  outgoingCalls: ["callHierarchy/outgoingCalls", "callHierarchyProvider"],
};

/** Overloads give several items; their calls are the same. */
const MOST_ITEMS = 5;

/** Manages the language servers of one session: each starts with its first question, and again after its end. */
export const createLanguages = (options: LanguagesOptions): SessionLanguages => new RunningLanguages(options);

class RunningLanguages implements SessionLanguages {
  readonly #servers: readonly ServerPlan[];
  readonly #root: string;
  readonly #start: (plan: ServerPlan) => Promise<ServerProgram>;
  readonly #running = new Map<string, Promise<LanguageServerSession>>();
  readonly #live = new Map<string, LanguageServerSession>();
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #ending = new AbortController();

  constructor({ servers, root, start }: LanguagesOptions) {
    this.#servers = servers;
    this.#root = root;
    this.#start = start;
  }

  serverFor(path: string): LanguageServer | undefined {
    const plan = this.#planFor(path);
    return (
      plan && {
        name: plan.name,
        argv: plan.argv,
        cwd: this.#root,
        isRunning: this.#isRunning(plan),
        needsConsent: plan.needsConsent,
      }
    );
  }

  list(): readonly { readonly name: string; readonly extensions: readonly string[] }[] {
    return this.#servers.map(({ name, extensions }) => ({ name, extensions }));
  }

  async ask(request: LanguageRequest, { signal }: { readonly signal: AbortSignal }): Promise<LanguageReply> {
    const plan = this.#planFor(request.path);
    if (!plan)
      return fail(
        "tool_unavailable",
        `No language server knows ${extname(request.path) || "files without an extension"}.`,
        "Use Grep, or set one under lsp in the settings.",
      );
    if (this.#ending.signal.aborted) return fail("cancelled", "The session has ended.");
    return this.#inTurn(plan, async () => {
      const waitMs = plan.settings.timeoutMs ?? DEFAULT_TIMEOUT_MS;
      const server = await orAbort(this.#session(plan), signal);
      server.show(request);
      return { server: plan.name, ...(await answer(server, request, { waitMs, signal })) };
    });
  }

  async afterEdit(
    document: Pick<LanguageRequest, "path" | "text">,
    bounds: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<LanguageReply | undefined> {
    const plan = this.#planFor(document.path);
    if (!plan || !this.#isRunning(plan) || plan.settings.diagnostics === false) return undefined;
    return this.#inTurn(plan, async () => {
      const server = this.#live.get(plan.name);
      if (!server || server.isOver()) return undefined;
      server.changed([document.path]);
      server.show(document);
      const items = await server.diagnostics(document.path, bounds);
      return items === undefined ? undefined : { server: plan.name, diagnostics: diagnosticsOf(items) };
    });
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all([...this.#running.values()].map((begun) => begun.then((server) => server.end()).catch(() => {})));
  }

  #planFor(path: string): ServerPlan | undefined {
    return serverPlanFor(this.#servers, path);
  }

  #isRunning({ name }: ServerPlan): boolean {
    return this.#live.get(name)?.isOver() === false;
  }

  #session(plan: ServerPlan): Promise<LanguageServerSession> {
    const known = this.#running.get(plan.name);
    if (known && (this.#live.get(plan.name)?.isOver() ?? false) === false) return known;
    this.#live.delete(plan.name);
    const begun = this.#begin(plan);
    this.#running.set(plan.name, begun);
    begun.catch(() => this.#running.delete(plan.name));
    return begun;
  }

  // The start serves all calls that wait for it, so no single call can cancel it.
  async #begin(plan: ServerPlan): Promise<LanguageServerSession> {
    const opened = await initialize(plan, this.#root, await this.#start(plan), this.#ending.signal);
    this.#live.set(plan.name, opened);
    return opened;
  }

  /** One question at a time: an answer is about the file that is shown. */
  #inTurn<T>({ name }: ServerPlan, ask: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(ask, ask);
    this.#turns.set(
      name,
      turn.catch(() => undefined),
    );
    return turn;
  }
}

async function answer(
  server: LanguageServerSession,
  request: LanguageRequest,
  limit: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<Omit<LanguageReply, "server">> {
  const { operation, path, line = 1, character = 1, query = "" } = request;
  const { signal } = limit;
  if (operation === "diagnostics") {
    const items = await server.diagnostics(path, limit);
    if (items === undefined)
      return fail("timeout", `The language server reported nothing about ${path} in time.`, "Try again.");
    return { diagnostics: diagnosticsOf(items) };
  }
  const textDocument = { uri: uriOf(path) };
  const position = { line: line - 1, character: character - 1 };
  const ask = (wish: keyof typeof METHODS, params: object) => server.ask(...METHODS[wish], params, signal);
  const places = (found: unknown) => {
    const { places, total } = placesOf(found, path);
    return { places: places.map((place) => ({ ...place, path: realOf(place.path) })), total };
  };
  switch (operation) {
    case "hover":
      return { text: hoverText(await ask("hover", { textDocument, position })) };
    case "documentSymbol":
      return places(await ask(operation, { textDocument }));
    case "workspaceSymbol":
      return places(await ask(operation, { query }));
    case "findReferences":
      return places(await ask(operation, { textDocument, position, context: { includeDeclaration: true } }));
    case "incomingCalls":
    case "outgoingCalls": {
      const items = await ask("prepareCallHierarchy", { textDocument, position });
      const calls: unknown[] = [];
      for (const item of Array.isArray(items) ? items.slice(0, MOST_ITEMS) : []) {
        const found = await ask(operation, { item });
        if (Array.isArray(found)) calls.push(...found);
      }
      return places(calls);
    }
    default:
      return places(await ask(operation, { textDocument, position }));
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Ends the waiting, not the start: other calls need it too. */
async function orAbort<T>(wait: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const gone = Promise.withResolvers<never>();
  const abort = () => gone.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([wait, gone.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
