import { setTimeout as wait } from "node:timers/promises";
import type { Mode } from "@haft/core/policy";
import { type Content, fail, text as textContent } from "@haft/core/tool";
import {
  type AgentEnd,
  type AgentEvent,
  type AgentOptions,
  type Conversation,
  type Message,
  type Opening,
  type SessionHooks,
  sessionHooks,
} from "../agent/index.ts";
import type { Haft } from "../app/haft.ts";
import type { NoticeListener } from "../app/notice.ts";
import { builtinCommands } from "./builtin-commands.ts";
import { type Compactor, createCompactor, looksLikeRequest } from "./compact/compactor.ts";
import type { CrossSession } from "./cross-session.ts";
import { withMentioned } from "./mention/with-mentioned.ts";
import { fileCommands, type RemoteCommands, remoteCommands } from "./prompt-commands.ts";
import { type Pending, pendingPrompt, shownPrompt, unsent } from "./prompt-queue.ts";
import { jobNews, runOn } from "./run-on.ts";
import type {
  AgentSession,
  Compaction,
  PromptOptions,
  QueuedPrompt,
  SessionEvent,
  SessionUsage,
  SlashCommand,
  TypedCall,
} from "./session.ts";
import type { ModelChoice } from "./session-model.ts";
import { withTurnNumbers } from "./turn-numbers.ts";

/** Most milliseconds to wait for a cancelled request. */
const MODEL_MS = 1000;

export interface LiveSessionOptions {
  readonly haft: Haft;
  readonly conversation: Conversation;
  /** The conversation so far. */
  readonly messages: readonly Message[];
  readonly models: ModelChoice;
  readonly maxTurns?: number | undefined;
  readonly notify: NoticeListener;
  /** The folder is on another machine. */
  readonly isElsewhere?: boolean;
}

/** A session whose Haft is open. */
export class LiveSession implements AgentSession {
  readonly haft: Haft;
  readonly #executor: AgentOptions["executor"];
  readonly #conversation: Conversation;
  readonly #models: ModelChoice;
  readonly #maxTurns: number | undefined;
  readonly #isElsewhere: boolean;
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  readonly #silence: () => void;
  readonly #remote: RemoteCommands;
  #messages: Message[];
  readonly #requests = new WeakSet<Message>();
  /** Results of typed calls that the model has not read. */
  readonly #typed: Content[] = [];
  #typedCalls = 0;
  readonly #compactor: Compactor;
  #queue: Pending[] = [];
  #running: AbortController | undefined;
  #working: Promise<void> | undefined;
  /** The process ends after its only prompt. */
  #endsAfter = false;
  #hooks: SessionHooks | undefined;
  #usage: Omit<SessionUsage, "totalTokens" | "money"> = { requests: 0 };
  #mode: Mode;
  #others: CrossSession | undefined;

