import { failure, type Result, type ToolError, toToolError } from "../tool/index.ts";
import type { CallRun, Pending, Stage, Verdict } from "./call-run.ts";
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

/** Stages that find out enough about a call to decide about it. */
const understand: readonly Stage[] = [find, parse, normalise, effects];

/** Stages before and during the run of the tool. The first one that ends the call ends it; the later ones are skipped. */
const perform: readonly Stage[] = [
  afford,
  ...understand,
  reconcile,
  admit,
  validate,
  beforeHooks,
  decide,
  rehearse,
  approve,
  run,
  afterHooks,
];

/** Stages for every call, however it ended. */
const finish: readonly Stage[] = [repetition, label, reveal, budget, record, present];

/** A new input restarts here. */
const again = perform.indexOf(parse);

/** Without a limit, an approver and a hook could rewrite each other's input for ever. */
const MAX_REWRITES = 10;

/** Takes one call through every stage. Never fails. The call has its one result on return if it never had to wait. */
export function runPipeline(callRun: CallRun): Pending<unknown> {
  const early = walk(perform, callRun, onVerdict);
  return early instanceof Promise ? early.then((result) => finishCall(callRun, result)) : finishCall(callRun, early);
}

function finishCall(callRun: CallRun, early: Result | undefined): Pending<unknown> {
  callRun.result = early ?? callRun.result;
  dropApprovals(callRun);
  // The remaining stages do nothing that could conflict with another call.
  callRun.services.locks.leave(callRun.ticket);
  return walk(finish, callRun, onFinal);
}

/** Finds out what a call would do, without doing it. The result is an early error. */
export const analyse = (callRun: CallRun): Pending<Result | undefined> => walk(understand, callRun, onVerdict);

/** Maps a stage's verdict to the index of the next stage, or to the result that ends the walk. */
type Next = (callRun: CallRun, verdict: MaybeVerdict, place: number) => number | Result;

type MaybeVerdict = Awaited<ReturnType<Stage>>;

function onVerdict(callRun: CallRun, verdict: MaybeVerdict, place: number): number | Result {
  if (!verdict) return place + 1;
  if ("result" in verdict) return verdict.result;
  if (++callRun.rewrites > MAX_REWRITES) return failure(endless(verdict.by));
  callRun.raw = verdict.rewrite;
  callRun.rewrittenBy = verdict.by;
  return again;
}

function onFinal(callRun: CallRun, verdict: MaybeVerdict, place: number): number {
  if (verdict && "result" in verdict) callRun.result = verdict.result;
  return place + 1;
}

/** The result of the stage that ended the walk early; `undefined` if all stages passed. */
function walk(stages: readonly Stage[], callRun: CallRun, onNext: Next): Pending<Result | undefined> {
  let next: number | Result = 0;
  while (typeof next === "number") {
    if (next === stages.length) return undefined;
    const said = attempt(stages[next]!, callRun);
    if (said instanceof Promise) return walkOn(stages, callRun, onNext, next, said);
    next = onNext(callRun, said, next);
  }
  return next;
}

/** The rest of a walk, from the first stage that has to wait. */
async function walkOn(
  stages: readonly Stage[],
  callRun: CallRun,
  onNext: Next,
  place: number,
  waits: Promise<MaybeVerdict>,
): Promise<Result | undefined> {
  let at = place;
  let said: Pending<MaybeVerdict> = waits;
  for (;;) {
    let verdict: MaybeVerdict;
    try {
      verdict = said instanceof Promise ? await said : said;
    } catch (thrown) {
      verdict = broken(callRun, thrown);
    }
    const next = onNext(callRun, verdict, at);
    if (typeof next !== "number") return next;
    if (next === stages.length) return undefined;
    at = next;
    said = attempt(stages[at]!, callRun);
  }
}

const endless = (by: string): ToolError => ({
  code: "limit_reached",
  message: `The input was replaced ${MAX_REWRITES} times without an end, last by ${by}.`,
  hint: "It did not run. Hooks or answers undo each other's changes.",
});

/** Runs one stage. An exception becomes the call's error; an abort becomes its cancellation. */
function attempt(stage: Stage, callRun: CallRun): Pending<MaybeVerdict> {
  try {
    if (callRun.signal.aborted && !callRun.running && !callRun.result)
      return { result: failure(cancelledError(callRun)) };
    return stage(callRun);
  } catch (thrown) {
    return broken(callRun, thrown);
  }
}

function broken(callRun: CallRun, thrown: unknown): Verdict {
  const aborted = callRun.signal.aborted && !callRun.result;
  return { result: failure(aborted ? cancelledError(callRun) : toToolError(thrown)) };
}
