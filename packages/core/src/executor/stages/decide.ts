import { isSame } from "../../approval/same.ts";
import type { Decision, TraceStep } from "../../policy/index.ts";
import { activityOf, type Objected, toToolError } from "../../tool/index.ts";
import {
  type AnalysedRun,
  type DecidedRun,
  describeSafely,
  effectContext,
  type Pending,
  refuse,
  type StageEnd,
  titleOf,
  type Verdict,
} from "../call-run.ts";
import { emit, isHeard } from "../emit.ts";
import { blindPorts } from "../execution/bound-ports.ts";
import { mayRunFiles, sealContents } from "../execution/contents.ts";
import { judge, refusedBy } from "../execution/judge.ts";
import { repetitionOf } from "./repetition.ts";

/** Applies the policy. A denial ends the call; the next stage handles an ask. */
export const decide = (callRun: AnalysedRun): Pending<StageEnd<DecidedRun>> => {
  const judged = judge(callRun);
  if (!callRun.entry.tool.object) return conclude(callRun, judged);
  return objectionOf(callRun).then((objection) => {
    if (!objection) return conclude(callRun, judged);
    const corrected = correctionOf(callRun, objection);
    return corrected ?? conclude(callRun, objectTo(callRun, judged, objection));
  });
};

/** A tool sees its own correction when the call restarts, so it may correct only once. */
function correctionOf({ call, input, rewriters }: AnalysedRun, objected: NonNullable<Objected>): Verdict {
  if (objected.input === undefined || rewriters.has(call.tool) || isSame(objected.input, input)) return undefined;
  rewriters.add(call.tool);
  return { rewrite: objected.input, by: call.tool };
}

/** The decision with the tool's own objection to the call, and the rules that the tool offers for it. */
function objectTo(callRun: AnalysedRun, judged: Decision, objected: NonNullable<Objected>): Decision {
  if (objected.behavior === undefined) return judged;
  const { name } = callRun.entry.tool;
  const own = (objected.suggestions ?? []).filter(
    ({ rules }) => rules.length > 0 && rules.every((rule) => isFor(name, rule)),
  );
  const offered = new Set(own.flatMap(({ rules }) => rules));
  const isRemembered = judged.trace.some(
    ({ step, outcome, rule }) =>
      step === "allow" && outcome === "allow" && rule !== undefined && offered.has(rule.rule),
  );
  if (objected.behavior === "ask" && isRemembered) return judged;
  const step = { step: "default", outcome: objected.behavior, note: objected.reason } as const;
  const decision =
    objected.behavior === "ask" && judged.decision === "ask"
      ? { ...judged, reason: `${objected.reason} ${judged.reason}`, trace: [...judged.trace, step] }
      : tighten(callRun, judged, step);
  return decision.decision === "ask" ? { ...decision, suggestions: [...own, ...decision.suggestions] } : decision;
}

const isFor = (tool: string, rule: string): boolean => rule === tool || rule.startsWith(`${tool}(`);

/** Adds hooks and the repetition check, and reports the decision. */
function conclude(callRun: AnalysedRun, objected: Decision): Pending<StageEnd<DecidedRun>> {
  const decision = tighten(callRun, withHook(callRun, objected), repetitionOf(callRun));
  const decided = Object.assign(callRun, { decision });
  return isAllowedByName(decided) ? sealContents(decided).then(() => tell(decided)) : tell(decided);
}

/** A rule, or a hook that has checked, has allowed what the names of a command currently mean. */
const isAllowedByName = ({ decision, effects }: DecidedRun): boolean =>
  decision.decision === "allow" &&
  mayRunFiles(effects) &&
  decision.trace.some(({ step, outcome }) => outcome === "allow" && (step === "allow" || step === "hook"));

function tell(callRun: DecidedRun): StageEnd<DecidedRun> {
  const { decision } = callRun;
  if (isHeard(callRun, "tool:call:decided")) {
    const activity = describeSafely(callRun)?.activity ?? activityOf(callRun.effects);
    emit(callRun, { type: "tool:call:decided", decision, effects: callRun.effects, title: titleOf(callRun), activity });
  }
  if (decision.decision !== "deny") return callRun;
  return refuse(refusedBy(decision, callRun.call.tool));
}

async function objectionOf(callRun: AnalysedRun): Promise<Objected> {
  const { tool } = callRun.entry;
  try {
    return await tool.object?.(callRun.input, effectContext(callRun, blindPorts(callRun.machine)));
  } catch (thrown) {
    return { behavior: "ask", reason: `${tool.name} could not check this call: ${toToolError(thrown).message}` };
  }
}

const strictness = { pass: 0, allow: 0, ask: 1, deny: 2 } as const;

/** The decision with one more step, which counts only if it is stricter. If nobody is asked, a question is a denial. */
function tighten(callRun: AnalysedRun, decision: Decision, step: TraceStep | undefined): Decision {
  if (!step || strictness[step.outcome] <= strictness[decision.decision]) return decision;
  const trace = [...decision.trace, step];
  const isRefused = step.outcome === "deny" || callRun.machine.policy().mode === "dontAsk";
  if (!isRefused) return { ...decision, decision: "ask", reason: step.note, trace };
  const code = step.outcome === "deny" ? "denied_by_rule" : "denied_by_mode";
  return { ...decision, decision: "deny", code, reason: step.note, trace, suggestions: [] };
}

/** A hook may ask where the policy allows. Its approval covers only what nothing but the default would ask about. */
function withHook(callRun: AnalysedRun, decision: Decision): Decision {
  const says = callRun.hookSays;
  if (!says) return decision;
  const step = { step: "hook", outcome: says.decision, note: says.reason } as const;
  // A person who answers a mode's question also needs to see the hook's doubt.
  if (says.decision === "ask" && decision.decision === "ask")
    return { ...decision, reason: `${decision.reason} ${says.reason}`, trace: [...decision.trace, step] };
  if (says.decision === "ask") return tighten(callRun, decision, step);
  if (decision.decision !== "ask" || isFirm(decision)) return decision;
  return { ...decision, decision: "allow", reason: says.reason, trace: [...decision.trace, step] };
}

/** Whether a rule, a protected path, a critical removal or information flow wants a person. */
const isFirm = (decision: Decision): boolean =>
  decision.trace.some(
    ({ step, outcome }) => outcome === "ask" && ["deny", "ask", "protected", "critical", "flow"].includes(step),
  );
