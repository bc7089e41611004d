import { cutCall, withOwnWords } from "@haft/core/adapter";
import type { CallOutcome, OpenBatch } from "@haft/core/executor";
import type { Offer } from "@haft/core/registry";
import type { AssistantPart, CallPart, Message, ResultPart } from "./message.ts";
import type { FinishReason, ModelEvent, Usage } from "./model.ts";

/** One message of the model with what came of its calls. */
export interface Turn {
  readonly parts: readonly AssistantPart[];
  readonly results: readonly ResultPart[];
  readonly outcomes: readonly CallOutcome[];
  readonly finish?: FinishReason;
  readonly usage?: Usage;
  /** Why the message broke off. */
  readonly error?: unknown;
  /** Whether a call was handed to the executor: then the message must stay, with its results. */
  readonly started: boolean;
}

export interface TurnHooks {
  /** Sees every event of the model before it is worked on. */
  readonly onEvent?: (event: ModelEvent) => void;
  /** A call is complete and has been handed over. */
  readonly onCall?: (call: CallPart) => void;
}

/**
 * Reads one message to its end and hands every complete call to the batch at once, while the message still streams.
 * A call whose arguments broke off is answered without running. Never rejects.
 */
export async function readTurn(
  events: AsyncIterable<ModelEvent>,
  batch: OpenBatch,
  ids: IdKeeper,
  { onEvent, onCall }: TurnHooks = {},
): Promise<Turn> {
  const slots = new Map<string, AssistantPart | undefined>();
  const texts = new Map<string, string>();
  const calls: CallPart[] = [];
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
        slots.set(event.key, event.part.type === "tool-call" ? handOver(event.part) : event.part);
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
    calls.push(call);
    // Its outcome comes with the batch: what hooks say after all calls is part of it.
    if (!cut) void batch.add({ id, tool, ...(json === undefined ? { input } : { json }) });
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
  if (error === undefined && finish === undefined) error = new Error("The model's message ended without saying so.");
  const outcomes = await (error === undefined ? batch.end() : batch.discard("the model's message broke off"));
  const parts = [...slots].flatMap(([key, part]) => part ?? partialText(texts.get(key)));
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

/** The messages that a turn adds to the conversation. */
export function messagesOf({ parts, results }: Turn): readonly Message[] {
  return [
    ...(parts.length > 0 ? [{ role: "assistant" as const, parts }] : []),
    ...(results.length > 0 ? [{ role: "results" as const, results }] : []),
  ];
}

/** Says with the result of the tool that loads others what it has loaded, for a provider that keeps that back until then. */
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
    // Also what has come since: a server may have been waited for.
    const loads = tools.flatMap(({ name, isDeferred }) =>
      isDeferred && !left.has(name) && !known.has(name) ? [name] : [],
    );
    return loads.length === 0 ? results : results.with(at, { ...result, loads });
  } catch {
    // The next request meets the same failure, with the turn written down; it gives what is loaded by definition.
    return results;
  }
}

/** Text that broke off is still what the model said. A thought that broke off lacks its signature and goes. */
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

/** Keeps call ids unique in a conversation: some servers send none, or the same ones in every message. */
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
