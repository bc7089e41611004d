import { type Effect, isWithin, type ReadEffect, type WriteEffect } from "../../tool/index.ts";
import type { Hole, RuleRef, Situation, TraceStep } from "../decision.ts";
import { modeRow } from "../mode.ts";
import { inputHits, toolHits } from "../rule/match-call.ts";
import { allowsReading, effectHits, type MatchContext } from "../rule/match-effect.ts";
import type { PathEntry, RuleIndex } from "../rule/rule-index.ts";
import { nameRule } from "./findings.ts";
import type { Machine } from "./machine.ts";
import { namedFileSteps } from "./named-files.ts";
import { startedSteps } from "./started/steps.ts";
import { phrase } from "./wording.ts";

/** The steps against a call that no permission lifts, and the holes that are cut out of its tree bounds instead. */
export interface Demands {
  readonly steps: readonly TraceStep[];
  readonly holes: readonly Hole[];
}

/** Collects, in the order of precedence, everything that no allow rule can lift. */
export function demandsOn(machine: Machine, situation: Situation, context: MatchContext): Demands {
  const { effects } = situation;
  const steps: TraceStep[] = [];
  const holes: (readonly Hole[])[] = [];
  forbiddenSteps(machine, effects, steps);
  for (const behavior of ["deny", "ask"] as const) {
    callSteps(machine, situation, behavior, context, steps);
    ruleSteps(machine, effects, behavior, context, steps, holes);
    steps.push(...startedSteps(machine.rules[behavior], behavior, effects, context));
    steps.push(...namedFileSteps(machine.rules[behavior], behavior, effects, machine.workspace.home));
  }
  opaqueHoles(machine, effects, context, holes);
  consentSteps(effects, steps);
  // First among the guards, so that the reason names the removal that even mode bypassPermissions asks about.
  criticalSteps(machine, effects, steps);
  if (modeRow(machine.mode).guardsProtected) {
    protectedSteps(machine, situation, steps, holes);
    privateHoles(machine, effects, steps, holes);
  }
  for (const [index, { doubt }] of (situation.captured ?? []).entries())
    if (doubt !== undefined) steps.push({ step: "protected", outcome: "ask", effect: index, note: doubt });
  extraStep(machine, situation, steps);
  // Joined in one go: a tree has a hole for every rule that means a part of it.
  return { steps, holes: NO_HOLES.concat(...holes) };
}

const NO_HOLES: readonly Hole[] = [];

function forbiddenSteps(machine: Machine, effects: readonly Effect[], steps: TraceStep[]): void {
  for (const [index, effect] of effects.entries()) {
    const found = effect.do === "run" ? machine.findForbidden(effect) : undefined;
    if (found === undefined) continue;
    steps.push({
      step: "deny",
      outcome: "deny",
      effect: index,
      note: `Command is forbidden: ${found} never runs, in any mode.`,
    });
  }
}

function callSteps(
  machine: Machine,
  situation: Situation,
  behavior: "deny" | "ask",
  context: MatchContext,
  steps: TraceStep[],
): void {
  for (const rule of machine.book.broken)
    if (rule.behavior === behavior)
      steps.push({
        step: behavior,
        outcome: "ask",
        rule,
        note: `The rule ${nameRule(rule)} cannot be read, so every call asks.`,
      });
  const index = machine.rules[behavior];
  const { tool } = situation;
  for (const rule of toolHits(index, context.identity)) steps.push(hit(rule, `the tool ${tool.name}`));
  for (const rule of inputHits(index, context.identity, situation.input))
    steps.push(hit(rule, `this call of ${tool.name}`));
}

function ruleSteps(
  machine: Machine,
  effects: readonly Effect[],
  behavior: "deny" | "ask",
  context: MatchContext,
  steps: TraceStep[],
  holes: (readonly Hole[])[],
): void {
  for (const [index, effect] of effects.entries()) {
    const { full, partial } = effectHits(machine.rules[behavior], behavior, effect, context);
    for (const rule of full) steps.push({ ...hit(rule, phrase(effect)), effect: index });
    if (effect.do !== "read" && effect.do !== "write") continue;
    // Names are not content: a rule means them only if it means the tree itself.
    if (effect.do === "read" && effect.shows === "names" && effect.basis === "proved") continue;
    // Approving the whole tree does not answer what a further rule would have asked about separately.
    if (effect.basis === "enforced") holes.push(holesIn(effect, partial, machine.rules[behavior]));
    else if (isKept(machine, effect, effects)) {
      holes.push(exceptNamed(holesIn(effect, partial, machine.rules[behavior]), effect, effects));
      steps.push(...rulesOf(partial).map((rule) => leftOut(effect, index, rule)));
    } else if (full.size === 0) steps.push(...partial.slice(0, 1).map((part) => couldTouch(effect, index, part.ref)));
  }
}

