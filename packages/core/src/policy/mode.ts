import type { Effect, ReadEffect, WriteEffect } from "../tool/index.ts";
import type { Mode } from "./decision.ts";
import { NOTES, type UndoableFacts, undoableAnswer } from "./undoable.ts";

/**
 * A mode's answer. `refuse`: a no that no allow rule lifts. `hold`: a yes, but the result is judged again afterwards.
 * `try`: a yes to something that never becomes real.
 */
export type ModeAnswer = "allow" | "hold" | "try" | "ask" | "deny" | "refuse";

type RowAnswer = Exclude<ModeAnswer, "hold" | "try">;

/** The classes of effects that modes distinguish. */
export type EffectClass =
  /** Reading inside the workspace. */
  | "readInside"
  /** Reading, by its own name, a file inside the workspace that holds secrets. */
  | "readPrivate"
  /** Changing a file inside the workspace. */
  | "writeInside"
  | "writeStarter"
  /** A command that is known to do only what its other effects say. */
  | "knownCommand"
  /** Any other command. */
  | "command"
  /** Reading elsewhere: files outside, hosts that receive no data, remote tools that change nothing. */
  | "lookOutside"
  /** Changing something elsewhere, or sending. */
  | "actOutside"
  /** The session's own notes: todos, tasks, plan. */
  | "notes"
  /** Haft's lasting state: memory, cron, settings. */
  | "state"
  /** Another agent. It has no more rights, and each of its calls is decided separately. */
  | "agent"
  /** A question that the tool itself asks. */
  | "question"
  /** A file that the mode itself provides for: the plan. */
  | "planFile"
  | "unknown";

/** A mode as data. `claimed` is the answer to effects that only the tool itself vouches for. */
interface ModeRow extends Readonly<Record<EffectClass, RowAnswer>> {
  readonly claimed: RowAnswer;
  /** How the mode treats a question that a rule, a protected path or the mode itself demands. */
  readonly questions: "ask" | "deny";
  /** Whether changes to protected paths need a question, and whether reading a tree leaves out private files. */
  readonly guardsProtected: boolean;
}

const DEFAULT: ModeRow = {
  readInside: "allow",
  readPrivate: "ask",
  writeInside: "ask",
  writeStarter: "ask",
  knownCommand: "allow",
  command: "ask",
  lookOutside: "ask",
  actOutside: "ask",
  notes: "allow",
  state: "ask",
  agent: "allow",
  question: "allow",
  planFile: "ask",
  unknown: "ask",
  claimed: "ask",
  questions: "ask",
  guardsProtected: true,
};

/**
 * Each mode's answer to an effect that no rule covers. One table, so that no mode forgets a class. `undoable` has a
 * table of its own: `undoableAnswer`.
 */
export const MODE_TABLE: Readonly<Record<Mode, ModeRow>> = {
  default: DEFAULT,
  acceptEdits: { ...DEFAULT, writeInside: "allow", planFile: "allow" },
  undoable: DEFAULT,
  plan: {
    ...DEFAULT,
    writeInside: "refuse",
    writeStarter: "refuse",
    command: "refuse",
    lookOutside: "deny",
    actOutside: "refuse",
    state: "refuse",
    planFile: "allow",
    unknown: "refuse",
    claimed: "deny",
  },
  dontAsk: {
    ...DEFAULT,
    readPrivate: "deny",
    writeInside: "deny",
    writeStarter: "deny",
    command: "deny",
    lookOutside: "deny",
    actOutside: "deny",
    state: "deny",
    question: "refuse",
    planFile: "deny",
    unknown: "deny",
    claimed: "deny",
    questions: "deny",
  },
  bypassPermissions: {
    readInside: "allow",
    readPrivate: "allow",
    writeInside: "allow",
    writeStarter: "allow",
    knownCommand: "allow",
    command: "allow",
    lookOutside: "allow",
    actOutside: "allow",
    notes: "allow",
    state: "allow",
    agent: "allow",
    question: "allow",
    planFile: "allow",
    unknown: "allow",
    claimed: "allow",
    questions: "ask",
    guardsProtected: false,
  },
};

/** The conditions of the classes in addition to the effect. */
export interface ClassContext extends UndoableFacts {
  isPlanFile(path: string): boolean;
  /** Why something runs a file, or takes orders from it, although nobody names it. */
  starts(path: string): string | undefined;
}

/**
 * The mode's answer to one effect. A claim never gets a better answer than the mode gives to claims. A dry run may do
 * whatever mode `undoable` would hold, because it changes nothing. The exception is mode `dontAsk`, which allows
 * nothing without a rule.
 */
export function modeAnswer(mode: Mode, effect: Effect, context: ClassContext, isDryRun = false): ModeAnswer {
  const goesOn = effect.do === "run" && effect.background === true;
  if (isDryRun && !goesOn && mode !== "dontAsk" && undoableAnswer(effect, context).answer === "hold") return "try";
  if (mode === "undoable") return UNDOABLE[undoableAnswer(effect, context).answer];
  const row = MODE_TABLE[mode] ?? DEFAULT;
  const answer = row[classOf(effect, context)];
  return effect.basis === "claimed" && answer === "allow" ? row.claimed : answer;
}

const UNDOABLE = { free: "allow", hold: "hold", ask: "ask" } as const;

/** The row of a mode in the table; an unknown mode is as strict as the default one. */
export const modeRow = (mode: Mode): Pick<ModeRow, "questions" | "guardsProtected"> => MODE_TABLE[mode] ?? DEFAULT;

/**
 * A tree that merely contains private files does not count: they are left out of it. A read that is proved to show only
 * names does not count either.
 */
const isPrivateRead = ({ path, as, shows, basis }: ReadEffect, { isPrivate }: ClassContext): boolean =>
  !(shows === "names" && basis === "proved") && (isPrivate(path) || (as !== undefined && isPrivate(as)));

/** Names the thing that runs a written file, or takes orders from it, because of where the file is. */
export const startsSomething = ({ path, as }: WriteEffect, { starts }: ClassContext): string | undefined =>
  starts(path) ?? (as === undefined ? undefined : starts(as));

/** Returns the column of the table for an effect. */
export function classOf(effect: Effect, context: ClassContext): EffectClass {
  switch (effect.do) {
    case "read":
      // Changing a part of the plan requires reading it, so this is allowed wherever the mode keeps the plan.
      if (!context.isReadable(effect.path) && (effect.tree || !context.isPlanFile(effect.path))) return "lookOutside";
      return isPrivateRead(effect, context) ? "readPrivate" : "readInside";
    case "write":
      if (context.isPlanFile(effect.path) && !effect.tree) return "planFile";
      if (!context.isWritable(effect.path)) return "actOutside";
      return startsSomething(effect, context) ? "writeStarter" : "writeInside";
    case "run":
      return effect.opaque ? "command" : "knownCommand";
    case "connect":
      return effect.sends === false ? "lookOutside" : "actOutside";
    case "call":
      return effect.change === false ? "lookOutside" : "actOutside";
    case "send":
      return "actOutside";
    case "delegate":
      return "agent";
    case "state":
      return effect.change === false || NOTES.has(effect.of) ? "notes" : "state";
    case "ask":
      return "question";
    case "unknown":
      return "unknown";
  }
}
