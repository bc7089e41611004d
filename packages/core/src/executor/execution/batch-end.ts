import { within } from "../../hook/bounded.ts";
import type { BatchEvent, BatchOutcome, Hook } from "../../hook/index.ts";
import { text } from "../../tool/index.ts";
import type { CallOutcome } from "../call.ts";
import type { Batch, Pending } from "../call-run.ts";
import type { Machine } from "../machine.ts";

/**
 * Runs the hooks after all calls of a message. Their text goes after the last result; a reason to stop ends the turn. A
 * batch that was cancelled, or had no calls, has no such hooks.
 */
export function endBatch(
  machine: Machine,
  batch: Batch,
  outcomes: readonly CallOutcome[],
): Pending<readonly CallOutcome[]> {
  const hooks = machine.hooks?.filter((hook) => hook.batchEnd);
  const last = outcomes.at(-1);
  return !hooks?.length || !last || batch.signal?.aborted ? outcomes : tellHooks(machine, batch, hooks, outcomes, last);
}

async function tellHooks(
  machine: Machine,
  batch: Batch,
  hooks: readonly Hook[],
  outcomes: readonly CallOutcome[],
  last: CallOutcome,
): Promise<readonly CallOutcome[]> {
  const event = eventOf(machine, batch);
  const said = await Promise.all(hooks.map((hook) => outcomeOf(machine, hook, event)));
  const words = said.flatMap(({ context }) => context ?? []);
  const stop = last.stop ?? said.find((one) => one.stop !== undefined)?.stop;
  const { result } = last;
  const content = words.length === 0 ? result.content : [...result.content, text(words.join("\n"))];
  const ended = { ...last, result: { ...result, content }, ...(stop === undefined ? {} : { stop }) };
  return [...outcomes.slice(0, -1), ended];
}

async function outcomeOf({ ports }: Machine, hook: Hook, event: BatchEvent): Promise<BatchOutcome> {
  try {
    const ask = (signal: AbortSignal) => hook.batchEnd?.({ ...event, signal });
    return (await within(hook, ports.clock, event.signal, ask)) ?? {};
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { context: `Hook "${hook.name}" failed after the calls: ${why}` };
  }
}

function eventOf(machine: Machine, batch: Batch): BatchEvent {
  const { agent, session } = machine;
  const calls = batch.callRuns.flatMap(({ call, observed, result }) =>
    result ? [{ callId: call.id, tool: call.tool, input: observed, result }] : [],
  );
  const { signal = new AbortController().signal } = batch;
  return { calls, agent, session, cwd: machine.cwd(), mode: machine.policy().mode, signal };
}