/**
 * Whether a command reads a tree, its grammar proves that it only reads, and it is kept from what rules close. Former
 * versions are in a store, and nothing keeps it from that.
 */
function isKept(machine: Machine, effect: ReadEffect | WriteEffect, effects: readonly Effect[]): effect is ReadEffect {
  return (
    effect.do === "read" &&
    effect.tree === true &&
    effect.basis === "proved" &&
    effect.shows !== "versions" &&
    machine.keepsReaders(effect.path) &&
    effects.every(isReading)
  );
}

const isReading = (effect: Effect): boolean =>
  effect.basis !== "claimed" && (effect.do === "read" || (effect.do === "run" && !effect.opaque));

/** A file that the call also reads by its own name is judged by that name; approving it has to open it. */
function exceptNamed(holes: readonly Hole[], tree: ReadEffect, effects: readonly Effect[]): readonly Hole[] {
  const named = effects.flatMap((effect) =>
    effect.do === "read" && effect.path !== tree.path && isWithin(tree.path, effect.path) ? [effect] : [],
  );
  if (named.length === 0) return holes;
  const isNamed = (path: string) => named.some((read) => (read.tree ? isWithin(read.path, path) : read.path === path));
  return holes.map((hole) => ({ ...hole, matches: (path) => !isNamed(path) && hole.matches(path) }));
}

/** The most rules to name. */
const MOST_TOLD = 5;

const rulesOf = (parts: readonly PathEntry[]): readonly RuleRef[] =>
  [...new Set(parts.slice(0, MOST_TOLD * 2).map(({ ref }) => ref))].slice(0, MOST_TOLD);

/** An opaque command may touch anything. Sandbox and ports keep it from everything that deny rules close. */
function opaqueHoles(
  { rules }: Machine,
  effects: readonly Effect[],
  context: MatchContext,
  holes: (readonly Hole[])[],
): void {
  if (!effects.some((effect) => effect.do === "unknown" || (effect.do === "run" && effect.opaque))) return;
  let closed = closedByRules.get(rules.deny);
  if (closed === undefined) {
    closed = EVERYTHING.flatMap((all) =>
      rules.deny.holes(effectHits(rules.deny, "deny", all, context).partial, all.do),
    );
    closedByRules.set(rules.deny, closed);
  }
  holes.push(closed);
}

/** With many rules, rebuilding the holes for each command would be the whole cost. */
const closedByRules = new WeakMap<RuleIndex, readonly Hole[]>();

const EVERYTHING: readonly (ReadEffect | WriteEffect)[] = [
  { do: "read", basis: "enforced", path: "/", tree: true },
  { do: "write", basis: "enforced", path: "/", tree: true, change: "modify" },
];

const DEMAND = "The tool requires confirmation.";

/** A remote tool that says it needs a person gets one: no rule and no mode answers instead. */
function consentSteps(effects: readonly Effect[], steps: TraceStep[]): void {
  for (const [index, effect] of effects.entries())
    if (effect.do === "ask" && effect.basis === "claimed")
      steps.push({ step: "ask", outcome: "ask", effect: index, note: effect.because ?? DEMAND });
}

function protectedSteps(
  machine: Machine,
  { effects, captured }: Situation,
  steps: TraceStep[],
  holes: (readonly Hole[])[],
): void {
  const nameOf = (path: string): string | undefined =>
    captured && !machine.protected.isHeldOut(path) ? undefined : machine.protected.nameOf(path);
  for (const [index, effect] of effects.entries()) {
    if (effect.do !== "write" || machine.classes.isPlanFile(effect.path) || captured?.[index]?.harmless) continue;
    const name = nameOf(effect.path) ?? (effect.as === undefined ? undefined : nameOf(effect.as));
    const reaches =
      name === undefined
        ? holdsWorkspace(machine, effect)
          ? "protected files of the workspace are there"
          : undefined
        : `${name} is protected`;
    if (reaches !== undefined)
      steps.push({
        step: "protected",
        outcome: "ask",
        effect: index,
        note: `A person has to confirm ${phrase(effect)}: ${reaches}.`,
      });
    else if (effect.tree && effect.basis === "enforced")
      holes.push([{ do: "write", rule: PROTECTED, matches: (path) => machine.protected.isHeldOut(path) }]);
  }
}

/**
 * Leaves private files out of a tree that is read. Such a file is asked about by its own name, unless a rule allows it
 * by its own name.
 */
