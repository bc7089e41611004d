import { failure, type Result, type ToolError, toToolError } from "../tool/index.ts";
import {
  type AnalysedRun,
  type CallRun,
  type EndedRun,
  type Pending,
  type Stage,
  type Verdict,
  verdictOf,
} from "./call-run.ts";
import { reconcile } from "./execution/dispatched-call.ts";
import { label } from "./execution/label.ts";
import { rehearse } from "./execution/preview.ts";
import { reveal } from "./execution/reveal.ts";
import { admit, afford } from "./stages/admit.ts";
import { approve, dropApprovals } from "./stages/approve.ts";
import { budget } from "./stages/budget.ts";
import { cancelledError } from "./stages/cancelled.ts";
import { decide } from "./stages/decide.ts";
import { effects } from "./stages/effects.ts";
import { find } from "./stages/find.ts";
import { afterHooks, beforeHooks } from "./stages/hooks.ts";
import { normalise } from "./stages/normalise.ts";
import { parse } from "./stages/parse.ts";
import { present } from "./stages/present.ts";
import { record } from "./stages/record.ts";
import { repetition } from "./stages/repetition.ts";
import { run } from "./stages/run.ts";
import { validate } from "./stages/validate.ts";

/**
 * Stages in an order that fits: each takes the call with everything that the stages before it have found out. The
 * compiler refuses a stage that needs more.
 */
class Steps<In extends CallRun, Out extends In> {
  /** The stages, without what each needs: their order has been checked. */
  readonly stages: readonly Stage[];

  private constructor(stages: readonly Stage[]) {
    this.stages = stages;
  }

  static from<Run extends CallRun>(): Steps<Run, Run> {
    return new Steps([]);
  }

  add(stage: Stage<Out>): Steps<In, Out>;
  add<Next extends Out>(stage: Stage<Out, Next>): Steps<In, Next>;
  add(stage: (callRun: never) => unknown): unknown {
    return new Steps([...this.stages, stage as Stage]);
  }

  addAll<Next extends Out>(steps: Steps<Out, Next>): Steps<In, Next> {
    return new Steps([...this.stages, ...steps.stages]);
  }

  /** The place of a stage. */
  placeOf(stage: (callRun: never) => unknown): number {
    return this.stages.indexOf(stage as Stage);
  }
}

/** Stages that find out enough about a call to decide about it. */
const understand = Steps.from<CallRun>().add(find).add(parse).add(normalise).add(effects);

/** Stages before and during the run of the tool. The first one that ends the call ends it; the later ones are skipped. */
const perform = Steps.from<CallRun>()
  .add(afford)
  .addAll(understand)
  .add(reconcile)
  .add(admit)
  .add(validate)
  .add(beforeHooks)
  .add(decide)
  .add(rehearse)
  .add(approve)
  .add(run)
  .add(afterHooks);

/** Stages for every call, however it ended. */
const finish = Steps.from<EndedRun>().add(repetition).add(label).add(reveal).add(budget).add(record).add(present);

/** A new input restarts here. */
const again = perform.placeOf(parse);

/** Without a limit, an approver and a hook could rewrite each other's input for ever. */
const MAX_REWRITES = 10;

/** Takes one call through every stage. Never fails. The call has its one result on return if it never had to wait. */
export function runPipeline(callRun: CallRun): Pending<EndedRun> {
  const end = walk(perform, callRun, onVerdict);
  return end instanceof Promise ? end.then((late) => finishCall(callRun, late)) : finishCall(callRun, end);
}

function finishCall(callRun: CallRun, end: Result | EndedRun): Pending<EndedRun> {
  const ended = isRun(end) ? end : Object.assign(callRun, { result: end });
  dropApprovals(ended);
  // The remaining stages do nothing that could conflict with another call.
  ended.services.locks.leave(ended.ticket);
  const finished = walk(finish, ended, onFinal);
  return finished instanceof Promise ? finished.then(() => ended) : ended;
}

/** Finds out what a call would do, without doing it. A result is an early error. */
export const analyse = (callRun: CallRun): Pending<Result | AnalysedRun> => walk(understand, callRun, onVerdict);

/** The tool's own check of a call. A result is its refusal. */
export const checkInput = (callRun: AnalysedRun): Pending<Result | AnalysedRun> =>
  walk(Steps.from<AnalysedRun>().add(validate), callRun, onVerdict);

/** Whether a walk passed all stages, instead of ending early with a result. */
export const isRun = <Run extends CallRun>(end: Result | Run): end is Run => "machine" in end;

/** Maps a stage's verdict to the index of the next stage, or to the result that ends the walk. */
type Next = (callRun: CallRun, verdict: Verdict, place: number) => number | Result;

function onVerdict(callRun: CallRun, verdict: Verdict, place: number): number | Result {
  if (!verdict) return place + 1;
  if ("result" in verdict) return verdict.result;
  if (++callRun.rewrites > MAX_REWRITES) return failure(endless(verdict.by));
  callRun.raw = verdict.rewrite;
  callRun.rewrittenBy = verdict.by;
  return again;
}

function onFinal(callRun: CallRun, verdict: Verdict, place: number): number {
  if (verdict && "result" in verdict) callRun.result = verdict.result;
  return place + 1;
}

/** The call after all stages, or the result of the stage that ended the walk early. */
function walk<In extends CallRun, Out extends In>(
  { stages }: Steps<In, Out>,
  callRun: In,
  onNext: Next,
): Pending<Result | Out> {
  let next: number | Result = 0;
  while (typeof next === "number") {
    if (next === stages.length) return callRun as Out;
    const verdict = attempt(stages[next]!, callRun);
    if (verdict instanceof Promise) return walkOn(stages, callRun, onNext, next, verdict) as Promise<Result | Out>;
    next = onNext(callRun, verdict, next);
  }
  return next;
}

/** The rest of a walk, from the first stage that has to wait. */
async function walkOn(
  stages: readonly Stage[],
  callRun: CallRun,
  onNext: Next,
  place: number,
  waits: Promise<Verdict>,
): Promise<Result | CallRun> {
  let at = place;
  let pending: Pending<Verdict> = waits;
  for (;;) {
    const verdict: Verdict = pending instanceof Promise ? await pending : pending;
    const next = onNext(callRun, verdict, at);
    if (typeof next !== "number") return next;
    if (next === stages.length) return callRun;
    at = next;
    pending = attempt(stages[at]!, callRun);
  }
}

const endless = (by: string): ToolError => ({
  code: "limit_reached",
  message: `The input was replaced ${MAX_REWRITES} times, last by ${by}.`,
  hint: "It did not run. Hooks or answers keep changing each other's input.",
});

/** Runs one stage. An exception becomes the call's error; an abort becomes its cancellation. */
function attempt(stage: Stage, callRun: CallRun): Pending<Verdict> {
  try {
    if (callRun.signal.aborted && !callRun.running && !callRun.result)
      return { result: failure(cancelledError(callRun)) };
    const end = stage(callRun);
    return end instanceof Promise ? end.then(verdictOf, (thrown: unknown) => broken(callRun, thrown)) : verdictOf(end);
  } catch (thrown) {
    return broken(callRun, thrown);
  }
}

function broken(callRun: CallRun, thrown: unknown): Verdict {
  const aborted = callRun.signal.aborted && !callRun.result;
  return { result: failure(aborted ? cancelledError(callRun) : toToolError(thrown)) };
}
