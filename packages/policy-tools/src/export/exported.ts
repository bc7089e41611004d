import type { Behavior } from "@haft/core/policy";
import type { Effect } from "./wanted.ts";

/** How a rule came out in the other agent's settings. */
export interface ExportNote {
  /** The rule as Haft's settings write it; empty for a note about all of them. */
  readonly rule: string;
  readonly behavior?: Behavior;
  /**
   * `same`: it says the same there. `stricter`: it covers more there, or an allow is left out and asks. `weaker`: Haft
   * denies a call there that this agent asks about. `error`: it cannot be said at all.
   */
  readonly loss: "same" | "stricter" | "weaker" | "error";
  readonly message: string;
}

/** The result of an export. Without `text` it was refused. */
export interface Exported {
  readonly text?: string;
  readonly notes: readonly ExportNote[];
}

/** Haft's rules as its settings write them. */
export interface RulesToExport {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** Haft's own decision about a shell command under the rules to export. */
export type Decide = (command: string) => Promise<Behavior>;

/** The writer of one agent's settings. */
export interface Target {
  /** The file that the text belongs to. */
  readonly file: string;
  write(effects: readonly Effect[], notes: Notes): string;
  /** Whether an allow for a command with further arguments can be said without covering other scripts. */
  readonly commands: "open" | "exact" | "prefix";
  /** Commands about which the agent asks although a pattern with open arguments covers them. */
  readonly asksAbout?: RegExp;
  /** Texts before a command that the agent looks past. */
  readonly looksPast?: readonly string[];
}

/** Takes notes while a target is written. */
export type Notes = (loss: ExportNote["loss"], effect: Effect | undefined, message: string) => void;
