import type { Entry } from "../registry/index.ts";
import { type CallRef, failure, type Result, staticTraits } from "../tool/index.ts";
import { BatchStopped, createBatch } from "./batch.ts";
import { type CallOutcome, type CallRequest, statusOf } from "./call.ts";
import { type Batch, type CallRun, type EndedRun, isDryRun, type Services, titleOf } from "./call-run.ts";
import { emit, isHeard } from "./emit.ts";
import type { Machine } from "./machine.ts";
import { outcomeOf } from "./outcome.ts";
import { runPipeline } from "./pipeline.ts";

interface LaunchOptions {
  readonly parent?: CallRun;
  readonly signal?: AbortSignal;
  readonly onStart?: CallRun["onStart"];
}

/**
 * Sends one call through the pipeline. Takes its place in the queue at once, so calls keep the order of adding. A call
 * that never has to wait has ended when this returns.
 */
export function launch(
  machine: Machine,
  services: Services,
  batch: Batch,
  request: CallRequest,
  { parent, signal, onStart }: LaunchOptions = {},
): Promise<CallOutcome> {
  const callRun = prepare(machine, services, batch, request, parent);
  callRun.onStart = onStart;
  batch.callRuns.push(callRun);
  const cancel = signal && (() => callRun.controller.abort(signal.reason));
  if (cancel) signal.addEventListener("abort", cancel, { once: true });
  if (services.over) callRun.controller.abort(services.over);
  else if (batch.signal?.aborted) callRun.controller.abort(batch.signal.reason);
  else if (signal?.aborted) cancel?.();
  else if (batch.stopped) callRun.controller.abort(new BatchStopped(batch.stopped));
  if (isHeard(callRun, "tool:call:received"))
    emit(callRun, { type: "tool:call:received", input: request.input ?? request.json, title: titleOf(callRun) });

  function land(ended: EndedRun): CallOutcome {
    if (cancel) signal?.removeEventListener("abort", cancel);
    services.locks.leave(callRun.ticket);
    batch.settle(callRun, true);
    batch.landed();
    return outcomeOf(ended);
  }
  const end = runPipeline(callRun);
  if (!(end instanceof Promise)) return Promise.resolve(land(end));
  const begun = services.underway.enter(callRun);
  return end.then((ended) => {
    services.underway.leave(begun);
    return land(ended);
  });
}

/** A call made by a running tool. It has a batch of its own, and shares its root's locks. */
export async function invoke(
  parent: CallRun,
  tool: string,
  input: unknown,
  onStart?: CallRun["onStart"],
): Promise<Result> {
  const { machine, services, call, signal } = parent;
  const batch = createBatch({
    id: `${call.batch}/${call.id}`,
    turn: call.turn,
    messageId: parent.batch.messageId,
    signal,
    dryRun: isDryRun(parent),
  });
  const id = `${call.id}.${++parent.nested}`;
  const { caller } = parent.request;
  const request = { id, tool, input, ...(caller ? { caller } : {}) };
  const outcome = launch(machine, services, batch, request, { parent, onStart });
  batch.close();
  return (await outcome).result;
}

/** Two calls with one id could not be distinguished afterwards, so the second is answered without running. */
export async function refuseRepeated(machine: Machine, batch: Batch, request: CallRequest): Promise<CallOutcome> {
  const result = failure({
    code: "invalid_input",
    message: `The id "${request.id}" was already used in this turn; this second call did not run.`,
    hint: "Give every call its own id.",
  });
  return {
    call: callRef(batch, request, machine.registry.get(request.tool)),
    agent: machine.agent,
    status: statusOf(result),
    result,
    input: request.input,
    effects: [],
    traits: staticTraits([]),
    startedAt: machine.ports.clock.now(),
    durationMs: 0,
  };
}

/** Rules, hooks and logs use one name for a tool, whatever the model called it. */
const callRef = ({ id: batch, turn }: Batch, { id, tool }: CallRequest, entry: Entry | undefined): CallRef => ({
  id,
  tool: entry?.tool.name ?? tool,
  batch,
  turn,
});

/** A model's call in Haft's names. Arguments that are no JSON stay as they are: a later stage reports them. */
function inOwnNames({ dialect, registry }: Machine, request: CallRequest): CallRequest {
  const names = dialect?.();
  const tool = names?.toolOf(request.tool);
  // A tool of this very name goes first: it is offered under its own name.
  if (!names || tool === undefined || (tool !== request.tool && registry.names().has(request.tool))) return request;
  const { json, ...rest } = request;
  try {
    const input = json === undefined || json.trim() === "" ? (request.input ?? {}) : JSON.parse(json);
    return { ...rest, tool, input: names.input(request.tool, input) };
  } catch {
    return { ...request, tool };
  }
}

/** A new call, with its place in the queue. */
export function prepare(
  machine: Machine,
  services: Services,
  batch: Batch,
  asked: CallRequest,
  parent: CallRun | undefined,
): CallRun {
  const controller = new AbortController();
  const request = parent ? asked : inOwnNames(machine, asked);
  const entry = machine.registry.get(request.tool);
  return {
    machine,
    services,
    request,
    ...(request === asked ? {} : { spoken: asked.tool }),
    call: callRef(batch, request, entry),
    batch,
    ticket: services.locks.enter(parent?.ticket),
    ...(parent ? { parent } : {}),
    controller,
    signal: controller.signal,
    startedAt: machine.ports.clock.now(),
    known: machine.loopGuard ? machine.loopGuard.now() : 0,
    nested: 0,
    ...(entry ? { entry } : {}),
    raw: request.input,
    input: undefined,
    observed: {},
    effects: [],
    rewrites: 0,
    rewriters: new Set(),
    context: [],
    shown: [],
    running: false,
    live: {},
  };
}
