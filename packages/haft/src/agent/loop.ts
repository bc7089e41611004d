import type { CallOutcome, Executor } from "@haft/core/executor";
import type { Offer } from "@haft/core/registry";
import { counted, HaftError } from "@haft/core/tool";
import type { Mailbox } from "./context/mailbox.ts";
import { shortened } from "./context/shorten.ts";
import { isTooLong, tooLong } from "./context/too-long.ts";
import { type AssistantPart, type CallPart, lastText, loadedBy, type Message, type ResultPart } from "./message.ts";
import type { Model, ModelEvent, Usage } from "./model.ts";
import { repaired } from "./repair.ts";
import { idKeeper, messagesOf, readTurn, type Turn, withLoads } from "./turn.ts";

/** Number of consecutive failed requests after which the loop gives up. The SDK below retries single requests itself. */
const FAILURES = 3;

const DEFAULT_MAX_TURNS = 100;

export interface AgentOptions {
  readonly model: Model;
  /** The tools of the next request. Called before every request, so that a change takes effect at once. */
  offer(): Offer | Promise<Offer>;
  /** Runs the calls: an executor, or a toolbox. */
  readonly executor: Pick<Executor, "open">;
  /** The conversation so far, ending with the user's message. Calls without a result get one. */
  readonly messages: readonly Message[];
  /** The host's part of the system prompt; the prompts of the offered tools follow it. */
  readonly system?: string;
  /** Most messages from the model. Default 100. */
  readonly maxTurns?: number;
  /** Interrupts: running calls are cancelled, and every call still has its result. */
  readonly signal?: AbortSignal;
  /** Adds messages to the agent between turns, and lets its tools cut the conversation. */
  readonly mailbox?: Mailbox;
  /** Messages that people sent meanwhile. Called between turns; they follow the results. */
  steer?(): readonly Message[] | Promise<readonly Message[]>;
  /**
   * Makes the conversation shorter: before a request, or after one that was too long for the model. `undefined`: it stays
   * as it is.
   */
  fit?(messages: readonly Message[], isTooLong: boolean): Promise<readonly Message[] | undefined>;
  /** Called when the model makes no more calls. Returns messages to continue with; without any, the run ends. */
  beforeEnd?(text: string): MoreWork | Promise<MoreWork>;
  /** Checks the outcomes of a turn's calls. A reason ends the loop: a person said no, or a call repeats itself. */
  stopAfter?(outcomes: readonly CallOutcome[]): string | undefined;
  /**
   * Receives the complete parts of a message before a call among them starts, so that a crash leaves a trace of the call.
   * The whole message follows in the event `message` once there are results.
   */
  onParts?(parts: readonly AssistantPart[]): void;
  /** Receives the result of a call that has ended while the message streams or other calls run. */
  onResult?(result: ResultPart): void;
  /** Receives events of the loop. Errors that it throws are ignored. */
  readonly onEvent?: (event: AgentEvent) => void;
}

/** Messages that continue a run, or the reason why it ends although there are some. */
export interface MoreWork {
  readonly messages?: readonly Message[];
  readonly stop?: string;
}

/** Events of the loop, for user interfaces and for the session's record. */
export type AgentEvent =
  | { readonly type: "request"; readonly turn: number; readonly offer: Offer }
  | { readonly type: "model"; readonly turn: number; readonly event: ModelEvent }
  | { readonly type: "call"; readonly turn: number; readonly call: CallPart }
  /** A message was added to the conversation. These messages in order are the conversation. */
  | { readonly type: "message"; readonly turn: number; readonly message: Message }
  | { readonly type: "retry"; readonly turn: number; readonly error: unknown }
  /** The conversation was too long for the model: so many of the oldest results, and characters, were left out. */
  | { readonly type: "shortened"; readonly turn: number; readonly results: number; readonly chars: number }
  | { readonly type: "end"; readonly end: AgentEnd };

