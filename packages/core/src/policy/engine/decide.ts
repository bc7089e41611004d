import type { Effect } from "../../tool/index.ts";
import type { Decision, PolicyTool, Situation, TraceStep } from "../decision.ts";
import { modeRow } from "../mode.ts";
import { identify } from "../rule/match-call.ts";
import type { MatchContext } from "../rule/match-effect.ts";
import { suggestionsFor } from "../suggest/suggestions.ts";
import { coverage, inertRule, uncovered } from "./coverage.ts";
import { demandsOn } from "./demands.ts";
import { refusalCode, strictest } from "./findings.ts";
import type { Machine } from "./machine.ts";
import { wellFormed } from "./well-formed.ts";

/**
 * Judges one call. deny > ask > protected paths and critical removals > extra checks > mode > allow > the tool's
 * default. All steps are collected and the strictest decides, the first among equals. So a further deny or ask rule can
 * only tighten, and an allow rule cannot lift a demand. Pure, and answers any input.
 */
export function decide(machine: Machine, asked: Situation): Decision {
  const { situation, context } = readSituation(machine, asked);
  const demands = demandsOn(machine, situation, context);
  const trace = [...demands.steps, ...coverage(machine, situation, context)];
  const winner = strictest(trace) ?? NO_ANSWER;
  switch (winner.outcome) {
    case "deny":
      return refusal(winner, trace);
    case "ask":
      return modeRow(machine.mode).questions === "deny"
        ? unasked(machine, winner, trace)
        : question(machine, situation, context, winner, trace, demands.holes);
    default:
      return {
        decision: "allow",
        reason: allowReason(machine, situation, trace),
        ...ruleOf(trace.find((step) => step.rule && step.outcome === "allow")),
        trace,
        suggestions: [],
        grant: {
          effects: situation.effects,
          holes: demands.holes,
          ...(trace.some(({ hold }) => hold) ? { hold: true } : {}),
        },
      };
  }
}

/** The effects of a call that need an allow rule and do not have one. */
export function effectsWithoutRule(machine: Machine, asked: Situation): readonly Effect[] {
  const { situation, context } = readSituation(machine, asked);
  return uncovered(machine, situation, context);
}

function readSituation(machine: Machine, asked: Situation): { situation: Situation; context: MatchContext } {
  const situation: Situation = {
    tool: readTool(asked.tool),
    input: asked.input,
    effects: wellFormed(asked.effects),
    ...(asked.captured ? { captured: asked.captured } : {}),
    ...(asked.isDryRun === true ? { isDryRun: true } : {}),
  };
  const identity = identify(situation.tool, machine.names);
  return { situation, context: { ignoresCase: machine.ignoresCase, identity } };
}

const NOTHING_GRANTED = { effects: [], holes: [] };
const NO_ANSWER: TraceStep = { step: "default", outcome: "ask", note: "Nothing decided it, so it asks." };

function refusal(winner: TraceStep, trace: readonly TraceStep[]): Decision {
  return {
    decision: "deny",
    reason: winner.note,
    code: refusalCode(winner),
    ...ruleOf(winner),
    trace,
    suggestions: [],
    grant: NOTHING_GRANTED,
  };
}

/** In a mode without questions each question becomes a denial that says what would have been asked. */
function unasked(machine: Machine, winner: TraceStep, trace: readonly TraceStep[]): Decision {
  const note = `Mode ${machine.mode} does not ask, so this is refused: ${winner.note}`;
  const step: TraceStep = { ...winner, step: "mode", outcome: "deny", note };
  return refusal(step, [...trace, step]);
}

function question(
  machine: Machine,
  situation: Situation,
  context: MatchContext,
  winner: TraceStep,
  trace: readonly TraceStep[],
  holes: Decision["grant"]["holes"],
): Decision {
  const effect = winner.effect === undefined ? undefined : situation.effects[winner.effect];
  const inert = effect && winner.step === "mode" ? inertRule(machine, situation, effect, context) : undefined;
  return {
    decision: "ask",
    reason: inert ? `${winner.note} ${inert.note}` : winner.note,
    ...ruleOf(winner),
    trace: inert ? [...trace, inert] : trace,
    suggestions: suggestionsFor(machine.workspace, situation, context.identity.facts, trace),
    grant: { effects: situation.effects, holes },
  };
}

/** A rule is more informative than a mode. A mode that covers everything is named once. */
function allowReason(machine: Machine, { effects }: Situation, trace: readonly TraceStep[]): string {
  const allowing = trace.filter((step) => step.outcome === "allow");
  const telling = allowing.find((step) => step.rule) ?? allowing.find((step) => step.step === "default");
  if (telling) return telling.note;
  return effects.length === 1 ? (allowing[0]?.note ?? "") : `Mode ${machine.mode} allows all effects of this call.`;
}

const ruleOf = (step: TraceStep | undefined): Pick<Decision, "rule"> => (step?.rule ? { rule: step.rule } : {});

/** A malformed tool keeps its name and gets no privileges. */
function readTool(tool: unknown): PolicyTool {
  if (typeof tool !== "object" || tool === null) return { name: "", origin: "unknown" };
  const { name, origin, aliases, server } = tool as PolicyTool;
  const isSound =
    typeof name === "string" &&
    typeof origin === "string" &&
    (aliases === undefined || (Array.isArray(aliases) && aliases.every((alias) => typeof alias === "string"))) &&
    (server === undefined || typeof server === "string");
  return isSound ? (tool as PolicyTool) : { name: typeof name === "string" ? name : "", origin: "unknown" };
}
