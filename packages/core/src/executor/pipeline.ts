import { failure, type Result, type ToolError, toToolError } from "../tool/index.ts";
import { label } from "./execution/label.ts";
import { rehearse } from "./execution/rehearse.ts";
import type { Flight, Stage, Verdict } from "./flight.ts";
import { admit } from "./stages/admit.ts";
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

/** What a call is: enough to decide about it. */
const understand: readonly Stage[] = [find, parse, normalise, effects];

/** Before and while the tool runs. The first stage that ends the call ends it; nothing later runs. */
const perform: readonly Stage[] = [
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

/** What every call goes through, however it ended. */
const finish: readonly Stage[] = [repetition, label, budget, record, present];

/** A new input starts here again. */
const again = perform.indexOf(parse);

/** An approver and a hook could rewrite each other's input for ever. */
const MAX_REWRITES = 10;

/** Takes one call through every stage. Never throws; the flight has its one result afterwards. */
export async function fly(flight: Flight): Promise<void> {
  flight.result = (await walk(perform, flight)) ?? flight.result;
  for (const stage of finish) {
    const said = attempt(stage, flight);
    const verdict = said instanceof Promise ? await said : said;
    if (verdict && "result" in verdict) flight.result = verdict.result;
  }
}

/** Finds out what a call would do, without doing it. The result is an early error. */
export const analyse = (flight: Flight): Promise<Result | undefined> => walk(understand, flight);

/** The result of the stage that ended the call early; `undefined` when all stages were passed. */
async function walk(stages: readonly Stage[], flight: Flight): Promise<Result | undefined> {
  for (let index = 0; index < stages.length; index++) {
    const said = attempt(stages[index]!, flight);
    const verdict = said instanceof Promise ? await said : said;
    if (!verdict) continue;
    if ("result" in verdict) return verdict.result;
    if (++flight.rewrites > MAX_REWRITES) return failure(endless(verdict.by));
    flight.raw = verdict.rewrite;
    flight.rewrittenBy = verdict.by;
    index = again - 1;
  }
  return undefined;
}

const endless = (by: string): ToolError => ({
  code: "limit_reached",
  message: `The input was replaced ${MAX_REWRITES} times without an end, last by ${by}.`,
});

/**
 * One stage. Whatever it throws becomes the call's error; an abort becomes its cancellation. A promise only where the
 * stage gives one: most have nothing to wait for, and waiting for nothing costs more than they do.
 */
function attempt(stage: Stage, flight: Flight): Verdict | Promise<Verdict> {
  try {
    if (flight.signal.aborted && !flight.running && !flight.result) return { result: failure(cancelledError(flight)) };
    const verdict = stage(flight);
    if (!(verdict instanceof Promise)) return verdict ?? undefined;
    return verdict.then(
      (said) => said ?? undefined,
      (thrown: unknown) => broken(flight, thrown),
    );
  } catch (thrown) {
    return broken(flight, thrown);
  }
}

function broken(flight: Flight, thrown: unknown): Verdict {
  const aborted = flight.signal.aborted && !flight.result;
  return { result: failure(aborted ? cancelledError(flight) : toToolError(thrown)) };
}