/** The end of a run: why it ended, the answer and the conversation. */
export interface AgentEnd {
  /**
   * `answered`: the model made no more calls; `why` explains a problem with the answer. `stopped`: `stopAfter` gave a
   * reason. `refused`: the prompt was not sent.
   */
  readonly reason: "answered" | "max_turns" | "cancelled" | "stopped" | "refused" | "error";
  readonly why?: string;
  readonly error?: unknown;
  /** The whole conversation, ready to be continued. */
  readonly messages: readonly Message[];
  /** The model's last text. */
  readonly text: string;
  readonly turns: number;
  readonly usage: Usage;
}

/** Alternates between model and calls until no calls are left. Never rejects, and leaves no call without a result. */
export const runAgent = (options: AgentOptions): Promise<AgentEnd> => new Loop(options).run();

class Loop {
  readonly #options: AgentOptions;
  readonly #signal: AbortSignal;
  readonly #messages: Message[] = [];
  readonly #ids: ReturnType<typeof idKeeper>;
  readonly #takeBack: (() => void) | undefined;
  readonly #maxTurns: number;
  #usage: Usage = {};
  #turn = 0;
  #failures = 0;
  #wasTooLong = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#signal = options.signal ?? new AbortController().signal;
    this.#maxTurns = options.maxTurns ?? DEFAULT_MAX_TURNS;
    this.#ids = idKeeper(options.messages);
    this.#takeBack = options.mailbox?.lend(this.#messages);
  }

  async run(): Promise<AgentEnd> {
    try {
      for (const message of repaired(this.#options.messages)) this.#messages.push(message);
      for (;;) {
        const end = await this.#step();
        if (end) return end;
      }
    } catch (error) {
      // Only the host's own functions can throw here: offer, steer, beforeEnd, stopAfter. The conversation so far is complete.
      return this.#end("error", { error });
    }
  }

  /** One request with its calls. Returns the end, if it is the last one. */
  async #step(): Promise<AgentEnd | undefined> {
    const maxTurns = this.#maxTurns;
    const signal = this.#signal;
    if (signal.aborted) return this.#end("cancelled");
    if (this.#turn >= maxTurns)
      return this.#end("max_turns", { why: `The limit of ${counted(maxTurns, "turn")} is reached.` });
    if (!this.#wasTooLong) await this.#fit(false);
    if (signal.aborted) return this.#end("cancelled");
    this.#turn++;
    const answer = await this.#request();
    this.#usage = sum(this.#usage, answer.usage);
    // A message that broke off before any call ran is dropped; the next request asks again.
    if (answer.error === undefined || answer.started || signal.aborted) this.#add(messagesOf(answer));
    if (signal.aborted) return this.#end("cancelled");
    if (isTooLong(answer.error)) return this.#shorten(answer.error);
    if (answer.error !== undefined) return this.#retry(answer.error);
    this.#failures = 0;
    this.#wasTooLong = false;
    return this.#goOn(answer);
  }

  async #request(): Promise<Turn> {
    const { model, executor, system = "" } = this.#options;
    const turn = this.#turn;
    const offer = await this.#options.offer();
    this.#tell({ type: "request", turn, offer });
    const prompt = [system, ...offer.prompt].filter((part) => part !== "").join("\n\n");
    // A separate signal per turn, so that its listeners are released with the turn.
    const own = AbortSignal.any([this.#signal]);
    const batch = executor.open({ turn, signal: own });
    const tools = knownTools(offer, this.#messages);
    const events = model.step({ system: prompt, messages: [...this.#messages], tools, signal: own });
    const read = await readTurn(events, batch, this.#ids, {
      onEvent: (event) => this.#tell({ type: "model", turn, event }),
      onCall: (call) => this.#tell({ type: "call", turn, call }),
      onParts: (parts) => this.#options.onParts?.(parts),
      onResult: (result) => this.#options.onResult?.(result),
    });
    if (!model.withholdsTools) return read;
    return { ...read, results: await withLoads(read.results, offer, this.#options.offer) };
  }

  async #fit(isTooLong: boolean): Promise<boolean> {
    const shorter = await this.#options.fit?.([...this.#messages], isTooLong);
    if (shorter) this.#replace(shorter);
    return shorter !== undefined;
  }

  /** The conversation was too long for the model: shortens it as the host does, else by leaving out old results. */
  async #shorten(error: unknown): Promise<AgentEnd | undefined> {
    const isFirst = !this.#wasTooLong;
    this.#wasTooLong = true;
    if (isFirst && (await this.#fit(true))) return undefined;
    const shorter = shortened(this.#messages);
    if (!shorter) return this.#end("error", { error: tooLong(error) });
    this.#replace(shorter.messages);
    this.#tell({ type: "shortened", turn: this.#turn, results: shorter.results, chars: shorter.chars });
    return undefined;
  }

  #retry(error: unknown): AgentEnd | undefined {
    if (++this.#failures >= FAILURES || !isWorthRetrying(error)) return this.#end("error", { error });
    this.#tell({ type: "retry", turn: this.#turn, error });
    return undefined;
  }

  /** Adds what people, agents and hooks have to say, or ends. */
  async #goOn(answer: Turn): Promise<AgentEnd | undefined> {
    const options = this.#options;
    const why = answer.outcomes.find(({ stop }) => stop !== undefined)?.stop ?? options.stopAfter?.(answer.outcomes);
    if (why !== undefined) return this.#end("stopped", { why });
    // After the last turn nobody would read what people say; it waits for the next run.
    const steered = this.#turn < this.#maxTurns ? await options.steer?.() : [];
    const said = [...(steered ?? []), ...(options.mailbox?.take() ?? [])];
    this.#add(said);
    if (answer.results.length > 0 || said.length > 0) return undefined;
    const { messages: more = [], stop } = (await options.beforeEnd?.(lastText(this.#messages))) ?? {};
    if (stop !== undefined) return this.#end("stopped", { why: stop });
    if (more.length === 0 || this.#signal.aborted) return this.#end("answered", doubtAbout(answer));
    this.#add(more);
    return undefined;
  }

  #add(added: readonly Message[]): void {
    for (const message of added) {
      this.#messages.push(message);
      this.#tell({ type: "message", turn: this.#turn, message });
    }
  }

  #replace(messages: readonly Message[]): void {
    this.#messages.splice(0, this.#messages.length, ...messages);
  }

  #end(reason: AgentEnd["reason"], more: Pick<AgentEnd, "why" | "error"> = {}): AgentEnd {
    this.#takeBack?.();
    const messages = this.#messages;
    const end = { reason, ...more, messages, text: lastText(messages), turns: this.#turn, usage: this.#usage };
    this.#tell({ type: "end", end });
    return end;
  }

  #tell(event: AgentEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch {
      // A listener must not change what happens.
    }
  }
}

/** The reason why an answer is missing or incomplete. */
function doubtAbout({ finish, parts }: Turn): { readonly why?: string } {
  if (finish === "length") return { why: "the model's answer was cut off because it was too long" };
  if (finish === "filtered") return { why: "the model's provider withheld the answer" };
  return parts.some(({ type }) => type === "text") ? {} : { why: "the model said nothing" };
}

/** Does not withhold a loaded tool if no message loads it any more, as after a compaction. */
function knownTools({ tools, deferred }: Offer, messages: readonly Message[]): Offer["tools"] {
  const keptBack = new Set([...deferred, ...messages.flatMap(loadedBy)]);
  return tools.map(({ isDeferred, ...tool }) =>
    isDeferred && keptBack.has(tool.name) ? { ...tool, isDeferred } : tool,
  );
}

/**
 * Refused keys and invalid requests are not retried, as they would fail again. A stream that broke has status 200. A server
 * that cannot be reached, or that the SDK has already retried several times, is not asked again.
 */
function isWorthRetrying(error: unknown): boolean {
  if (HaftError.is(error) || (error instanceof Error && error.name === "AI_RetryError")) return false;
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode;
  return typeof status !== "number" || status < 400 || status >= 500 || status === 408 || status === 429;
}

function sum(a: Usage, b: Usage = {}): Usage {
  const keys = ["inputTokens", "outputTokens", "cachedTokens"] as const;
  return Object.fromEntries(
    keys.flatMap((key) => (a[key] === undefined && b[key] === undefined ? [] : [[key, (a[key] ?? 0) + (b[key] ?? 0)]])),
  );
}
