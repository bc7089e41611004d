import type { Effect } from "@haft/core/tool";
import type { Look } from "./look/look.ts";

/** Where a script is going to run. Paths are absolute; `cwd` is real (links resolved). */
export interface ShellContext {
  readonly cwd: string;
  readonly home: string;
  /** The environment that the command will get, as far as it is known. Names that are missing have unknown values. */
  readonly env?: Readonly<Record<string, string>>;
  /** It runs in another shell than bash: only what both read alike counts as known. */
  readonly inOtherShell?: boolean;
  /** What was found out by looks at the place. */
  readonly facts?: PlaceFacts;
}

/** What was found out by looks, by `lookKey`: the paths that the answer names, if it names any. What is missing was not looked at. */
export type PlaceFacts = ReadonlyMap<string, readonly string[]>;

/**
 * What is known of a simple command: a grammar shows that it changes nothing (`reads`) or exactly what it changes
 * (`writes`), or its behaviour is not known (`opaque`).
 */
export type Verdict = "reads" | "writes" | "opaque";

/** One simple command of a script, wrappers and assignments taken off. */
export interface SimpleCommand {
  /** Words after quote removal. A word whose value is not known before the run stands as it is written. */
  readonly argv: readonly string[];
  /** As written, without redirections. */
  readonly text: string;
  /** Folder in which it runs, as far as it could be followed. */
  readonly cwd: string;
  /** Assignments in front of it: `NAME=value` as written. */
  readonly assigns: readonly string[];
  /** Programs in front of it that only start it: `timeout`, `env`, `sh`. Outermost first. */
  readonly wrappers: readonly string[];
  readonly verdict: Verdict;
  /** Why it is opaque. */
  readonly why?: string;
}

/** What a script may at most do. */
export interface ShellAnalysis {
  readonly effects: readonly Effect[];
  readonly commands: readonly SimpleCommand[];
  /** Some part of the script is not known: an opaque command or an unknown effect. */
  readonly opaque: boolean;
  /** The working directory after the script succeeded, where it could be followed. */
  readonly endsIn?: string;
  /** Why the script as a whole could not be analysed. */
  readonly problem?: string;
  /** Variables that the runner must set; the proof of the readers rests on them. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders in which a git reader runs. Its proof rests on a tame configuration: see `riskyGitConfig`. */
  readonly gitFolders?: readonly string[];
  /** Looks that might let more be proved. */
  readonly lacks?: readonly Look[];
}
