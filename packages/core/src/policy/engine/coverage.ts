import { basename, type Effect, traitsOf } from "../../tool/index.ts";
import type { Situation, TraceStep } from "../decision.ts";
import { classOf, type EffectClass, type ModeAnswer, modeAnswer, startsSomething } from "../mode.ts";
import { isPlainlyStarted } from "../pattern/command-forms.ts";
import { skillAllow, toolAllow } from "../rule/match-call.ts";
import { effectAllow, type MatchContext } from "../rule/match-effect.ts";
import type { RuleIndex } from "../rule/rule-index.ts";
import { undoableAnswer } from "../undoable.ts";
import { nameRule } from "./findings.ts";
import type { Machine } from "./machine.ts";
import { phrase } from "./wording.ts";

/**
 * Finds what covers each effect: the mode, an allow rule, or the tool's own default. Makes one step for each effect;
 * the call is allowed when all of them allow.
 */
export function coverage(machine: Machine, situation: Situation, context: MatchContext): TraceStep[] {
  if (situation.effects.length === 0) return [{ step: "default", outcome: "allow", note: "The call has no effects." }];
  const covering = withCommands(coveringRules(machine, machine.rules.allow, situation, context), situation);
  return situation.effects.map((effect, index) => ({
    effect: index,
    ...coverEffect(machine, situation, effect, index, covering),
  }));
}

/** The effects that no allow rule covers, whatever the mode and the tool say. */
export function uncovered(machine: Machine, situation: Situation, context: MatchContext): readonly Effect[] {
  const covering = withCommands(coveringRules(machine, machine.rules.allow, situation, context), situation);
  return situation.effects.filter((effect) => !isOfUnread(effect, situation) && !covering(effect));
}

/** The allow rule of an untrusted project that would have covered an effect. */
export function inertRule(
  machine: Machine,
  situation: Situation,
  effect: Effect,
  context: MatchContext,
): TraceStep | undefined {
  const rule =
    machine.book.inert.length > 0 ? coveringRules(machine, machine.inert, situation, context)(effect) : undefined;
  return (
    rule && {
      step: "allow",
      outcome: "pass",
      rule,
      note: `The project's rule ${nameRule(rule)} would allow it, but the folder is not trusted (haft trust).`,
    }
  );
}

type Covering = (effect: Effect) => ReturnType<typeof effectAllow>;

function coverEffect(
  machine: Machine,
  situation: Situation,
  effect: Effect,
  index: number,
  covering: Covering,
): TraceStep {
  if (isOfUnread(effect, situation)) return { step: "allow", outcome: "pass", note: atLeast(effect) };
  const given = modeAnswer(machine.mode, effect, classesFor(machine, situation, index), situation.isDryRun);
  const answer = given === "allow" && !isAcceptedEdit(machine, situation, effect) ? "ask" : given;
  if (answer === "try") return { step: "mode", outcome: "allow", hold: true, note: tried(effect) };
  if (answer === "allow" || answer === "refuse") return modeStep(machine, effect, answer);
  const rule = covering(effect);
  if (rule)
    return { step: "allow", outcome: "allow", rule, note: `The rule ${nameRule(rule)} allows ${phrase(effect)}.` };
  if (answer === "ask" && situation.tool.autoExecute === true && isHarmless(machine, effect))
    return {
      step: "default",
      outcome: "allow",
      note: `${situation.tool.name} runs without asking when it only reads.`,
    };
  return modeStep(machine, effect, answer);
}

/** The known changes of an opaque command belong to the command: they are asked about, or allowed, together with it. */
const isOfUnread = (effect: Effect, { effects }: Situation): boolean =>
  effect.do === "write" &&
  effect.unread === true &&
  effects.some((other) => other.do === "run" && other.opaque === true && other.text === effect.of);

const atLeast = (effect: Effect): string => `The permission for the command includes ${phrase(effect)}.`;

/** The commands that mode acceptEdits treats as edits, as documented. */
const EDITING_COMMANDS: ReadonlySet<string> = new Set(["mkdir", "touch", "rm", "rmdir", "mv", "cp", "sed"]);

/** In mode acceptEdits a command may edit without asking if only prefixes precede it that an allow rule would also ignore. */
function isAcceptedEdit({ mode }: Machine, { effects }: Situation, effect: Effect): boolean {
  if (mode !== "acceptEdits" || effect.do !== "write" || effect.of === undefined) return true;
  return effects
    .filter((other) => other.do === "run")
    .filter(({ text }) => text === effect.of)
    .every((run) => isPlainlyStarted(run) && EDITING_COMMANDS.has(basename(run.argv[0] ?? "")));
}

