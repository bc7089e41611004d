import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { HaftError, type LanguageRequest } from "@haft/core/tool";
import { languageOf, type ServerPlan } from "./known-servers.ts";
import { asPlain, pathOf } from "./reply.ts";
import { createRpc, type Rpc, RpcError } from "./rpc.ts";

/** A started program. */
export interface ServerProgram {
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves with a description of its end. */
  readonly ended: Promise<string>;
  /** The last lines that it wrote to stderr. */
  readonly errors: () => string;
  /** Ends it and everything it started. */
  end(): Promise<void>;
}

/** An initialized server. */
export interface LanguageServerSession {
  /** Shows the server the current text of a file, and closes the others: it reads those from the disk. */
  show(document: Pick<LanguageRequest, "path" | "text">): void;
  /** Asks about the shown file. `capability` is the server's word for being able to. */
  ask(method: string, capability: string, params: object, signal: AbortSignal): Promise<unknown>;
  /** The problems of the shown file; `undefined` if the server reports none in time. */
  diagnostics(path: string, limit: { readonly waitMs: number; readonly signal: AbortSignal }): Promise<unknown>;
  /** Tells the server that these files changed on disk. */
  changed(paths: readonly string[]): void;
  readonly isOver: () => boolean;
  end(): Promise<void>;
}

export const DEFAULT_TIMEOUT_MS = 30_000;
/** Errors by which a server says that it is not ready yet: the content was modified, or the server cancelled. */
const NOT_READY: ReadonlySet<number> = new Set([-32801, -32802]);
const RETRY_MS = 250;
/** The server reports in steps, syntax first. The report counts when it has been quiet for this long. */
const QUIET_MS = 200;
const END_MS = 1000;

/** Published problems by path. `at` counts the texts that the server was shown. */
interface Published {
  readonly items: unknown;
  readonly at: number;
}

/** Starts a conversation with a server. @throws HaftError if it does not answer, or ends. */
export async function initialize(
  plan: ServerPlan,
  root: string,
  program: ServerProgram,
  signal: AbortSignal,
): Promise<LanguageServerSession> {
  const conversation = new Conversation(plan, root, program);
  await conversation.begin(signal);
  return conversation;
}

class Conversation implements LanguageServerSession {
  readonly #plan: ServerPlan;
  readonly #root: string;
  readonly #program: ServerProgram;
  readonly #folders: readonly { readonly uri: string; readonly name: string }[];
  readonly #timeoutMs: number;
  readonly #rpc: Rpc;
  readonly #published = new Map<string, Published>();
  readonly #listeners = new Set<() => void>();
  #capabilities: Readonly<Record<string, unknown>> = {};
  #open: { path: string; text: string; version: number } | undefined;
  #shows = 0;
  #over = false;

  constructor(plan: ServerPlan, root: string, program: ServerProgram) {
    this.#plan = plan;
    this.#root = root;
    this.#program = program;
    this.#folders = [{ uri: uriOf(root), name: root.split("/").at(-1) || root }];
    this.#timeoutMs = plan.settings.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#rpc = createRpc(program, {
      onNotification: (method, params) => this.#hear(method, params),
      onRequest: (method, params) => answerTo(method, params, this.#folders),
      onBroken: (why) => this.#stop(`cannot be understood: ${why}`),
    });
    void program.ended.then((words) => this.#stop(words));
  }

  async begin(signal: AbortSignal): Promise<void> {
    const hello = initialization(this.#plan, this.#root, this.#folders);
    const ask = () => this.#rpc.request("initialize", hello, { timeoutMs: this.#timeoutMs, signal });
    const answer = await this.#orStop(ask, true).catch((thrown) => {
      this.#stop("was not ready");
      throw asFailure(thrown, this.#plan);
    });
    this.#capabilities = asPlain(asPlain(answer).capabilities);
    this.#rpc.notify("initialized", {});
  }

