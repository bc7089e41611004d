import { type AfterEvent, type BeforeOutcome, foldBefore, type Hook, type HookEvent } from "@haft/core/hook";
import { contentsText } from "@haft/core/tool";
import type { Dispatch, Heard } from "./dispatch.ts";
import type { OnFailure } from "./handler.ts";
import type { LiveEvent, Occasion } from "./occasion.ts";
import { commonFields, failureOf, responseOf } from "./payload.ts";

export interface CallHookOptions {
  readonly dispatch: Dispatch;
  /** Effect of a guard's failure, unless its own entry sets one. */
  readonly onFailure: OnFailure;
  readonly transcript: string;
}

/** Combines all settings hooks around calls into one hook of the machine. */
export function createCallHook({ dispatch, onFailure, transcript }: CallHookOptions): Hook {
  const occasion = (event: LiveEvent, call: HookEvent, more: object): Occasion => {
    const { identity, input, effects, matches, cwd, signal, tool, callId } = call;
    const payload = {
      ...commonFields(event, call, transcript),
      tool_name: tool,
      tool_input: input,
      tool_use_id: callId,
      ...more,
    };
    const names = [identity.name, ...(identity.aliases ?? [])];
    return {
      event,
      names,
      call: { tool: identity, input, effects, ...(matches ? { matches } : {}) },
      payload,
      cwd,
      signal,
    };
  };

  return {
    name: "settings",
    // Each handler has its own timeout.
    timeoutMs: Number.POSITIVE_INFINITY,
    async before(call) {
      const heard = await dispatch(occasion("PreToolUse", call, {}));
      if (heard.length === 0) return undefined;
      const folded = foldBefore(heard.map((one) => ({ hook: one.hook, outcome: beforeOutcome(one, onFailure) })));
      const { decision, reason, by, input, context, stop } = folded;
      return {
        ...(decision ? { decision } : {}),
        ...(reason === undefined ? {} : { reason }),
        ...(by === undefined ? {} : { by }),
        ...(input ? { input: input.value } : {}),
        ...(context.length === 0 ? {} : { context: context.join("\n") }),
        ...(stop ? { stop: stop.reason } : {}),
      };
    },
    async after(call) {
      const heard = await dispatch(afterOccasion(call));
      const output = heard.findLast(({ said }) => said.output)?.said.output;
      return { ...wordsOf(heard), ...stopOf(heard), ...(output ? { output: output.value } : {}) };
    },
    async batchEnd(batch) {
      const { calls, cwd, signal } = batch;
      const event = "PostToolBatch";
      const toolCalls = calls.map(({ callId, tool, input, result }) => ({
        tool_name: tool,
        tool_input: input,
        tool_use_id: callId,
        tool_response: contentsText(result.content),
      }));
      const payload = { ...commonFields(event, batch, transcript), tool_calls: toolCalls };
      const heard = await dispatch({ event, payload, cwd, signal });
      // Here a block is not advice: it ends the loop.
      const blocked = heard.find(({ said }) => said.block !== undefined)?.said.block;
      return { ...contextOf(heard), ...(blocked === undefined ? stopOf(heard) : { stop: blocked }) };
    },
  };

  function afterOccasion(call: AfterEvent): Occasion {
    const { result, durationMs } = call;
    const duration_ms = Math.round(durationMs);
    return result.error
      ? occasion("PostToolUseFailure", call, { error: failureOf(result), is_interrupt: false, duration_ms })
      : occasion("PostToolUse", call, { tool_response: responseOf(result), duration_ms });
  }
}

/** A guard that reached no answer has not let the call pass. */
function beforeOutcome({ hook, said, failure, onFailure }: Heard, otherwise: OnFailure): BeforeOutcome {
  const { decision, reason, block, input, context, stop } = said;
  if (failure !== undefined) {
    const words = `The hook "${hook}" for this call failed: ${failure}.`;
    const means = onFailure ?? otherwise;
    return means === "pass" ? {} : { decision: means, reason: words };
  }
  const decided = block === undefined ? decision : "deny";
  const why = block ?? reason;
  return {
    ...(decided ? { decision: decided } : {}),
    ...(why ? { reason: why } : {}),
    ...(input ? { input: input.value } : {}),
    ...(context === undefined ? {} : { context }),
    ...(stop === undefined ? {} : { stop }),
  };
}

/** Text for the model after a call: added context, and a hook's objection to the result. */
function wordsOf(heard: readonly Heard[]): { readonly context?: string } {
  const words = heard.flatMap(({ hook, said }) => [
    ...(said.context === undefined ? [] : [said.context]),
    ...(said.block === undefined ? [] : [`The hook "${hook}" objects: ${said.block}`]),
  ]);
  return words.length === 0 ? {} : { context: words.join("\n") };
}

function contextOf(heard: readonly Heard[]): { readonly context?: string } {
  const words = heard.flatMap(({ said }) => said.context ?? []);
  return words.length === 0 ? {} : { context: words.join("\n") };
}

function stopOf(heard: readonly Heard[]): { readonly stop?: string } {
  const stop = heard.find(({ said }) => said.stop !== undefined)?.said.stop;
  return stop === undefined ? {} : { stop };
}
