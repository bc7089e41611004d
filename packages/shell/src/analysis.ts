import type { Effect } from "@haft/core/tool";
import type { Look } from "./facts/fact.ts";

/** The place where a script will run. Paths are absolute; `cwd` is real (links resolved). */
export interface ShellContext {
  readonly cwd: string;
  readonly home: string;
  /** The environment of the command, as far as it is known. Missing names have unknown values. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another shell than bash runs it. Only syntax that both read alike counts as known. */
  readonly inOtherShell?: boolean;
  /** Results of looks at the place. */
  readonly facts?: PlaceFacts;
}

/** Results of looks, by `lookKey`: the paths that the answer names, if any. A missing key was not looked at. */
type PlaceFacts = ReadonlyMap<string, readonly string[]>;

/**
 * The verdict on a simple command. A grammar shows that it changes nothing (`reads`) or exactly what it changes (`writes`), or the
 * behaviour is not known (`opaque`).
 */
export type Verdict = "reads" | "writes" | "opaque";

/** One simple command of a script, without wrappers and assignments. */
export interface SimpleCommand {
  /** Words after quote removal. A word with a value unknown before the run stays as written. */
  readonly argv: readonly string[];
  /** As written, without redirections. */
  readonly text: string;
  /** The folder in which it runs, as far as the analysis could follow it. */
  readonly cwd: string;
  /** Assignments in front of it: `NAME=value` as written. */
  readonly assigns: readonly string[];
  /** Programs in front of it that only start it: `timeout`, `env`, `sh`. Outermost first. */
  readonly wrappers: readonly string[];
  readonly verdict: Verdict;
  /** Why it is opaque. */
  readonly why?: string;
}

/** The most that a script may do. */
export interface ShellAnalysis {
  readonly effects: readonly Effect[];
  readonly commands: readonly SimpleCommand[];
  /** Some part of the script is not known: an opaque command or an unknown effect. */
  readonly opaque: boolean;
  /** The working directory after the script succeeded, if it could be followed. */
  readonly endsIn?: string;
  /** Why the script as a whole could not be analysed. */
  readonly problem?: string;
  /** Variables that the runner must set; the proof for readers depends on them. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders in which a git reader runs. Its proof depends on a tame configuration: see `riskyGitConfig`. */
  readonly gitFolders?: readonly string[];
  /** Looks that might let more be proved. */
  readonly lacks?: readonly Look[];
}
