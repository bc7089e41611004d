import type { CallOutcome, Executor } from "@haft/core/executor";
import type { Offer } from "@haft/core/registry";
import { HaftError } from "@haft/core/tool";
import type { AgentDesk } from "./context/desk.ts";
import { shortened } from "./context/shorten.ts";
import { isTooLong, tooLong } from "./context/too-long.ts";
import { type CallPart, lastText, loadedBy, type Message } from "./message.ts";
import type { Model, ModelEvent, Usage } from "./model.ts";
import { repaired } from "./repair.ts";
import { idKeeper, messagesOf, readTurn, type Turn, withLoads } from "./turn.ts";

/** Requests in a row that may fail before the loop gives up. The SDK below retries single requests by itself. */
const FAILURES = 3;

const DEFAULT_MAX_TURNS = 100;

export interface AgentOptions {
  readonly model: Model;
  /** The tools of the next request. Asked before every request, so that a change counts at once. */
  offer(): Offer | Promise<Offer>;
  /** Runs the calls: an executor, or a toolbox. */
  readonly executor: Pick<Executor, "open">;
  /** The conversation so far, ending with what the user said. Calls that lack a result get one. */
  readonly messages: readonly Message[];
  /** The host's part of the system prompt; what the offered tools add comes behind it. */
  readonly system?: string;
  /** Most messages of the model. Default 100. */
  readonly maxTurns?: number;
  /** Interrupts: running calls are cancelled, and every call still has its result. */
  readonly signal?: AbortSignal;
  /** What was said to the agent meanwhile goes in between turns, and its tools may cut the conversation. */
  readonly desk?: AgentDesk;
  /** What people said meanwhile. Asked between turns; goes in behind the results. */
  steer?(): readonly Message[] | Promise<readonly Message[]>;
  /** Asked when the model makes no more calls: what still has to be said to it. Nothing ends the run. */
  beforeEnd?(text: string): MoreWork | Promise<MoreWork>;
  /** Looks at what came of a turn's calls. A reason ends the loop: a person said no, a call repeats itself. */
  stopAfter?(outcomes: readonly CallOutcome[]): string | undefined;
  /** Hears what happens. What it throws is ignored. */
  readonly onEvent?: (event: AgentEvent) => void;
}

/** Messages that keep a run going, or the reason why it ends here although more could be said. */
export interface MoreWork {
  readonly messages?: readonly Message[];
  readonly stop?: string;
}

/** What happens in the loop, for faces and for the session's record. */
export type AgentEvent =
  | { readonly type: "request"; readonly turn: number; readonly offer: Offer }
  | { readonly type: "model"; readonly turn: number; readonly event: ModelEvent }
  | { readonly type: "call"; readonly turn: number; readonly call: CallPart }
  /** A message is part of the conversation now. Written down in this order, they are the conversation. */
  | { readonly type: "message"; readonly turn: number; readonly message: Message }
  | { readonly type: "retry"; readonly turn: number; readonly error: unknown }
  /** The model could not read it all: the oldest results, so many characters, were left out of the conversation. */
  | { readonly type: "shortened"; readonly turn: number; readonly results: number; readonly chars: number }
  | { readonly type: "end"; readonly end: AgentEnd };

export interface AgentEnd {
  /** `answered`: the model made no more calls; `why` then says what is wrong with the answer. `stopped`: `stopAfter` gave a reason. */
  readonly reason: "answered" | "max_turns" | "cancelled" | "stopped" | "error";
  readonly why?: string;
  readonly error?: unknown;
  /** The whole conversation, fit to be continued. */
  readonly messages: readonly Message[];
  /** The last words of the model. */
  readonly text: string;
  readonly turns: number;
  readonly usage: Usage;
}

