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
import { type DecidedRun, describeSafely, type EndedRun, type Pending, type Stage, titleOf } from "../call-run.ts";
import { emit, isHeard } from "../emit.ts";
import { callContext } from "../execution/call-context.ts";
import { type Deadline, startDeadline } from "../execution/deadline.ts";
import { dispatchedCall } from "../execution/dispatched-call.ts";
import { outputProblem, presentOutput } from "../execution/present-output.ts";
import { ProgressFeed } from "../execution/progress.ts";
import type { Dispatcher } from "../schedule/dispatch.ts";
import { type HeldSlot, holdSlot } from "../schedule/held-slot.ts";
import { useApprovals } from "./approve.ts";
import { cancelledError } from "./cancelled.ts";

/** How long a tool may take to end after it was told to stop. Then the call ends without it. */
const GRACE_MS = 3_000;

/** Runs the tool within its slot, its timeout and its grant. Leaves exactly one result, whatever the tool does. */
export const run: Stage<DecidedRun, DecidedRun & EndedRun> = (callRun) => {
  const end = (result: Result) => Object.assign(callRun, { result });
  const result = slotted(callRun);
  return result instanceof Promise ? result.then(end) : end(result);
};

function slotted(callRun: DecidedRun): Pending<Result> {
  // A nested call runs in its root's slot; waiting for a slot of its own would be waiting for itself.
  if (callRun.parent) return timed(callRun);
  const slot = holdSlot(callRun.services.slots, callRun.signal);
  return slot instanceof Promise ? slot.then((now) => inSlot(callRun, now)) : inSlot(callRun, slot);
}

function inSlot(callRun: DecidedRun, slot: HeldSlot): Pending<Result> {
  callRun.slot = slot;
  return whatever(
    () => timed(callRun),
    () => slot.release(),
  );
}

function timed(callRun: DecidedRun): Pending<Result> {
  const remote = remoteOf(callRun);
  // A dispatcher may wait long for another machine, and the call has not started meanwhile.
  if (remote) return started(callRun, remote);
  const used = useApprovals(callRun);
  return used instanceof Promise ? used.then(() => started(callRun)) : started(callRun);
}

type Remote = NonNullable<ReturnType<Dispatcher["place"]>>;

/** The dispatcher's way to run the call on another machine; `undefined`: it runs here. */
function remoteOf(callRun: DecidedRun): Remote | undefined {
  const { dispatcher } = callRun.machine;
  if (!dispatcher) return undefined;
  try {
    return dispatcher.place(dispatchedCall(callRun));
  } catch (thrown) {
    return () => Promise.reject(thrown);
  }
}

function started(callRun: DecidedRun, remote?: Remote): Pending<Result> {
  const { clock } = callRun.machine.ports;
  callRun.running = true;
  const from = clock.now();
  callRun.ranAt = from;
  callRun.onStart?.(callRun.effects.every((effect) => effect.do === "read"));
  if (isHeard(callRun, "tool:execution:start")) {
    const activity = describeSafely(callRun)?.activity ?? activityOf(callRun.effects);
    emit(callRun, { type: "tool:execution:start", title: titleOf(callRun), activity, traits: callRun.traits });
  }
  return whatever(
    () => execute(callRun, remote),
    () => {
      callRun.ranMs = Math.max(0, clock.now() - from);
    },
  );
}

/** Runs `last` after the work, whatever its result: `finally` for work that may end synchronously. */
function whatever<T>(work: () => Pending<T>, last: () => void): Pending<T> {
  let pending: Pending<T> | undefined;
  try {
    pending = work();
  } finally {
    if (!(pending instanceof Promise)) last();
  }
  return pending instanceof Promise ? pending.finally(last) : pending;
}

