import { isDeepStrictEqual as isSame } from "node:util";
import {
  type CallEvent,
  createExecutor,
  createSlots,
  type DispatchContext,
  type DispatchedResult,
} from "@haft/core/executor";
import type { Policy } from "@haft/core/policy";
import { type Browser, HaftError, type Question, type SeenFile } from "@haft/core/tool";
import type { Job } from "@haft/workers";
import type { Parts } from "../app/public-api.ts";
import { judgeOf } from "./judge.ts";

/** Runs jobs in one folder: through the whole pipeline, confined and captured as calls of this machine are. */
export function jobRunner(
  parts: Parts,
  concurrency: number,
  browserOf: (job: Job, policy: Policy) => Browser | undefined = () => undefined,
) {
  const { journal, machine } = parts;
  // The browser of the worker's own session is for no job.
  const { browser: _, ...ports } = machine.ports;
  const executor = createExecutor({ ...machine, ports, shareSlots: () => createSlots(concurrency) });

  return async (job: Job, policy: Policy, context: DispatchContext): Promise<DispatchedResult> => {
    if (job.attempt > 1 && job.retry === "view") await takeBack(job);
    const seen = new Map(job.seen);
    const browser = job.effects.some(({ do: word }) => word === "state") ? browserOf(job, policy) : undefined;
    const own = executor.with({
      ...(browser ? { ports: { ...ports, browser } } : {}),
      policy: () => judgeOf(job, policy, parts.policy),
      approvals: { ask: (draft, _decision, signal) => askCaller(draft, context, signal) },
      session: { id: job.session },
      agent: job.agent,
      cwd: () => job.cwd,
      seen,
      listener: progressTo(context),
      hears: (type) => type === "tool:execution:progress",
      resultCharsOf: () => Number.POSITIVE_INFINITY,
      batchChars: Number.POSITIVE_INFINITY,
      // These stay with the caller.
      ...{ hooks: [], loopGuard: false, spill: undefined, recorder: undefined, origins: undefined, dialect: undefined },
    });
    const { contents, approvedBy = "the caller" } = job;
    const request = {
      ...{ id: job.call.id, tool: job.tool, input: job.input },
      ...(contents ? { approved: approvedBy, approvedFor: (now: unknown) => isSame(now, contents) } : {}),
    };
    const [outcome] = await own.run([request], { turn: job.call.turn, signal: context.signal });
    return { result: outcome!.result, shown: shownIn(seen, new Map(job.seen)) };
  };

  /** Undoes what an earlier attempt of the call has changed. */
  async function takeBack({ session, call }: Job): Promise<void> {
    const own = () =>
      journal?.history().entries.filter((entry) => entry.session === session && entry.call === call.id) ?? [];
    if (own().length === 0) return;
    await journal!.undo({ session, call: call.id }).catch((thrown: unknown) => {
      // Nothing is left of a change that was only announced, or that another attempt took back before it died too.
      if (own().some(({ state, undoneBy, kind }) => kind !== "undo" && state === "done" && !undoneBy)) throw thrown;
    });
  }
}

const progressTo =
  ({ progress }: DispatchContext) =>
  (event: CallEvent): void => {
    if (event.type === "tool:execution:progress") progress(event.progress);
  };

/** Passes a question to the caller, where rules and people answer it. */
async function askCaller(
  { title, show, effects, why, form }: Pick<Question, "title" | "show" | "effects" | "why" | "form">,
  context: DispatchContext,
  signal: AbortSignal | undefined,
) {
  const requestId = "";
  try {
    const question = {
      title,
      show,
      ...(effects ? { effects } : {}),
      ...(why ? { why } : {}),
      ...(form ? { form } : {}),
    };
    const { input, message } = await context.ask(question);
    const answer = {
      behavior: "allow" as const,
      ...(input === undefined ? {} : { input }),
      ...(message ? { message } : {}),
    };
    return { status: "answered" as const, requestId, answer, by: "the caller" };
  } catch (thrown) {
    if (signal?.aborted || !HaftError.is(thrown)) return { status: "cancelled" as const, requestId };
    const answer = { behavior: "deny" as const, message: thrown.message };
    return { status: "answered" as const, requestId, answer, by: "the caller" };
  }
}

/** The files that the model knows better now, as views for the caller. */
const shownIn = (
  after: ReadonlyMap<string, SeenFile>,
  before: ReadonlyMap<string, SeenFile>,
): DispatchedResult["shown"] =>
  [...after].flatMap(([path, { hash, lines, whole }]) =>
    isSame(before.get(path), after.get(path)) ? [] : [{ path, hash, ...(whole || !lines ? {} : { lines }) }],
  );
