import type { Outcome } from "../../approval/index.ts";
import { refusalOf } from "../../approval/outcome.ts";
import { type Answered, type CallContext, HaftError, type Question } from "../../tool/index.ts";
import { type CallRun, type DecidedRun, isDryRun } from "../call-run.ts";
import { emit } from "../emit.ts";
import { portsFor, type Reviews } from "./bound-ports.ts";
import type { Deadline } from "./deadline.ts";
import { checkFingerprint } from "./fingerprint.ts";
import { refusedBy } from "./judge.ts";
import type { ProgressFeed } from "./progress.ts";

/** The context of `run`: the call's own ports, its signal, and ways to report, to ask and to make further calls. */
export function callContext(
  callRun: DecidedRun,
  signal: AbortSignal,
  feed: ProgressFeed,
  deadline: Deadline,
): CallContext {
  const { machine, call, services } = callRun;
  const { caller } = callRun.request;
  async function unhurried<T>(wait: Promise<T>): Promise<T> {
    deadline.pause();
    try {
      return await wait;
    } finally {
      deadline.resume();
    }
  }

  const reviews = (): Reviews => ({
    hold: (manifest) => unhurried(review().then(({ holdReview }) => holdReview(callRun, manifest, signal))),
    dryRun: async (manifest) => (await review()).dryRunReview(manifest),
    check: (script) => checkFingerprint(callRun, script),
    supply: (missing, why) =>
      unhurried(supply().then(({ supplyMissing }) => supplyMissing(callRun, missing, why, signal))),
    lend: (wait) => unhurried(lending(wait)),
    isDryRun: isDryRun(callRun),
  });
  return {
    call,
    agent: machine.agent,
    session: { ...machine.session, messageId: callRun.batch.messageId },
    cwd: machine.cwd(),
    home: machine.home,
    ...(machine.terminal ? { terminal: machine.terminal } : {}),
    effects: callRun.effects,
    signal,
    progress: (update) => feed.update(update),
    ports: portsFor(machine, call, callRun.decision.grant, reviews, callRun.shown),
    ask: (question) => unhurried(askPerson(callRun, question, signal)),
    invoke: (tool, input, onStart) => unhurried(services.invoke(callRun, tool, input, onStart)),
    ...(caller
      ? { caller: { can: caller.can, ask: (key, request) => unhurried(lending(caller.ask(key, request))) } }
      : {}),
  };

  /** While a call only waits for its caller, others may run in its slot. */
  async function lending<T>(wait: Promise<T>): Promise<T> {
    let root: CallRun = callRun;
    while (root.parent) root = root.parent;
    const answer = await (root.slot ? root.slot.lend(wait, signal) : wait);
    // An answer that comes after the question was withdrawn starts nothing.
    signal.throwIfAborted();
    return answer;
  }
}

/** Most calls hold no changes back, and need no effects beyond those that were decided. */
const review = () => import("./review.ts");
const supply = () => import("./supply.ts");

/** A question about effects goes to the rules first. Only open ones go to a person. */
async function askPerson(callRun: DecidedRun, question: Question, signal: AbortSignal): Promise<Answered> {
  const { machine, call } = callRun;
  const decision = question.effects
    ? await (await supply()).decideFurther(callRun, question.effects)
    : callRun.decision;
  if (question.effects && decision.decision === "allow") return {};
  if (question.effects && decision.decision === "deny") throw new HaftError(refusedBy(decision, `"${question.title}"`));
  const draft = {
    callId: call.id,
    agent: machine.agent,
    tool: call.tool,
    title: question.title,
    input: question.input ?? callRun.observed,
    effects: question.effects ?? [],
    show: question.show,
    why: question.why ?? `${call.tool} asks while it runs.`,
    ...(question.form ? { form: question.form, personOnly: true as const } : {}),
    destructive: false,
    suggestions: [],
  };
  const outcome: Outcome = machine.approvals
    ? await machine.approvals.ask(draft, decision, signal, (request) => {
        emit(callRun, { type: "tool:permission:request", request });
      })
    : { status: "unattended", requestId: "" };
  const refusal = refusalOf(outcome, call.tool);
  if (refusal) throw new HaftError(refusal);
  if (outcome.status !== "answered") return {};
  const { answer, by, requestId } = outcome;
  emit(callRun, { type: "tool:permission:response", requestId, answer, by });
  return {
    ...(answer.behavior === "allow" && answer.input !== undefined ? { input: answer.input } : {}),
    ...(answer.behavior === "allow" && answer.review ? { review: true } : {}),
    ...(answer.message === undefined ? {} : { message: answer.message }),
  };
}