/** Model, calls, results, model, until no calls are left. Never rejects; leaves no call without a result. */
export async function runAgent(options: AgentOptions): Promise<AgentEnd> {
  const { model, executor, signal = new AbortController().signal, maxTurns = DEFAULT_MAX_TURNS } = options;
  const tell = (event: AgentEvent): void => {
    try {
      options.onEvent?.(event);
    } catch {
      // Whoever listens must not change what happens.
    }
  };
  const messages: Message[] = [];
  const takeBack = options.desk?.lend(messages);
  const ids = idKeeper(options.messages);
  let usage: Usage = {};
  let turn = 0;
  let failures = 0;

  const add = (added: readonly Message[]): void => {
    for (const message of added) {
      messages.push(message);
      tell({ type: "message", turn, message });
    }
  };

  function end(reason: AgentEnd["reason"], more: { readonly why?: string; readonly error?: unknown } = {}): AgentEnd {
    takeBack?.();
    const ended = { reason, ...more, messages, text: lastText(messages), turns: turn, usage };
    tell({ type: "end", end: ended });
    return ended;
  }

  async function request(): Promise<Turn> {
    const offer = await options.offer();
    tell({ type: "request", turn, offer });
    const system = [options.system ?? "", ...offer.prompt].filter((part) => part !== "").join("\n\n");
    // A signal of its own for each turn: whoever listens to it goes with the turn.
    const own = AbortSignal.any([signal]);
    const batch = executor.open({ turn, signal: own });
    const tools = knownTools(offer, messages);
    const read = await readTurn(model.step({ system, messages: [...messages], tools, signal: own }), batch, ids, {
      onEvent: (event) => tell({ type: "model", turn, event }),
      onCall: (call) => tell({ type: "call", turn, call }),
    });
    return model.withholdsTools ? { ...read, results: await withLoads(read.results, offer, options.offer) } : read;
  }

  try {
    messages.push(...repaired(options.messages));
    for (;;) {
      if (signal.aborted) return end("cancelled");
      if (turn >= maxTurns) return end("max_turns", { why: `The limit of ${maxTurns} turns is reached.` });
      turn++;
      const answer = await request();
      usage = sum(usage, answer.usage);
      const failed = answer.error !== undefined;
      // A message that broke off before anything ran is as if it had not been; the next request asks again.
      if (!failed || answer.started || signal.aborted) add(messagesOf(answer));
      if (signal.aborted) return end("cancelled");
      if (failed && isTooLong(answer.error)) {
        const shorter = shortened(messages);
        if (!shorter) return end("error", { error: tooLong(answer.error) });
        messages.splice(0, messages.length, ...shorter.messages);
        tell({ type: "shortened", turn, results: shorter.results, chars: shorter.chars });
        continue;
      }
      if (failed) {
        if (++failures >= FAILURES || !isWorthRetrying(answer.error)) return end("error", { error: answer.error });
        tell({ type: "retry", turn, error: answer.error });
        continue;
      }
      failures = 0;
      const why = answer.outcomes.find(({ stop }) => stop !== undefined)?.stop ?? options.stopAfter?.(answer.outcomes);
      if (why !== undefined) return end("stopped", { why });
      const said = [...((await options.steer?.()) ?? []), ...(options.desk?.take() ?? [])];
      add(said);
      if (answer.results.length > 0 || said.length > 0) continue;
      const { messages: more = [], stop } = (await options.beforeEnd?.(lastText(messages))) ?? {};
      if (stop !== undefined) return end("stopped", { why: stop });
      if (more.length === 0 || signal.aborted) return end("answered", doubtAbout(answer));
      add(more);
    }
  } catch (error) {
    // Only the host's own functions can throw here: offer, steer, beforeEnd, stopAfter. What was said so far is whole.
    return end("error", { error });
  }
}

/** What a person has to know of an answer that is none, or not a whole one. */
function doubtAbout({ finish, parts }: Turn): { readonly why?: string } {
  if (finish === "length") return { why: "the model's answer was cut, for it was too long" };
  if (finish === "filtered") return { why: "the model's provider held its answer back" };
  return parts.some(({ type }) => type === "text") ? {} : { why: "the model said nothing" };
}

/** A loaded tool that no message says is loaded, as after a compaction, is nothing to keep back any more. */
function knownTools({ tools, deferred }: Offer, messages: readonly Message[]): Offer["tools"] {
  const keptBack = new Set([...deferred, ...messages.flatMap(loadedBy)]);
  return tools.map(({ isDeferred, ...tool }) =>
    isDeferred && keptBack.has(tool.name) ? { ...tool, isDeferred } : tool,
  );
}

/**
 * A refused key or a request that the provider cannot read stays refused. A stream that broke has status 200. A server that cannot
 * be reached is not asked again, nor one that the SDK has asked several times already.
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
