import { cutCall, withOwnWords } from "@haft/core/adapter";
import type { CallOutcome, OpenBatch } from "@haft/core/executor";
import type { Offer } from "@haft/core/registry";
import type { AssistantPart, CallPart, Message, ResultPart } from "./message.ts";
import type { FinishReason, ModelEvent, Usage } from "./model.ts";

/** One message of the model with the results of its calls. */
export interface Turn {
  readonly parts: readonly AssistantPart[];
  readonly results: readonly ResultPart[];
  readonly outcomes: readonly CallOutcome[];
  readonly finish?: FinishReason;
  readonly usage?: Usage;
  /** The error that interrupted the message. */
  readonly error?: unknown;
  /** Whether a call was handed to the executor. If so, the message must stay, with its results. */
  readonly started: boolean;
}

export interface TurnHooks {
  /** Receives every event of the model before it is processed. */
  readonly onEvent?: (event: ModelEvent) => void;
  /** Receives each complete call once it has been handed over. */
  readonly onCall?: (call: CallPart) => void;
  /** Receives parts that became complete, the last of them a call that starts next. If it throws, the call does not start. */
  readonly onParts?: (parts: readonly AssistantPart[]) => void;
  /** Receives the result of a call that has ended before the message or other calls. */
  readonly onResult?: (result: ResultPart) => void;
}

/**
 * Reads one message to its end. Hands every complete call to the batch at once, while the message still streams. A call
 * with incomplete arguments gets a result without running. Never rejects.
 */
export async function readTurn(
  events: AsyncIterable<ModelEvent>,
  batch: OpenBatch,
  ids: IdKeeper,
  { onEvent, onCall, onParts, onResult }: TurnHooks = {},
): Promise<Turn> {
  const slots = new Map<string, AssistantPart | undefined>();
  const texts = new Map<string, string>();
  const calls: CallPart[] = [];
  const unheard: AssistantPart[] = [];
  const early = earlyResults(() => finish === undefined && error === undefined, onResult);
  let finish: FinishReason | undefined;
  let usage: Usage | undefined;
  let error: unknown;

  function take(event: ModelEvent): void {
    switch (event.type) {
      case "call-started":
        if (!slots.has(event.key)) slots.set(event.key, undefined);
        return;
      case "delta":
        if (!slots.has(event.key)) slots.set(event.key, undefined);
        if (event.of === "text") texts.set(event.key, (texts.get(event.key) ?? "") + event.text);
        return;
      case "part":
        if (event.part.type === "tool-call") slots.set(event.key, handOver(event.part));
        else {
          slots.set(event.key, event.part);
          unheard.push(event.part);
        }
        return;
      case "finish":
        finish = event.reason;
        usage = event.usage;
        return;
      case "error":
        error = event.error;
    }
  }

  function handOver(part: CallPart): CallPart {
    const call = { ...part, id: ids.unique(part.id) };
    const { id, tool, input, json, cut } = call;
    unheard.push(call);
    onParts?.(unheard.splice(0));
    calls.push(call);
    if (!cut) void early(call, batch.add({ id, tool, ...(json === undefined ? { input } : { json }) }));
    onCall?.(call);
    return call;
  }

  try {
    for await (const event of events) {
      onEvent?.(event);
      take(event);
    }
  } catch (thrown) {
    error = thrown;
  }
  if (error === undefined && finish === undefined)
    error = new Error("The model's message ended without an end marker.");
  const parts = [...slots].flatMap(([key, part]) => part ?? partialText(texts.get(key)));
  const outcomes = await (error === undefined ? batch.end() : batch.discard("the model's message was cut off"));
  const ended = new Map(outcomes.map((outcome) => [outcome.call.id, outcome]));
  return {
    parts,
    results: calls.map((call) => resultOf(call, ended.get(call.id))),
    outcomes,
    started: outcomes.length > 0,
    ...(finish === undefined ? {} : { finish }),
    ...(usage === undefined ? {} : { usage }),
    ...(error === undefined ? {} : { error }),
  };
}

/** Passes on results before the message is whole. The last outcome of a call comes with the batch, with what hooks say after all calls. */
function earlyResults(isStreaming: () => boolean, onResult?: (result: ResultPart) => void) {
  let running = 0;
  return async (call: CallPart, ended: Promise<CallOutcome>): Promise<void> => {
    running += 1;
    const outcome = await ended;
    running -= 1;
    if (running === 0 && !isStreaming()) return;
    try {
      onResult?.(resultOf(call, outcome));
    } catch {
      // The whole message will fail to be stored, too, and say so.
    }
  };
}

/** The messages that a turn adds to the conversation. */
export function messagesOf({ parts, results }: Turn): readonly Message[] {
  return [
    ...(parts.length > 0 ? [{ role: "assistant" as const, parts }] : []),
    ...(results.length > 0 ? [{ role: "results" as const, results }] : []),
  ];
}

/** Adds the loaded tools to the loader's result, for a provider that withholds definitions until then. */
export async function withLoads(
  results: readonly ResultPart[],
  before: Offer,
  offer: () => Offer | Promise<Offer>,
): Promise<readonly ResultPart[]> {
  const at = results.findIndex(({ tool, status }) => tool === before.loader && status === "ok");
  const result = results[at];
  if (!result) return results;
  try {
    const { tools, deferred } = await offer();
    const [left, hidden] = [new Set(deferred), new Set(before.deferred)];
    const known = new Set(before.tools.flatMap(({ name }) => (hidden.has(name) ? [] : [name])));
    // Includes tools that arrived meanwhile: the loader may have waited for a server.
    const loads = tools.flatMap(({ name, isDeferred }) =>
      isDeferred && !left.has(name) && !known.has(name) ? [name] : [],
    );
    return loads.length === 0 ? results : results.with(at, { ...result, loads });
  } catch {
    // The next request meets the same failure after this turn is stored; it sends the full definitions of loaded tools.
    return results;
  }
}

/** Interrupted text is kept. An interrupted thought lacks its signature and is dropped. */
const partialText = (text: string | undefined): readonly AssistantPart[] =>
  text === undefined || text.trim() === "" ? [] : [{ type: "text", text }];

function resultOf({ id: callId, tool, cut = "broken" }: CallPart, outcome: CallOutcome | undefined): ResultPart {
  if (!outcome) return { callId, tool, status: "error", content: cutCall(tool, cut).content };
  const { status, result } = outcome;
  const { labels, spilled } = result;
  const isStranger = labels?.integrity === "stranger";
  const said = isStranger ? { content: withOwnWords(result), labels } : { content: result.content };
  return { callId, tool, status, ...said, ...(spilled ? { spilled: spilled.path } : {}) };
}

/** Keeps call ids unique in a conversation: some servers send no ids, or the same ones in every message. */
export interface IdKeeper {
  unique(id: string): string;
}

export function idKeeper(messages: readonly Message[] = []): IdKeeper {
  const used = new Set(
    messages
      .flatMap((message) => (message.role === "assistant" ? message.parts : []))
      .flatMap((part) => (part.type === "tool-call" ? [part.id] : [])),
  );
  return {
    unique(id) {
      let candidate = id === "" ? `call_${used.size + 1}` : id;
      for (let next = 2; used.has(candidate); next++) candidate = `${id || "call"}_${next}`;
      used.add(candidate);
      return candidate;
    },
  };
}