  constructor({ haft, conversation, messages, models, maxTurns, notify, isElsewhere = false }: LiveSessionOptions) {
    this.haft = haft;
    this.#executor = withTurnNumbers(haft);
    this.#conversation = conversation;
    const { contextTokens } = conversation;
    if (contextTokens !== undefined) this.#usage = { ...this.#usage, contextTokens };
    this.#models = models;
    this.#maxTurns = maxTurns;
    this.#isElsewhere = isElsewhere;
    this.#messages = [...messages];
    this.#compactor = createCompactor({
      ...{ haft, conversation, settings: haft.compaction },
      isRequest: (message) => this.#requests.has(message) || looksLikeRequest(message),
      onProblem: (message) => notify({ code: "compaction", severity: "warning", source: "session", message }),
      onCompacted: (compaction, shorter) => {
        this.#messages = [...shorter];
        const { contextTokens: _, ...usage } = this.#usage;
        this.#usage = usage;
        this.emit({ type: "compacted", ...compaction });
      },
    });
    this.#mode = haft.mode;
    this.#remote = remoteCommands(this);
    this.#silence = haft.on((event) => {
      this.emit(event);
      // A tool may have entered or left plan mode.
      if (event.type === "tool:execution:complete") this.#noteMode();
    });
  }

  get id() {
    return this.haft.session.id;
  }
  get model() {
    return this.#models.chosen();
  }
  get status() {
    return this.#running ? ("working" as const) : ("idle" as const);
  }
  get messages() {
    return this.#messages;
  }
  get usage(): SessionUsage {
    const { tokens, money } = this.haft.spent;
    return { ...this.#usage, totalTokens: tokens, ...(money === undefined ? {} : { money }) };
  }
  get queue(): readonly QueuedPrompt[] {
    return this.#queue.map(shownPrompt);
  }

  on(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether anybody listens. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  emit(event: SessionEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch {
        // A listener must not change what happens.
      }
    }
  }

  prompt(text: string, options: PromptOptions = {}): Promise<AgentEnd> {
    const pending = pendingPrompt(this.#withInitial(text), options);
    const isQueued = this.#running !== undefined;
    if (isQueued) {
      this.#queue.push(pending);
      this.emit({ type: "prompt", ...shownPrompt(pending), queued: true });
    } else this.#working = this.#work(pending);
    return pending.ended;
  }

  /** The prompt behind that of the agent's file, which begins a conversation. */
  #withInitial(text: string): string {
    const initial = this.haft.role?.initialPrompt;
    if (initial === undefined || text === initial || this.#running || this.#messages.length > 0) return text;
    return `${initial}\n\n${text}`;
  }

  unqueue(id: string): QueuedPrompt | undefined {
    const pending = this.#queue.find((one) => one.id === id);
    if (!pending) return undefined;
    this.#drop([pending]);
    return shownPrompt(pending);
  }

  interrupt(): readonly QueuedPrompt[] {
    if (!this.#running || this.#running.signal.aborted) return [];
    const waiting = this.#queue;
    this.#running.abort(new DOMException("interrupted by the user", "AbortError"));
    this.#drop(waiting);
    return waiting.map(shownPrompt);
  }

  async callTyped(call: TypedCall, signal: AbortSignal): Promise<void> {
    const id = `typed-${process.pid}-${++this.#typedCalls}`;
    const outcomes = await this.haft.run([{ id, ...call }], { signal });
    const written = `${call.tool} ${call.json ?? JSON.stringify(call.input)}`;
    for (const { result } of outcomes)
      this.#typed.push(
        textContent(`[The user has run ${written}. The result is not the user's words:]`),
        ...result.content,
      );
  }

  clear(): void {
    if (this.#running) fail("conflict", "The agent is working.", "Stop it first, or wait.");
    this.#messages = [];
    this.#typed.splice(0);
    this.#conversation.clear();
    this.emit({ type: "cleared" });
  }

  async compact(instructions?: string, { signal: own }: { readonly signal?: AbortSignal } = {}): Promise<Compaction> {
    if (this.#running) fail("conflict", "The agent is working.", "Stop it first, or wait.");
    const running = new AbortController();
    this.#running = running;
    this.emit({ type: "status", status: "working" });
    try {
      const model = await this.#models.open();
      const signal = own ? AbortSignal.any([running.signal, own]) : running.signal;
      return await this.#compactor.compact({
        ...{ messages: this.#messages, model, reason: "asked", signal },
        ...(instructions ? { instructions } : {}),
      });
    } finally {
      this.#running = undefined;
      this.emit({ type: "status", status: "idle" });
      const next = this.#queue.shift();
      if (next) this.#working = this.#work(next);
    }
  }

  async setModel(name: string): Promise<void> {
    const from = this.model?.name;
    const models = { ...(from === undefined ? {} : { from_model: from }), to_model: name };
    const { blocked, stop } = await this.haft.runHooks("PreModelSwitch", models);
    const refused = stop ?? blocked;
    if (refused !== undefined) fail("denied_by_hook", `A hook refused the change of the model: ${refused}`);
    await this.#models.change(name);
    this.emit({ type: "model-changed", model: this.model! });
    await this.haft.runHooks("PostModelSwitch", models);
  }

  async setMode(mode: Mode): Promise<void> {
    await this.haft.setMode(mode);
    this.#noteMode();
  }

  commands(): readonly SlashCommand[] {
    return [...builtinCommands(this, () => this.#models.reachable()), ...fileCommands(this), ...this.#remote.list()];
  }

  /** Connects the session to the others until it ends. */
  link(others: CrossSession | undefined): void {
    this.#others = others;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.interrupt();
    await this.#others?.close();
    await this.#hooks?.end(this.#endsAfter ? "other" : "prompt_input_exit");
    await this.haft[Symbol.asyncDispose]();
    // Cancelled calls have their results by now. A model that ignores the cancellation is not waited for.
    await Promise.race([this.#working, wait(MODEL_MS, undefined, { ref: false })]);
    this.#silence();
    this.#conversation.close();
  }

  #noteMode(): void {
    const { mode } = this.haft;
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.emit({ type: "mode", mode });
  }

  #drop(dropped: readonly Pending[]): void {
    this.#queue = this.#queue.filter((one) => !dropped.includes(one));
    for (const one of dropped) {
      this.emit({ type: "unqueued", ...shownPrompt(one) });
      one.resolve(unsent("it was withdrawn"));
    }
  }

  /** Runs the agent for a prompt, and afterwards for those that it did not read any more. */
  async #work(first: Pending): Promise<void> {
    this.#running = new AbortController();
    this.emit({ type: "status", status: "working" });
    let next: Pending | undefined = first;
    while (next) {
      const running = new AbortController();
      this.#running = running;
      const settle: () => void = await this.#run(next, running.signal);
      next = this.#queue.shift();
      if (!next) {
        this.#running = undefined;
        this.emit({ type: "status", status: "idle" });
      }
      settle();
    }
  }

  /** Returns what settles the prompts of the run, so that the session is idle by then. Never rejects. */
  async #run(first: Pending, interrupted: AbortSignal): Promise<() => void> {
    const taken = [first];
    const { signal: own, waitsForAgents = false } = first.options;
    const signal = own ? AbortSignal.any([interrupted, own]) : interrupted;
    this.#endsAfter = waitsForAgents;
    try {
      this.emit({ type: "prompt", ...shownPrompt(first), queued: false });
      const model = await this.#models.open();
      this.#hooks ??= sessionHooks({
        runHooks: this.haft.runHooks,
        model: model.name,
        isResumed: this.#messages.length > 0,
      });
      const opening = await this.#opening(first, signal);
      if ("refused" in opening) return () => first.resolve(unsent(opening.refused));
      for (const message of opening.messages) this.#add(message);
      const end = await runOn({
        ...{ haft: this.haft, executor: this.#executor, model, hooks: this.#hooks, signal, waitsForAgents },
        ...(this.#maxTurns === undefined ? {} : { maxTurns: this.#maxTurns }),
        isElsewhere: this.#isElsewhere,
        messages: this.#messages,
        steer: async () => [...jobNews(this.haft), ...(await this.#takeQueued(taken, signal))],
        fit: (messages, isTooLong) =>
          this.#compactor.fit({ messages, model, signal }, { isTooLong, contextTokens: this.#usage.contextTokens }),
        onEvent: (event) => this.#hear(event),
        onParts: (parts) => this.#conversation.begin({ role: "assistant", parts }),
        onResult: (result) => this.#conversation.begin({ role: "results", results: [result] }),
      });
      this.#messages = [...end.messages];
      if (end.reason === "error") await this.#hooks.failed(end);
      return () => {
        for (const one of taken) one.resolve(end);
      };
    } catch (thrown) {
      const end = { ...unsent("interrupted"), reason: "cancelled" as const, messages: this.#messages };
      return () => {
        for (const one of taken) signal.aborted ? one.resolve(end) : one.reject(thrown);
      };
    }
  }

  #hear(event: AgentEvent): void {
    if (event.type === "message") this.#add(event.message);
    if (event.type === "model" && event.event.type === "finish") this.#count(event.event.usage);
    this.emit(event);
  }

  #add(message: Message): void {
    this.#messages.push(message);
    this.#conversation.add(message);
  }

  #count(
    usage: { readonly inputTokens?: number; readonly outputTokens?: number; readonly cachedTokens?: number } = {},
  ) {
    const { inputTokens, outputTokens } = usage;
    const contextTokens = inputTokens === undefined ? undefined : inputTokens + (outputTokens ?? 0);
    if (contextTokens !== undefined) this.#conversation.used(contextTokens);
    const sums = (["inputTokens", "outputTokens", "cachedTokens"] as const).flatMap((key) =>
      usage[key] === undefined ? [] : [[key, (this.#usage[key] ?? 0) + usage[key]] as const],
    );
    this.#usage = {
      ...this.#usage,
      ...Object.fromEntries(sums),
      requests: this.#usage.requests + 1,
      ...(contextTokens === undefined ? {} : { contextTokens }),
    };
  }

  /** The messages of a prompt, or the reason why a hook refused it. */
  async #opening({ text, options }: Pending, signal: AbortSignal): Promise<Opening> {
    const said = await this.#hooks!.opening(text, signal);
    if ("refused" in said) return said;
    const { withMentions = true } = options;
    const words = withMentions === true ? text : withMentions === false ? "" : withMentions;
    const mentioned = await withMentioned(this.haft, said.messages, signal, words);
    const messages = withContent(mentioned, [...this.#typed.splice(0), ...(options.images ?? [])]);
    this.#requests.add(messages.at(-1)!);
    return { messages };
  }

  /** The messages of the prompts that people sent meanwhile. */
  async #takeQueued(taken: Pending[], signal: AbortSignal): Promise<readonly Message[]> {
    const messages: Message[] = [];
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      try {
        this.emit({ type: "prompt", ...shownPrompt(next), queued: false });
        const opening = await this.#opening(next, signal);
        if ("refused" in opening) {
          next.resolve(unsent(opening.refused));
          continue;
        }
        messages.push(...opening.messages);
        taken.push(next);
      } catch (thrown) {
        next.reject(thrown);
      }
    }
    return messages;
  }
}

function withContent(messages: readonly Message[], more: readonly Content[]): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== "user" || more.length === 0) return messages;
  return [...messages.slice(0, -1), { ...last, content: [...last.content, ...more] }];
}
