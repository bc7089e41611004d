import type { Effect } from "../tool/index.ts";
import type { Mode } from "./decision.ts";

/** How a mode answers: `refuse` is a no that no allow rule lifts. */
export type ModeAnswer = "allow" | "ask" | "deny" | "refuse";

/** What modes tell apart. */
export type EffectClass =
  /** Reading inside the workspace. */
  | "readInside"
  /** Changing a file inside the workspace. */
  | "writeInside"
  /** A command that is known to do nothing but its other effects say. */
  | "knownCommand"
  /** Any other command. */
  | "command"
  /** Looking elsewhere: files outside, hosts that are sent nothing, remote tools that change nothing, other agents. */
  | "lookOutside"
  /** Changing something elsewhere, or sending. */
  | "actOutside"
  /** The session's own notes: todos, tasks, plan. */
  | "notes"
  /** Haft's lasting state: memory, cron, settings. */
  | "state"
  /** A question of the tool itself. */
  | "question"
  /** A file that the mode itself provides for: the plan. */
  | "planFile"
  | "unknown";

/** A mode as data. `claimed` is the answer to what only the tool itself vouches for. */
interface ModeRow extends Readonly<Record<EffectClass, ModeAnswer>> {
  readonly claimed: ModeAnswer;
  /** What becomes of a question that a rule, a protected path or the mode itself demands. */
  readonly questions: "ask" | "deny";
  /** Whether changes to protected paths are asked about. */
  readonly guardsProtected: boolean;
}

const DEFAULT: ModeRow = {
  readInside: "allow",
  writeInside: "ask",
  knownCommand: "allow",
  command: "ask",
  lookOutside: "ask",
  actOutside: "ask",
  notes: "allow",
  state: "ask",
  question: "allow",
  planFile: "ask",
  unknown: "ask",
  claimed: "ask",
  questions: "ask",
  guardsProtected: true,
};

/** The table of CONTRACT §4. A write discipline that can be undone will get its own row; until then it asks as default. */
export const MODE_TABLE: Readonly<Record<Mode, ModeRow>> = {
  default: DEFAULT,
  acceptEdits: { ...DEFAULT, writeInside: "allow", planFile: "allow" },
  undoable: DEFAULT,
  plan: {
    ...DEFAULT,
    writeInside: "refuse",
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
    writeInside: "deny",
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
    writeInside: "allow",
    knownCommand: "allow",
    command: "allow",
    lookOutside: "allow",
    actOutside: "allow",
    notes: "allow",
    state: "allow",
    question: "allow",
    planFile: "allow",
    unknown: "allow",
    claimed: "allow",
    questions: "ask",
    guardsProtected: false,
  },
};

/** The state that belongs to one session's work and outlives nothing. */
const NOTES: ReadonlySet<string> = new Set(["todos", "tasks", "plan", "jobs"]);

/** What the classes depend on beside the effect. */
export interface ClassContext {
  isReadable(path: string): boolean;
  isWritable(path: string): boolean;
  isPlanFile(path: string): boolean;
}

/** The mode's answer to one effect. A claim is never better than the mode's answer to claims. */
export function modeAnswer(mode: Mode, effect: Effect, context: ClassContext): ModeAnswer {
  const row = MODE_TABLE[mode] ?? DEFAULT;
  const answer = row[classOf(effect, context)];
  return effect.basis === "claimed" && answer === "allow" ? row.claimed : answer;
}

/** The row of a mode in the table; an unknown mode is as strict as the default one. */
export const modeRow = (mode: Mode): Pick<ModeRow, "questions" | "guardsProtected"> => MODE_TABLE[mode] ?? DEFAULT;

/** Which column of the table an effect belongs to. */
export function classOf(effect: Effect, context: ClassContext): EffectClass {
  switch (effect.do) {
    case "read":
      return context.isReadable(effect.path) ? "readInside" : "lookOutside";
    case "write":
      if (context.isPlanFile(effect.path) && !effect.tree) return "planFile";
      return context.isWritable(effect.path) ? "writeInside" : "actOutside";
    case "run":
      return effect.opaque ? "command" : "knownCommand";
    case "connect":
      return effect.sends === false ? "lookOutside" : "actOutside";
    case "call":
      return effect.change === false ? "lookOutside" : "actOutside";
    case "send":
      return "actOutside";
    case "delegate":
      return "lookOutside";
    case "state":
      return effect.change === false || NOTES.has(effect.of) ? "notes" : "state";
    case "ask":
      return "question";
    case "unknown":
      return "unknown";
  }
}