  show({ path, text }: Parameters<LanguageServerSession["show"]>[0]): void {
    const before = this.#open;
    if (before?.path === path && before.text === text) return;
    this.#shows += 1;
    if (before?.path === path) {
      this.#open = { path, text, version: before.version + 1 };
      const textDocument = { uri: uriOf(path), version: this.#open.version };
      this.#rpc.notify("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
      return;
    }
    if (before) {
      this.#rpc.notify("textDocument/didClose", { textDocument: { uri: uriOf(before.path) } });
      this.#published.delete(before.path);
    }
    this.#open = { path, text, version: 1 };
    const textDocument = { uri: uriOf(path), languageId: languageOf(path), version: 1, text };
    this.#rpc.notify("textDocument/didOpen", { textDocument });
  }

  async ask(method: string, capability: string, params: unknown, around: AbortSignal): Promise<unknown> {
    if (!this.#capabilities[capability])
      throw new HaftError({
        code: "tool_unavailable",
        message: `The language server ${this.#plan.name} cannot do this (it lacks ${capability}).`,
        hint: "Use Grep.",
      });
    const until = Date.now() + this.#timeoutMs;
    for (;;)
      try {
        const left = Math.max(1, until - Date.now());
        return await this.#orStop(() => this.#rpc.request(method, params, { timeoutMs: left, signal: around }));
      } catch (thrown) {
        const isEarly = thrown instanceof RpcError && NOT_READY.has(thrown.code) && Date.now() + RETRY_MS < until;
        if (!isEarly) throw asFailure(thrown, this.#plan);
        await pause(RETRY_MS, around);
      }
  }

  async diagnostics(
    path: string,
    { waitMs, signal: around }: Parameters<LanguageServerSession["diagnostics"]>[1],
  ): Promise<unknown> {
    if (this.#capabilities.diagnosticProvider) {
      const params = { textDocument: { uri: uriOf(path) } };
      const bounds = { timeoutMs: waitMs, signal: around };
      return asPlain(await this.#orStop(() => this.#rpc.request("textDocument/diagnostic", params, bounds))).items;
    }
    const until = Date.now() + waitMs;
    for (;;) {
      const known = this.#published.get(path);
      const isFresh = known !== undefined && known.at === this.#shows;
      const left = until - Date.now();
      if (this.#over || left <= 0) return isFresh ? known.items : undefined;
      const news = await nextOf(this.#listeners, isFresh ? Math.min(QUIET_MS, left) : left, around);
      if (!news && isFresh) return this.#published.get(path)?.items;
    }
  }

  changed(paths: readonly string[]): void {
    const changes = paths.map((path) => ({ uri: uriOf(path), type: 2 }));
    this.#rpc.notify("workspace/didChangeWatchedFiles", { changes });
  }

  isOver(): boolean {
    return this.#over;
  }

  async end(): Promise<void> {
    if (!this.#over) await farewell(this.#rpc);
    this.#over = true;
    this.#rpc.fail(new HaftError({ code: "cancelled", message: "The session has ended." }));
    await this.#program.end();
  }

  #hear(method: string, params: unknown): void {
    if (method !== "textDocument/publishDiagnostics") return;
    const { uri, diagnostics, version } = asPlain(params);
    if (typeof version === "number" && this.#open && version < this.#open.version) return;
    this.#published.set(pathOf(String(uri)), { items: diagnostics, at: this.#shows });
    for (const listener of [...this.#listeners]) listener();
  }

  #stop(why: string): void {
    if (this.#over) return;
    this.#over = true;
    const errors = this.#program.errors().trim().slice(-300);
    this.#rpc.fail(
      new HaftError({
        code: "execution_failed",
        message: `The language server ${this.#plan.name} ${why}.${errors === "" ? "" : ` Its last output: ${errors}`}`,
        hint: "The next call starts it again.",
      }),
    );
    for (const listener of [...this.#listeners]) listener();
    void this.#program.end();
  }

  /** Ends a server that has not sent a single message since the question: it hangs. */
  async #orStop<T>(ask: () => Promise<T>, always = false): Promise<T> {
    const before = this.#rpc.received();
    try {
      return await ask();
    } catch (thrown) {
      if (HaftError.is(thrown) && thrown.code === "timeout" && (always || this.#rpc.received() === before))
        this.#stop("did not answer and was ended");
      throw thrown;
    }
  }
}

/** A polite end; the program is ended in any case. */
async function farewell(rpc: Rpc): Promise<void> {
  const { signal } = new AbortController();
  await rpc.request("shutdown", null, { timeoutMs: END_MS, signal }).catch(() => undefined);
  rpc.notify("exit", undefined);
}

/** Waits for the next report, at most `ms`. */
function nextOf(listeners: Set<() => void>, ms: number, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const done = (settle: () => void) => () => {
      clearTimeout(timer);
      listeners.delete(heard);
      signal.removeEventListener("abort", aborted);
      settle();
    };
    const heard = done(() => resolve(true));
    const aborted = done(() => reject(signal.reason));
    const timer = setTimeout(
      done(() => resolve(false)),
      ms,
    );
    listeners.add(heard);
    signal.addEventListener("abort", aborted);
  });
}

const pause = (ms: number, signal: AbortSignal): Promise<boolean> => nextOf(new Set(), ms, signal);

function asFailure(thrown: unknown, { name }: ServerPlan): unknown {
  if (!(thrown instanceof RpcError)) return thrown;
  return new HaftError({
    code: "execution_failed",
    message: `The language server ${name} answered with an error: ${thrown.message.slice(0, 500)}`,
    hint: "Check the file and the position; otherwise use Grep.",
  });
}

/** Answers to requests of the server. It may ask for configuration; edits of its own are refused. */
function answerTo(method: string, params: unknown, folders: readonly object[]): unknown {
  const { items } = asPlain(params);
  switch (method) {
    case "workspace/configuration":
      return Array.isArray(items) ? items.map(() => null) : [];
    case "workspace/workspaceFolders":
      return folders;
    case "workspace/applyEdit":
      return { applied: false, failureReason: "Edits of a language server are not applied." };
    case "client/registerCapability":
    case "client/unregisterCapability":
    case "window/workDoneProgress/create":
    case "window/showMessageRequest":
    case "workspace/diagnostic/refresh":
      return null;
    default:
      return undefined;
  }
}

const initialization = ({ initializationOptions }: ServerPlan, root: string, workspaceFolders: readonly object[]) => ({
  // A confined server cannot see this process and would end. The watchdog ends servers that are left.
  processId: null,
  clientInfo: { name: "haft" },
  rootPath: root,
  rootUri: uriOf(root),
  workspaceFolders,
  initializationOptions,
  capabilities: {
    general: { positionEncodings: ["utf-16"] },
    textDocument: {
      synchronization: {},
      definition: { linkSupport: true },
      implementation: { linkSupport: true },
      references: {},
      hover: { contentFormat: ["markdown", "plaintext"] },
      documentSymbol: { hierarchicalDocumentSymbolSupport: true },
      callHierarchy: {},
      publishDiagnostics: { versionSupport: true },
      diagnostic: {},
    },
    workspace: { workspaceFolders: true, configuration: true, symbol: {}, didChangeWatchedFiles: {} },
  },
});

export const uriOf = (path: string): string => pathToFileURL(path).href;