/** A change that was inspected and runs nothing is judged without regard to its name. */
function classesFor({ classes }: Machine, { captured }: Situation, index: number): Machine["classes"] {
  return captured?.[index]?.harmless ? { ...classes, runsLater: () => undefined, starts: () => undefined } : classes;
}

/**
 * A rule for the tool covers everything that the call does, except the secrets that an edit would show. A rule for an
 * effect needs a bound that is more than a claim. A call to a server is known, whatever is claimed about its
 * consequences. Only a rule for the tool covers effects that cannot be judged.
 */
function coveringRules({ classes }: Machine, index: RuleIndex, situation: Situation, context: MatchContext): Covering {
  const forTool = toolAllow(index, context.identity);
  const forSkill = forTool ? undefined : skillAllow(index, context.identity, situation.input);
  const isAnEdit = forTool !== undefined && isEdit(situation);
  return (effect) => {
    if (effect.do === "unknown") return forTool;
    if (forTool && !(isAnEdit && classOf(effect, classes) === "readPrivate")) return forTool;
    if (forSkill) return forSkill;
    return effect.basis === "claimed" && effect.do !== "call" ? undefined : effectAllow(index, effect, context);
  };
}

/** The call only changes files. Permission to change files does not include reading private content in them. */
const isEdit = ({ effects }: Situation): boolean =>
  effects.some(({ do: word }) => word === "write") &&
  effects.every(({ do: word }) => word === "read" || word === "write");

/** A rule that allows a command also allows that command's own effects: an opaque command could have them too. */
function withCommands(covering: Covering, { effects }: Situation): Covering {
  return (effect) => {
    const own = covering(effect);
    if (own || (effect.do !== "read" && effect.do !== "write") || effect.of === undefined) return own;
    const command = effects.find((other) => other.do === "run" && other.text === effect.of);
    return command && covering(command);
  };
}

/** Reading that stays inside the boundary and shows no secrets, according to the tool. */
function isHarmless(machine: Machine, effect: Effect): boolean {
  if (effect.do === "read" && classOf(effect, machine.classes) !== "readInside") return false;
  // There a question has other reasons than the tool's claim: private content stays private.
  if (
    machine.mode === "undoable" &&
    undoableAnswer({ ...effect, basis: "enforced" }, machine.classes).answer !== "free"
  )
    return false;
  return traitsOf([effect]).isReadOnly;
}

const tried = (effect: Effect): string => `A dry run discards the changes of ${phrase(effect)}.`;

function modeStep(machine: Machine, effect: Effect, answer: Exclude<ModeAnswer, "try">): TraceStep {
  if (answer === "hold")
    return {
      step: "mode",
      outcome: "allow",
      hold: true,
      note:
        effect.do === "run" && effect.background
          ? `Mode ${machine.mode} allows ${phrase(effect)} with a read-only workspace and no network.`
          : `Mode ${machine.mode} holds the changes of ${phrase(effect)} until they are checked.`,
    };
  const outcome = answer === "refuse" ? "deny" : answer;
  const verb = { allow: "allows", ask: "asks before", deny: "refuses" }[outcome];
  return {
    step: "mode",
    outcome,
    note: `Mode ${machine.mode} ${verb} ${phrase(effect)}${because(machine, effect, outcome)}.`,
  };
}

function because(machine: Machine, effect: Effect, outcome: "allow" | "ask" | "deny"): string {
  if (outcome !== "allow" && effect.basis === "claimed" && effect.do !== "call") return " as declared by the tool only";
  if (machine.mode === "undoable" && outcome === "ask") {
    const { why } = undoableAnswer(effect, machine.classes);
    return why === undefined ? "" : `: ${why}`;
  }
  if (effect.do === "write" && classOf(effect, machine.classes) === "writeStarter")
    return `: ${startsSomething(effect, machine.classes)}`;
  const where = WHERE[classOf(effect, machine.classes)];
  return where === undefined || (effect.do !== "read" && effect.do !== "write") ? "" : ` ${where}`;
}

const WHERE: Partial<Record<EffectClass, string>> = {
  readInside: "inside the workspace",
  readPrivate: "by name: it is private",
  writeInside: "inside the workspace",
  lookOutside: "outside the workspace",
  actOutside: "outside the workspace",
};
