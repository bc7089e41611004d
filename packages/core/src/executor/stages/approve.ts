import type { Answer, ApprovalRequest, NewRequest, Outcome, Remembered } from "../../approval/index.ts";
import { refusalOf } from "../../approval/outcome.ts";
import { isSame } from "../../approval/same.ts";
import type { Decision } from "../../policy/index.ts";
import { type Display, isWithinEffects, type ToolError, toJson, toToolError } from "../../tool/index.ts";
import { stopBatch } from "../batch.ts";
import {
  type Agreed,
  type CallRun,
  type DecidedRun,
  describeSafely,
  type Pending,
  refuse,
  type Stage,
  titleOf,
  type Verdict,
  verdictOf,
} from "../call-run.ts";
import { emit } from "../emit.ts";
import { contentsOf, sealContents } from "../execution/contents.ts";
import { judge, refusedBy } from "../execution/judge.ts";
import { previewOf, wouldFail } from "../execution/preview.ts";
import { decide } from "./decide.ts";

/**
 * Asks a person if the decision requires it. While an earlier call of the batch waits for an answer, calls that would
 * change something wait too. They are decided again afterwards, since the answer may have added a grant.
 */
export const approve: Stage<DecidedRun> = (callRun) =>
  callRun.decision.decision === "allow" && !mustWait(callRun) ? undefined : consent(callRun);

async function consent(callRun: DecidedRun): Promise<Verdict> {
  const { batch } = callRun;
  while (mustWait(callRun)) {
    await nextAnswer(callRun);
    callRun.signal.throwIfAborted();
    const verdict = verdictOf(await decide(callRun));
    if (verdict) return verdict;
  }
  if (callRun.decision.decision === "allow") return;
  if (callRun.request.approved !== undefined && callRun.rewrites === 0) {
    return approvedBefore(callRun, callRun.request.approved);
  }
  const agreed = callRun.agreed && (await alreadyAgreed(callRun, callRun.agreed));
  if (agreed) return agreed.verdict;
  // In the same tick as the check above: two calls must not both find that nobody asks.
  batch.asking ??= new Set();
  batch.asking.add(callRun);
  try {
    const { show, error } = await previewOf(callRun);
    if (error && readsFreely(callRun)) return refuse(error);
    return await ask(callRun, await requestOf(callRun, error ? wouldFail(show, error) : show));
  } finally {
    batch.asking.delete(callRun);
    for (const wake of [...(batch.answered ?? [])]) wake();
  }
}

/** An approval from before the call. The approved contents must be unchanged. */
async function approvedBefore(callRun: DecidedRun, by: string): Promise<Verdict> {
  await sealContents(callRun);
  if (callRun.request.approvedFor?.(callRun.fingerprint?.contents) === false)
    return refuse({
      code: "needs_approval",
      message: `The approval does not match this call of ${callRun.call.tool}: a file that it would run has changed, or the call was never asked about. It did not run.`,
      hint: "Call again: the user is then asked about the current content.",
    });
  callRun.approval = { by, scope: "once" };
  return undefined;
}

/** Whether an earlier call of the batch waits for a person, and this one does more than read. */
function mustWait(callRun: DecidedRun): boolean {
  const { batch, decision, traits } = callRun;
  if (!batch.asking?.size || (traits.isReadOnly && decision.decision === "allow")) return false;
  const place = batch.callRuns.indexOf(callRun);
  return [...batch.asking].some((other) => batch.callRuns.indexOf(other) < place);
}

