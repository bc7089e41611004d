import type { Answer, ApprovalRequest, NewRequest, Outcome, Remembered } from "../../approval/index.ts";
import { refusalOf } from "../../approval/outcome.ts";
import { isSame } from "../../approval/same.ts";
import type { Decision } from "../../policy/index.ts";
import { type Display, isWithinEffects, type ToolError, toJson, toToolError } from "../../tool/index.ts";
import { stopBatch } from "../batch.ts";
import { emit } from "../emit.ts";
import { contentsOf, sealContents } from "../execution/contents.ts";
import { previewOf, wouldFail } from "../execution/preview.ts";
import { type Agreed, describeSafely, type Flight, refuse, type Stage, titleOf, type Verdict } from "../flight.ts";
import { decide, judge, refusedBy } from "./decide.ts";

/**
 * Asks a person if the decision says so. While an earlier call of the batch waits for an answer, calls that would
 * change something wait too. They are decided again afterwards, since the answer may have added a grant.
 */
export const approve: Stage = (flight: Flight) =>
  flight.decision!.decision === "allow" && !mustWait(flight) ? undefined : consent(flight);

async function consent(flight: Flight): Promise<Verdict> {
  const { batch } = flight;
  while (mustWait(flight)) {
    await nextAnswer(flight);
    flight.signal.throwIfAborted();
    const denied = await decide(flight);
    if (denied) return denied;
  }
  if (flight.decision!.decision === "allow") return;
  if (flight.request.approved !== undefined && flight.rewrites === 0) {
    return approvedBefore(flight, flight.request.approved);
  }
  const agreed = flight.agreed && (await alreadyAgreed(flight, flight.agreed));
  if (agreed) return agreed.verdict;
  // In the same tick as the check above: two calls must not both find that nobody asks.
  batch.asking ??= new Set();
  batch.asking.add(flight);
  try {
    const { show, error } = await previewOf(flight);
    if (error && readsFreely(flight)) return refuse(error);
    return await ask(flight, await requestOf(flight, error ? wouldFail(show, error) : show));
  } finally {
    batch.asking.delete(flight);
    for (const wake of [...(batch.answered ?? [])]) wake();
  }
}

/** An approval from before the call. The approved contents must be unchanged. */
async function approvedBefore(flight: Flight, by: string): Promise<Verdict> {
  await sealContents(flight);
  if (flight.request.approvedFor?.(flight.seal?.contents) === false)
    return refuse({
      code: "needs_approval",
      message: `The yes for this call of ${flight.call.tool} was given to something else: a file that it would run has changed since, or it was never asked about. It did not run.`,
      hint: "Call again: the user is then asked about what stands there now.",
    });
  flight.approval = { by, scope: "once" };
  return undefined;
}

/** Whether an earlier call of the batch waits for a person, and this one does more than read. */
function mustWait(flight: Flight): boolean {
  const { batch, decision, traits } = flight;
  if (!batch.asking?.size || (traits!.isReadOnly && decision!.decision === "allow")) return false;
  const place = batch.flights.indexOf(flight);
  return [...batch.asking].some((other) => batch.flights.indexOf(other) < place);
}