/** An exception from the tool becomes the call's result. */
function execute(callRun: DecidedRun, remote: Remote | undefined): Pending<Result> {
  const { machine, entry } = callRun;
  const { tool } = entry;
  // A tool that blocks interrupts only sees its own timeout.
  const own = tool.onInterrupt === "block" ? new AbortController() : callRun.controller;
  const { signal } = own;
  const limit = tool.limits?.timeoutMs;
  const deadline = startDeadline(machine.ports.clock, limit, () => {
    own.abort(
      new HaftError({
        code: "timeout",
        message: `${tool.name} did not end within ${limit} ms.`,
        hint: "Ask for less in one call.",
      }),
    );
  });
  const feed = new ProgressFeed(callRun);
  const end = (result: Result): Result => {
    deadline.stop();
    return result;
  };
  const fail = (thrown: unknown): Result => {
    feed.end();
    return end(failed(callRun, thrown, signal));
  };
  const succeed = (output: unknown): Pending<Result> => {
    feed.end();
    const result = finished(callRun, output, signal);
    return result instanceof Promise ? result.then(end) : end(result);
  };
  try {
    if (remote)
      return orAbandon(dispatch(callRun, remote, signal, feed, deadline), signal, callRun)
        .then((result) => {
          feed.end();
          return end(result);
        })
        .catch(fail);
    const started = tool.run(callRun.input, callContext(callRun, signal, feed, deadline));
    const isLater = isThenable(started) || isGenerator(started);
    return isLater
      ? orAbandon(drive(started, signal, feed), signal, callRun)
          .then(succeed)
          .catch(fail)
      : succeed(started);
  } catch (thrown) {
    return fail(thrown);
  }
}

/** Lets the dispatcher run the call on another machine. */
async function dispatch(
  callRun: DecidedRun,
  remote: Remote,
  signal: AbortSignal,
  feed: ProgressFeed,
  deadline: Deadline,
): Promise<Result> {
  const { ask, progress } = callContext(callRun, signal, feed, deadline);
  const starting = async () => useApprovals(callRun);
  const { result, shown } = await remote({ signal, ask, progress, starting });
  callRun.shown.push(...shown);
  return result;
}

/** Awaits the tool, or walks its generator: its yields are progress, its return value is the output. */
async function drive(started: unknown, signal: AbortSignal, feed: ProgressFeed): Promise<unknown> {
  const value = await started;
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

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

const isGenerator = (value: unknown): value is AsyncGenerator<Progress, unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value && "next" in value;

/** The outcome of the work; or the abort, if the tool does not end after it. */
function orAbandon<T>(work: Promise<T>, signal: AbortSignal, { machine }: DecidedRun): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  // Created only when needed: hardly any call is cancelled, and ending a controller is not cheap.
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
  work.then(
    (output) => {
      over();
      resolve(output);
    },
    (thrown) => {
      over();
      reject(thrown);
    },
  );
  return promise;
}

function finished(callRun: DecidedRun, output: unknown, signal: AbortSignal): Pending<Result> {
  // A tool that returns although it was told to stop has not done its task.
  if (signal.aborted && output === undefined) return failed(callRun, signal.reason, signal);
  const result = presentOutput(callRun, output);
  const problem = outputProblem(callRun, output);
  return problem instanceof Promise
    ? problem.then((found) => withProblem(result, found))
    : withProblem(result, problem);
}

const withProblem = (result: Result, outputProblem: string | undefined): Result =>
  outputProblem === undefined ? result : { ...result, metadata: { ...result.metadata, outputProblem } };

function failed(callRun: DecidedRun, thrown: unknown, signal: AbortSignal): Result {
  const error = errorOf(callRun, thrown, signal);
  const { title, metadata, display } = callRun.live;
  const live = { ...(title ? { title } : {}), ...(metadata ? { metadata } : {}), ...(display ? { display } : {}) };
  if (!HaftError.is(thrown) || thrown.output === undefined) return failure(error, live);
  const result = presentOutput(callRun, thrown.output);
  return { ...result, content: [text(errorText(error)), ...result.content], error };
}

function errorOf(callRun: DecidedRun, thrown: unknown, signal: AbortSignal) {
  if (HaftError.is(signal.reason)) return toToolError(signal.reason);
  if (signal.aborted) return cancelledError(callRun);
  return toToolError(thrown);
}
