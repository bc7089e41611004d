import {
  activityOf,
  errorText,
  failure,
  HaftError,
  type Progress,
  type Result,
  text,
  toToolError,
} from "../../tool/index.ts";
import { emit } from "../emit.ts";
import { callContext } from "../execution/call-context.ts";
import { startDeadline } from "../execution/deadline.ts";
import { outputProblem, presentOutput } from "../execution/present-output.ts";
import { createProgress, type ProgressFeed } from "../execution/progress.ts";
import { describeSafely, type Flight, type Stage, titleOf } from "../flight.ts";
import { holdSlot } from "../schedule/held-slot.ts";
import { cancelledError } from "./cancelled.ts";

/** How long a tool may take to end after it was told to. Then the call ends without it. */
const GRACE_MS = 3_000;

/** Runs the tool: within its slot, its time and its grant. Leaves exactly one result, whatever the tool does. */
export const run: Stage = async (flight: Flight) => {
  const { services } = flight;
  // A nested call runs in its root's place; waiting for one of its own would be waiting for itself.
  const slot = flight.parent ? undefined : await holdSlot(services.slots, flight.signal);
  if (slot) flight.slot = slot;
  try {
    flight.running = true;
    flight.ranAt = flight.machine.ports.clock.now();
    const activity = describeSafely(flight)?.activity ?? activityOf(flight.effects);
    emit(flight, { type: "tool:execution:start", title: titleOf(flight), activity, traits: flight.traits! });
    await execute(flight);
  } finally {
    if (flight.ranAt !== undefined) flight.ranMs = Math.max(0, flight.machine.ports.clock.now() - flight.ranAt);
    slot?.release();
  }
};

async function execute(flight: Flight): Promise<void> {
  const { machine, entry } = flight;
  const { tool } = entry!;
  // A tool that blocks interrupts hears only of its own time limit.
  const own = tool.onInterrupt === "block" ? new AbortController() : flight.controller;
  const { signal } = own;
  const limit = tool.limits?.timeoutMs;
  const deadline = startDeadline(machine.ports.clock, limit, () => {
    own.abort(new HaftError({ code: "timeout", message: `${tool.name} did not end within ${limit} ms.` }));
  });
  const feed = createProgress(flight);
  try {
    const context = callContext(flight, signal, feed, deadline);
    const started = drive(() => tool.run(flight.input, context), signal, feed);
    const output = await orAbandon(started, signal, flight);
    feed.end();
    flight.result = await finished(flight, output, signal);
  } catch (thrown) {
    feed.end();
    flight.result = failed(flight, thrown, signal);
  } finally {
    deadline.stop();
  }
}

/** Starts the tool and awaits it, or walks its generator: its yields are progress, its return value is the output. */
async function drive(start: () => unknown, signal: AbortSignal, feed: ProgressFeed): Promise<unknown> {
  const value = await start();
  if (!isGenerator(value)) return value;
  // `return` runs the generator's `finally` blocks as soon as it comes to its next yield.
  const stop = () => void value.return(undefined).catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const step = await value.next();
      if (step.done) return step.value;
      feed.update(step.value);
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const isGenerator = (value: unknown): value is AsyncGenerator<Progress, unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value && "next" in value;

/** The work's outcome; or after an abort, when the tool does not end by itself, the abort. */
function orAbandon(work: Promise<unknown>, signal: AbortSignal, { machine }: Flight): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  // Made only when it is needed: hardly any call is cancelled, and ending a controller is not cheap.
  let ended: AbortController | undefined;
  const abandon = () => {
    ended = new AbortController();
    machine.ports.clock.sleep(GRACE_MS, ended.signal).then(
      () => reject(signal.reason),
      () => {},
    );
  };
  if (signal.aborted) abandon();
  else signal.addEventListener("abort", abandon, { once: true });
  const over = () => {
    signal.removeEventListener("abort", abandon);
    ended?.abort();
  };
  work.then(over, over);
  work.then(resolve, reject);
  return promise;
}

async function finished(flight: Flight, output: unknown, signal: AbortSignal): Promise<Result> {
  // A tool that returns although it was told to stop has not done what was asked.
  if (signal.aborted && output === undefined) return failed(flight, signal.reason, signal);
  const result = presentOutput(flight, output);
  const problem = await outputProblem(flight, output);
  return problem ? { ...result, metadata: { ...result.metadata, outputProblem: problem } } : result;
}

function failed(flight: Flight, thrown: unknown, signal: AbortSignal): Result {
  const error = errorOf(flight, thrown, signal);
  const { title, metadata, display } = flight.live;
  const live = { ...(title ? { title } : {}), ...(metadata ? { metadata } : {}), ...(display ? { display } : {}) };
  if (!HaftError.is(thrown) || thrown.output === undefined) return failure(error, live);
  const result = presentOutput(flight, thrown.output);
  return { ...result, content: [text(errorText(error)), ...result.content], error };
}

function errorOf(flight: Flight, thrown: unknown, signal: AbortSignal) {
  if (HaftError.is(signal.reason)) return toToolError(signal.reason);
  if (signal.aborted) return cancelledError(flight);
  return toToolError(thrown);
}
