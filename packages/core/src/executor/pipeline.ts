import { failure, type Result, type ToolError, toToolError } from "../tool/index.ts";
import { label } from "./execution/label.ts";
import { rehearse } from "./execution/preview.ts";
import { reveal } from "./execution/reveal.ts";
import type { Flight, Pending, Stage, Verdict } from "./flight.ts";
import { admit, afford } from "./stages/admit.ts";
import { approve } from "./stages/approve.ts";
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
export function fly(flight: Flight): Pending<unknown> {
  const early = walk(perform, flight, obey);
  return early instanceof Promise ? early.then((result) => land(flight, result)) : land(flight, early);
}

function land(flight: Flight, early: Result | undefined): Pending<unknown> {
  flight.result = early ?? flight.result;
  // The remaining stages do nothing that could conflict with another call.
  flight.services.locks.leave(flight.ticket);
  return walk(finish, flight, amend);
}

/** Finds out what a call would do, without doing it. The result is an early error. */
export const analyse = (flight: Flight): Pending<Result | undefined> => walk(understand, flight, obey);

/** Maps a stage's verdict to the index of the next stage, or to the result that ends the walk. */
type Lead = (flight: Flight, verdict: Said, place: number) => number | Result;

type Said = Awaited<ReturnType<Stage>>;

function obey(flight: Flight, verdict: Said, place: number): number | Result {
  if (!verdict) return place + 1;
  if ("result" in verdict) return verdict.result;
  if (++flight.rewrites > MAX_REWRITES) return failure(endless(verdict.by));
  flight.raw = verdict.rewrite;
  flight.rewrittenBy = verdict.by;
  return again;
}

function amend(flight: Flight, verdict: Said, place: number): number {
  if (verdict && "result" in verdict) flight.result = verdict.result;
  return place + 1;
}

/** The result of the stage that ended the walk early; `undefined` if all stages passed. */
function walk(stages: readonly Stage[], flight: Flight, lead: Lead): Pending<Result | undefined> {
  let next: number | Result = 0;
  while (typeof next === "number") {
    if (next === stages.length) return undefined;
    const said = attempt(stages[next]!, flight);
    if (said instanceof Promise) return walkOn(stages, flight, lead, next, said);
    next = lead(flight, said, next);
  }
  return next;
}

/** The rest of a walk, from the first stage that has to wait. */
async function walkOn(
  stages: readonly Stage[],
  flight: Flight,
  lead: Lead,
  place: number,
  waits: Promise<Said>,
): Promise<Result | undefined> {
  let at = place;
  let said: Pending<Said> = waits;
  for (;;) {
    let verdict: Said;
    try {
      verdict = said instanceof Promise ? await said : said;
    } catch (thrown) {
      verdict = broken(flight, thrown);
    }
    const next = lead(flight, verdict, at);
    if (typeof next !== "number") return next;
    if (next === stages.length) return undefined;
    at = next;
    said = attempt(stages[at]!, flight);
  }
}

const endless = (by: string): ToolError => ({
  code: "limit_reached",
  message: `The input was replaced ${MAX_REWRITES} times without an end, last by ${by}.`,
  hint: "It did not run. Hooks or answers undo each other's changes.",
});

/** Runs one stage. An exception becomes the call's error; an abort becomes its cancellation. */
function attempt(stage: Stage, flight: Flight): Pending<Said> {
  try {
    if (flight.signal.aborted && !flight.running && !flight.result) return { result: failure(cancelledError(flight)) };
    return stage(flight);
  } catch (thrown) {
    return broken(flight, thrown);
  }
}

function broken(flight: Flight, thrown: unknown): Verdict {
  const aborted = flight.signal.aborted && !flight.result;
  return { result: failure(aborted ? cancelledError(flight) : toToolError(thrown)) };
}
