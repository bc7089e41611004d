import { cutCall } from "../cut-call.ts";
import type { Toolbox } from "../toolbox.ts";
import { wireNames } from "../wire-names.ts";
import { createReferences } from "./references.ts";
import { type AnsweredCall, anthropicResults } from "./results.ts";
import { batchOptions, runStream, type StreamedTurn, type StreamOptions } from "./stream.ts";
import { anthropicTools } from "./tools.ts";
import {
  type AnthropicCacheControl,
  type AnthropicEvent,
  type AnthropicMessage,
  type AnthropicResults,
  type AnthropicTool,
  isToolUse,
  stopsShort,
} from "./wire.ts";

/** The layout of the tool list in requests. */
export interface AnthropicOptions {
  /** Puts a cache breakpoint on the last tool, so that the whole list is cached. */
  readonly cacheControl?: AnthropicCacheControl;
  /**
   * The model supports `defer_loading` and tool references. Definitions stay in the request, in their place, and reach
   * the model when a search refers to them, so a search does not invalidate the cache. Needs `gates.toolSearch`, and an
   * adapter of its own for each conversation; after a compaction of its messages, a new one. Default false.
   */
  readonly deferLoading?: boolean;
}

/** Both sides of a request: the offered tools, and the function that runs the calls of the answer. */
export interface AnthropicAdapter {
  /** The request's `tools`, rebuilt at every access: read it for each request. */
  readonly tools: AnthropicTool[];
  readonly run: AnthropicRun;
}

/** Runs the calls of messages. */
export interface AnthropicRun {
  /**
   * Runs the calls of a message and returns the one message to append: a result for every call, in call order. `null`
   * if the message has no calls. Never rejects because of a call.
   */
  (message: AnthropicMessage, options?: { readonly signal?: AbortSignal }): Promise<AnthropicResults | null>;
  /** The same for a message that is still streaming: each call starts when its block is complete. */
  stream<E extends AnthropicEvent>(events: AsyncIterable<E>, options?: StreamOptions<E>): Promise<StreamedTurn<E>>;
}

/**
 * Haft's tools for Anthropic's Messages API. Pure mapping: the model's own content is never changed, so it is sent back
 * byte for byte.
 */
export function anthropic(
  toolbox: Toolbox,
  { cacheControl, deferLoading = false }: AnthropicOptions = {},
): AnthropicAdapter {
  const names = wireNames();
  const deferral = deferLoading ? toolbox.deferral : undefined;
  const references = deferral && createReferences(deferral, names);
  const cache = cacheControl ? { cache: cacheControl } : {};

  async function run(
    message: AnthropicMessage,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<AnthropicResults | null> {
    const uses = message.content.filter(isToolUse);
    if (uses.length === 0) return null;
    const last = message.content.at(-1);
    const batch = toolbox.open(batchOptions(signal, message.id));
    const calls = uses.map(({ id, name, input }, index): AnsweredCall => {
      const tool = names.toTool(name);
      if (uses[index] === last && stopsShort(message.stop_reason)) return { id, tool, cut: cutCall(tool, "length") };
      void batch.add({ id, tool, input });
      return { id, tool };
    });
    const answer = anthropicResults(calls, await batch.end());
    return references ? references.refer(calls, answer) : answer;
  }

  return {
    get tools() {
      return deferral && references
        ? references.withReferred(anthropicTools(deferral.offer(), names, { ...cache, given: references.given() }))
        : anthropicTools(toolbox.offer(), names, cache);
    },
    run: Object.assign(run, {
      stream: <E extends AnthropicEvent>(events: AsyncIterable<E>, options?: StreamOptions<E>) =>
        runStream({ toolbox, names, ...(references ? { references } : {}) }, events, options),
    }),
  };
}