function nextAnswer({ batch, signal }: Flight): Promise<void> {
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

async function ask(flight: Flight, draft: NewRequest): Promise<Verdict> {
  const { approvals } = flight.machine;
  let request: ApprovalRequest | undefined;
  const outcome: Outcome = approvals
    ? await approvals.ask(draft, flight.decision!, flight.signal, (asked) => {
        request = asked;
        emit(flight, { type: "tool:permission:request", request: asked });
      })
    : { status: "unattended", requestId: "" };
  if (draft.contents && flight.seal) flight.seal = { ...flight.seal, contents: draft.contents };
  if (outcome.status !== "answered") {
    const needsPerson = flight.effects.some((effect) => effect.do === "ask");
    return refuse(refusalOf(outcome, flight.call.tool, { why: draft.why, needsPerson })!);
  }
  const { answer, by, requestId } = outcome;
  const kept =
    request && answer.behavior === "allow" && answer.remember ? await keep(flight, request, answer) : undefined;
  emit(flight, { type: "tool:permission:response", requestId, answer, by, ...(kept ? { kept } : {}) });
  if (answer.behavior === "deny") {
    if (!answer.message || answer.interrupt) stopBatch(flight.batch, `the user said no to ${flight.call.tool}.`);
    const isCommand = flight.effects.some((effect) => effect.do === "run");
    return refuse(refusalOf(outcome, flight.call.tool, { isCommand })!);
  }
  if (answer.message) flight.context.push(`The user allowed this and said: ${answer.message}`);
  const approval = { by, scope: answer.remember?.scope ?? "once" };
  if (answer.input !== undefined) {
    const { effects, decision, agreed } = flight;
    const answers = (agreed?.answers ?? 0) + 1;
    if (answers > MOST_CHANGES && !answer.review) return refuse(endlessChanges(flight.call.tool));
    const isReviewed = answer.review === true;
    flight.agreed = { effects, decision: decision!, contents: draft.contents, approval, answers, isReviewed };
    flight.rewriters.clear();
    noteRewrite(flight, answer.input, by);
    return { rewrite: answer.input, by };
  }
  flight.approval = approval;
  return recheck(flight);
}

/** Limit of answers that each bring another input that does more than was shown. */
const MOST_CHANGES = 3;

const endlessChanges = (tool: string): ToolError => ({
  code: "limit_reached",
  message: `Each answer changed the input of ${tool} to something that had not been shown. It did not run.`,
  hint: "Tell the user: whoever answers must in the end allow an input as it is.",
});

/**
 * Whether the approval that brought this input still holds. The call must do nothing that was not shown, have no
 * further reason to ask, and run the same files. Otherwise a person sees it again.
 */
async function alreadyAgreed(flight: Flight, agreed: Agreed): Promise<{ readonly verdict: Verdict } | undefined> {
  if (
    agreed.isReviewed ||
    !isWithinEffects(flight.effects, agreed.effects) ||
    !asksNoMore(flight.decision!, agreed.decision)
  )
    return undefined;
  const contents = await contentsOf(flight);
  if (!isSame(contents, agreed.contents)) return undefined;
  if (contents && flight.seal) flight.seal = { ...flight.seal, contents };
  flight.approval = agreed.approval;
  return { verdict: recheck(flight) };
}

/** Whether every reason to ask was already there before. */
const asksNoMore = (now: Decision, before: Decision): boolean =>
  reasonsOf(now).every((reason) => reasonsOf(before).includes(reason));

const reasonsOf = ({ trace }: Decision): string[] =>
  trace.flatMap(({ step, outcome, rule, note }) =>
    outcome === "ask" ? [JSON.stringify([step, rule?.rule, note])] : [],
  );

/** Whether the call's reads need no permission. Then an error may reveal what the read found, without a question. */
const readsFreely = ({ decision, effects }: Flight): boolean =>
  decision!.trace
    .filter(({ outcome }) => outcome === "ask")
    .every(({ effect }) => effect !== undefined && effects[effect]?.do !== "read");

/** Saves what the answer asks to remember. If the grant cannot be saved, the answer still counts: the call was allowed. */
async function keep(flight: Flight, request: ApprovalRequest, answer: Answer): Promise<Remembered | undefined> {
  try {
    return (await flight.machine.remember?.(request, answer)) ?? undefined;
  } catch (thrown) {
    return { scope: "once", rules: [], saved: false, notice: `Nothing was remembered: ${toToolError(thrown).message}` };
  }
}

/** The model must know that the input that ran is not the one it wrote. Of several changes only the last counts. */
function noteRewrite({ context }: Flight, input: unknown, by: string): void {
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
function recheck(flight: Flight): Verdict {
  const now = judge(flight);
  if (now.decision !== "deny") return undefined;
  flight.decision = now;
  return refuse(refusedBy(now, flight.call.tool));
}

async function requestOf(flight: Flight, show: Display): Promise<NewRequest> {
  const { machine, call, decision } = flight;
  const title = titleOf(flight);
  const summary = describeSafely(flight)?.summary;
  const contents = await contentsOf(flight);
  return {
    callId: call.id,
    agent: machine.agent,
    tool: call.tool,
    title,
    ...(summary === undefined ? {} : { summary }),
    input: flight.observed,
    effects: flight.effects,
    show,
    why: decision!.reason,
    ...(decision!.rule ? { rule: decision!.rule } : {}),
    destructive: flight.traits!.isDestructive,
    ...(needsPerson(flight) ? { personOnly: true } : {}),
    suggestions: decision!.suggestions,
    ...(contents ? { contents } : {}),
    generation: String(machine.policy().generation),
  };
}

/** Whether the reason to ask is one that no rule and no program may answer in a person's place. */
const needsPerson = ({ decision, effects }: Flight): boolean =>
  decision!.trace.some(({ step, outcome }) => step === "critical" && outcome === "ask") ||
  effects.some((effect) => effect.do === "ask" && effect.basis === "claimed");
