import type { Effect, ReadEffect, WriteEffect } from "../tool/index.ts";
import type { Mode } from "./decision.ts";
import { NOTES, type UndoableFacts, undoableAnswer } from "./undoable.ts";

/**
 * How a mode answers: `refuse` is a no that no allow rule lifts, `hold` a yes to what is judged again when it is done,
 * `try` a yes to what never becomes real.
 */
export type ModeAnswer = "allow" | "hold" | "try" | "ask" | "deny" | "refuse";

type RowAnswer = Exclude<ModeAnswer, "hold" | "try">;

/** What modes tell apart. */
export type EffectClass =
  /** Reading inside the workspace. */
  | "readInside"
  /** Reading, by its own name, a file inside the workspace that holds secrets. */
  | "readPrivate"
  /** Changing a file inside the workspace. */
  | "writeInside"
  | "writeStarter"
  /** A command that is known to do nothing but its other effects say. */
  | "knownCommand"
  /** Any other command. */
  | "command"
  /** Looking elsewhere: files outside, hosts that are sent nothing, remote tools that change nothing. */
  | "lookOutside"
  /** Changing something elsewhere, or sending. */
  | "actOutside"
  /** The session's own notes: todos, tasks, plan. */
  | "notes"
  /** Haft's lasting state: memory, cron, settings. */
  | "state"
  /** Another agent: it has no more rights, and each of its calls is decided by itself. */
  | "agent"
  /** A question of the tool itself. */
  | "question"
  /** A file that the mode itself provides for: the plan. */
  | "planFile"
  | "unknown";

/** A mode as data. `claimed` is the answer to what only the tool itself vouches for. */
interface ModeRow extends Readonly<Record<EffectClass, RowAnswer>> {
  readonly claimed: RowAnswer;
  /** What becomes of a question that a rule, a protected path or the mode itself demands. */
  readonly questions: "ask" | "deny";
  /** Whether changes to protected paths are asked about, and private files left out of what is read as a whole. */
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

/** What each mode says to an effect that no rule is about: one table, so that no mode forgets one. What `undoable` says to each effect stands in a table of its own: `undoableAnswer`. */
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

/** What the classes depend on beside the effect. */
export interface ClassContext extends UndoableFacts {
  isPlanFile(path: string): boolean;
  /** Why a file is run, or takes orders from, without anybody naming it. */
  starts(path: string): string | undefined;
}

/**
 * The mode's answer to one effect. A claim is never better than the mode's answer to claims. What mode `undoable` would
 * hold, a dry run may do in every mode but the one that allows nothing by itself: it changes nothing.
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

/** A tree that merely holds private files is no such read: what is private is left out of it. Nor is what is proved to tell names only. */
const isPrivateRead = ({ path, as, shows, basis }: ReadEffect, { isPrivate }: ClassContext): boolean =>
  !(shows === "names" && basis === "proved") && (isPrivate(path) || (as !== undefined && isPrivate(as)));

/** What runs a file that is written, or takes orders from it, because it lies there. */
export const startsSomething = ({ path, as }: WriteEffect, { starts }: ClassContext): string | undefined =>
  starts(path) ?? (as === undefined ? undefined : starts(as));

/** Which column of the table an effect belongs to. */
export function classOf(effect: Effect, context: ClassContext): EffectClass {
  switch (effect.do) {
    case "read":
      // Who may change the plan by a part of it reads it for that, wherever the mode keeps it.
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