function privateHoles(
  machine: Machine,
  effects: readonly Effect[],
  steps: TraceStep[],
  holes: (readonly Hole[])[],
): void {
  const first = effects.findIndex((effect) => effect.do === "read" && effect.tree && effect.basis === "enforced");
  if (first < 0) return;
  const reads = effects.filter((effect) => effect.do === "read");
  const { isPrivate } = machine.classes;
  const isNamed = (path: string) =>
    reads.some((read) => (read.tree ? isPrivate(read.path) && isWithin(read.path, path) : read.path === path));
  const isAllowed = (path: string) => allowsReading(machine.rules.allow, path);
  const matches = (path: string) => isPrivate(path) && !isNamed(path) && !isAllowed(path);
  holes.push([{ do: "read", rule: PRIVATE, contentOnly: true, matches }]);
  const note = `Private files (.env, keys) are left out of ${phrase(effects[first]!)}: read each by name.`;
  steps.push({ step: "protected", outcome: "pass", effect: first, rule: PRIVATE, note });
}

/** An unbounded tree at or above the root of the workspace: it contains everything protected there. */
function holdsWorkspace(machine: Machine, effect: WriteEffect): boolean {
  if (!effect.tree || effect.unread || effect.basis === "enforced") return false;
  return isWithin(machine.fold.path(effect.path), machine.fold.path(machine.workspace.root));
}

function criticalSteps(machine: Machine, effects: readonly Effect[], steps: TraceStep[]): void {
  for (const [index, effect] of effects.entries()) {
    const found = criticalIn(machine, effect);
    if (found === undefined) continue;
    steps.push({
      step: "critical",
      outcome: "ask",
      effect: index,
      note: `Removing ${found}${IS_OPEN.test(found) ? ", which could match everything," : ""} cannot be undone, so it needs confirmation.`,
    });
  }
}

/** A variable whose value is known only at run time. */
const IS_OPEN = /^"?\$(?!\{?HOME\b)/;

function criticalIn(machine: Machine, effect: Effect): string | undefined {
  if (effect.do === "write") return machine.critical.inWrite(effect);
  return effect.do === "run" ? machine.critical.inCommand(effect) : undefined;
}

function extraStep(machine: Machine, situation: Situation, steps: TraceStep[]): void {
  if (!machine.extra) return;
  try {
    const step = machine.extra(situation);
    if (step) steps.push(step.outcome === "allow" ? { ...step, outcome: "pass" } : step);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    steps.push({ step: "flow", outcome: "ask", note: `A check failed (${why}), so it asks.` });
  }
}

const PROTECTED: RuleRef = { rule: "protected paths", behavior: "ask", origin: "builtin" };
const PRIVATE: RuleRef = { rule: "private files", behavior: "ask", origin: "builtin" };

/** The holes that rules cut into a tree. A rule may name the tree by the link that led to it. */
function holesIn(effect: ReadEffect | WriteEffect, parts: readonly PathEntry[], index: RuleIndex): readonly Hole[] {
  const { do: access, path: root, as } = effect;
  const holes = index.holes(parts, access);
  if (as === undefined || as === root) return holes;
  const named = (path: string) => (isWithin(root, path) ? as + path.slice(root.length) : path);
  return holes.map((hole) => ({ ...hole, matches: (path) => hole.matches(path) || hole.matches(named(path)) }));
}

const couldTouch = (effect: Effect, index: number, rule: RuleRef): TraceStep => ({
  step: rule.behavior === "deny" ? "deny" : "ask",
  outcome: "ask",
  effect: index,
  rule,
  note: `${capital(phrase(effect))} could ${touches(effect)} what the rule ${nameRule(rule)} ${forbids(rule)}, and nothing would prevent it.`,
});

const forbids = ({ behavior }: RuleRef): string => (behavior === "deny" ? "forbids" : "asks about");
const touches = (effect: Effect): string =>
  effect.do === "read" && effect.shows === "versions" ? "touch old versions of" : "touch";

const leftOut = (effect: Effect, index: number, rule: RuleRef): TraceStep => ({
  step: rule.behavior === "deny" ? "deny" : "ask",
  outcome: "pass",
  effect: index,
  rule,
  note: `Files that the rule ${nameRule(rule)} ${forbids(rule)} are left out of ${phrase(effect)}.`,
});

const hit = (rule: RuleRef, what: string): TraceStep => ({
  step: rule.behavior,
  outcome: rule.behavior,
  rule,
  note: `The rule ${nameRule(rule)} ${rule.behavior === "deny" ? "forbids" : "asks before"} ${what}.`,
});

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
