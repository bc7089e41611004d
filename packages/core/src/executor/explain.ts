import type { Decision } from "../policy/index.ts";
import { type Effect, type FileContents, staticTraits, type ToolError, type Traits } from "../tool/index.ts";
import { createBatch } from "./batch.ts";
import type { CallRequest } from "./call.ts";
import type { Services } from "./call-run.ts";
import { contentsOf } from "./execution/contents.ts";
import { judge } from "./execution/judge.ts";
import { prepare } from "./launch.ts";
import type { Machine } from "./machine.ts";
import { analyse, checkInput, isRun } from "./pipeline.ts";

/** The decision about a hypothetical call, with its reasons. */
export interface Explanation {
  readonly tool: string;
  readonly effects: readonly Effect[];
  readonly traits: Traits;
  /** Absent if the call would not get that far. */
  readonly decision?: Decision;
  /** If a person would be asked: the files that define what its commands do, with their current contents. */
  readonly contents?: FileContents;
  /** Why it would not get that far: an unknown tool, an input that does not fit. With a decision: the tool's own check refuses it. */
  readonly error?: ToolError;
}

/** Takes a call up to its decision, through the same stages as a real one. Nothing runs and nobody is asked. */
export async function explain(machine: Machine, services: Services, request: CallRequest): Promise<Explanation> {
  const batch = createBatch({ id: `${machine.session.id}:explain`, turn: 0 });
  const callRun = prepare(machine, services, batch, request, undefined);
  try {
    const end = await analyse(callRun);
    const { effects, call } = callRun;
    if (!isRun(end)) {
      const traits = callRun.traits ?? staticTraits(callRun.entry?.tool.can ?? []);
      return { tool: call.tool, effects, traits, ...(end.error ? { error: end.error } : {}) };
    }
    const checked = await checkInput(end);
    const error = isRun(checked) ? undefined : checked.error;
    const decision = judge(end);
    const contents = decision.decision === "ask" ? await contentsOf(end) : undefined;
    return {
      ...{ tool: call.tool, effects, traits: end.traits, decision },
      ...(contents ? { contents } : {}),
      ...(error ? { error } : {}),
    };
  } finally {
    services.locks.leave(callRun.ticket);
  }
}