function nextAnswer({ batch, signal }: CallRun): Promise<void> {
  batch.answered ??= new Set();
  const { answered } = batch;
  return new Promise((resolve) => {
    const wake = () => {
      answered.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    answered.add(wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}

async function ask(callRun: DecidedRun, draft: NewRequest): Promise<Verdict> {
  const { approvals } = callRun.machine;
  const { locks } = callRun.services;
  // Nothing has begun yet: others may look at what this call would change.
  const lent = callRun.ticket.parent ? undefined : locks.lend?.(callRun.ticket);
  let request: ApprovalRequest | undefined;
  const outcome: Outcome = approvals
    ? await approvals.ask(
        draft,
        callRun.decision,
        callRun.signal,
        (asked) => {
          request = asked;
          emit(callRun, { type: "tool:permission:request", request: asked });
        },
        { until: "start", isAllowed: () => judge(callRun).decision === "allow" },
      )
    : { status: "unattended", requestId: "" };
  if (draft.contents && callRun.fingerprint) callRun.fingerprint = { ...callRun.fingerprint, contents: draft.contents };
  if (outcome.status !== "answered") {
    const needsPerson = callRun.effects.some((effect) => effect.do === "ask");
    const isClaim = callRun.entry?.source.origin === "custom" && callRun.entry.source.basis !== "enforced";
    return refuse(refusalOf(outcome, callRun.call.tool, { why: draft.why, needsPerson, isClaim })!);
  }
  const { answer, by, requestId } = outcome;
  if (answer.behavior === "allow") await lent?.back(callRun.signal);
  const kept =
    request && answer.behavior === "allow" && answer.remember ? await keep(callRun, request, answer) : undefined;
  emit(callRun, { type: "tool:permission:response", requestId, answer, by, ...(kept ? { kept } : {}) });
  if (kept?.rules.length) approvals?.reconsider?.();
  if (answer.behavior === "deny") {
    if (!answer.message || answer.interrupt) stopBatch(callRun.batch, `the user said no to ${callRun.call.tool}.`);
    const isCommand = callRun.effects.some((effect) => effect.do === "run");
    return refuse(refusalOf(outcome, callRun.call.tool, { isCommand })!);
  }
  callRun.yeses = [...(callRun.yeses ?? []), requestId];
  if (answer.message) callRun.context.push(`The user allowed this and said: ${answer.message}`);
  const approval = { by, scope: answer.remember?.scope ?? "once" };
  if (answer.input !== undefined) {
    const { effects, decision, agreed } = callRun;
    const answers = (agreed?.answers ?? 0) + 1;
    if (answers > MOST_CHANGES && !answer.review) return refuse(endlessChanges(callRun.call.tool));
    const isReviewed = answer.review === true;
    callRun.agreed = { effects, decision, contents: draft.contents, approval, answers, isReviewed };
    callRun.rewriters.clear();
    noteRewrite(callRun, answer.input, by);
    return { rewrite: answer.input, by };
  }
  callRun.approval = approval;
  return recheck(callRun);
}

/**
 * Uses up the approvals of a call right before its tool starts. A process that dies earlier leaves them usable; a
 * repetition after the start finds none. Throws or rejects if somebody else has used one: the call must not start then.
 */
export function useApprovals(callRun: CallRun): Pending<void> {
  const { request, yeses = [] } = callRun;
  delete callRun.yeses;
  request.onApprovalUsed?.();
  const { approvals } = callRun.machine;
  const pending = yeses.map((id) => approvals?.useUp?.(id)).filter((one) => one instanceof Promise);
  return pending.length === 0 ? undefined : Promise.all(pending).then(() => {});
}

/**
 * Ends the approvals of a call that did not start although it was allowed: it was cancelled, or a rule forbids it now. If
 * its host has closed, they stay for a later process.
 */
export function dropApprovals({ yeses = [], machine, services }: CallRun): void {
  if (services.over) return;
  for (const id of yeses) void Promise.resolve(machine.approvals?.useUp?.(id)).catch(() => {});
}

/** Limit of answers that each bring another input that does more than was shown. */
const MOST_CHANGES = 3;

const endlessChanges = (tool: string): ToolError => ({
  code: "limit_reached",
  message: `Every answer changed the input of ${tool} to one that had not been shown. It did not run.`,
  hint: "Tell the user: the person or hook that answers must allow an input unchanged.",
});

/**
 * Whether the approval that brought this input still holds. The call must do nothing that was not shown, have no
 * further reason to ask, and run the same files. Otherwise a person sees it again.
 */
async function alreadyAgreed(callRun: DecidedRun, agreed: Agreed): Promise<{ readonly verdict: Verdict } | undefined> {
  if (
    agreed.isReviewed ||
    !isWithinEffects(callRun.effects, agreed.effects) ||
    !asksNoMore(callRun.decision, agreed.decision)
  )
    return undefined;
  const contents = await contentsOf(callRun);
  if (!isSame(contents, agreed.contents)) return undefined;
  if (contents && callRun.fingerprint) callRun.fingerprint = { ...callRun.fingerprint, contents };
  callRun.approval = agreed.approval;
  return { verdict: recheck(callRun) };
}

/** Whether every reason to ask was already there before. */
const asksNoMore = (now: Decision, before: Decision): boolean =>
  reasonsOf(now).every((reason) => reasonsOf(before).includes(reason));

const reasonsOf = ({ trace }: Decision): string[] =>
  trace.flatMap(({ step, outcome, rule, note }) =>
    outcome === "ask" ? [JSON.stringify([step, rule?.rule, note])] : [],
  );

/** Whether the call's reads need no permission. Then an error may reveal what the read found, without a question. */
const readsFreely = ({ decision, effects }: DecidedRun): boolean =>
  decision.trace
    .filter(({ outcome }) => outcome === "ask")
    .every(({ effect }) => effect !== undefined && effects[effect]?.do !== "read");

/** Saves what the answer asks to remember. If the grant cannot be saved, the answer still counts: the call was allowed. */
async function keep(callRun: CallRun, request: ApprovalRequest, answer: Answer): Promise<Remembered | undefined> {
  try {
    return (await callRun.machine.remember?.(request, answer)) ?? undefined;
  } catch (thrown) {
    return { scope: "once", rules: [], saved: false, notice: `Nothing was remembered: ${toToolError(thrown).message}` };
  }
}

/** The model must know that the input that ran is not the one it wrote. After several changes only the last one counts. */
function noteRewrite({ context }: CallRun, input: unknown, by: string): void {
  const start = "changed the input of this call before it ran, to: ";
  const text = toJson(input);
  const shown = text.length > SHOWN_INPUT ? `${text.slice(0, SHOWN_INPUT)}… (${text.length} characters)` : text;
  const earlier = context.findIndex((words) => words.includes(start));
  if (earlier >= 0) context.splice(earlier, 1);
  context.push(`${by === "hook" ? "A hook" : "The user"} ${start}${shown}`);
}

/** Characters of a changed input that the model gets. */
const SHOWN_INPUT = 4_000;

/** A person may take long. Calls that became forbidden meanwhile stay forbidden. */
function recheck(callRun: DecidedRun): Verdict {
  const now = judge(callRun);
  if (now.decision !== "deny") return undefined;
  callRun.decision = now;
  return refuse(refusedBy(now, callRun.call.tool));
}

async function requestOf(callRun: DecidedRun, show: Display): Promise<NewRequest> {
  const { machine, call, decision } = callRun;
  const title = titleOf(callRun);
  const summary = describeSafely(callRun)?.summary;
  const contents = await contentsOf(callRun);
  return {
    callId: call.id,
    agent: machine.agent,
    tool: call.tool,
    title,
    ...(summary === undefined ? {} : { summary }),
    input: callRun.observed,
    effects: callRun.effects,
    show,
    why: decision.reason,
    ...(decision.rule ? { rule: decision.rule } : {}),
    destructive: callRun.traits.isDestructive,
    ...(needsPerson(callRun) ? { personOnly: true } : {}),
    suggestions: decision.suggestions,
    ...(contents ? { contents } : {}),
    generation: String(machine.policy().generation),
  };
}

/** Whether the reason to ask is one that no rule and no program may answer in a person's place. */
const needsPerson = ({ decision, effects }: DecidedRun): boolean =>
  decision.trace.some(({ step, outcome }) => step === "critical" && outcome === "ask") ||
  effects.some((effect) => effect.do === "ask" && effect.basis === "claimed");
