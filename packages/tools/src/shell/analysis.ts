import type { Effect } from "@haft/core/tool";

/** Where a script is going to run. Paths are absolute; `cwd` is real (links resolved). */
export interface ShellContext {
  readonly cwd: string;
  readonly home: string;
  /** The environment that the command will get, as far as it is known. Names that are missing have unknown values. */
  readonly env?: Readonly<Record<string, string>>;
  /** What was found out by a look at the place. What is missing here was not looked at. */
  readonly facts?: PlaceFacts;
}

/** Facts about a place that let more be proved of a script. */
export interface PlaceFacts {
  /** Folders that git may name as the top of the repository in which a folder lies, by that folder. */
  readonly toplevels: ReadonlyMap<string, readonly string[]>;
  /** Files with a program that loads nothing from elsewhere. */
  readonly programs: ReadonlySet<string>;
  /** Databases of SQLite that nobody has left half written: to read one writes nothing. */
  readonly databases: ReadonlySet<string>;
  /** Folders of repositories in which no branch and no tag looks like an option. */
  readonly plainRefs: ReadonlySet<string>;
  /** Folders in which no name looks like an option. */
  readonly plainNames: ReadonlySet<string>;
  /** Folders in which every name stays one word when the shell splits it. */
  readonly wholeNames: ReadonlySet<string>;
  /** The same of all names below. */
  readonly wholeTrees: ReadonlySet<string>;
  /** Folders of which no link, however deep, leads out. */
  readonly closedTrees: ReadonlySet<string>;
  /** By a program, folders in which it finds nothing of a project that would have it run or fetch something else. */
  readonly undirected: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What to find out about a place. */
export interface PlaceQuestions {
  readonly toplevels: readonly string[];
  readonly programs: readonly string[];
  readonly databases: readonly string[];
  readonly plainRefs: readonly string[];
  readonly plainNames: readonly string[];
  readonly wholeNames: readonly string[];
  readonly wholeTrees: readonly string[];
  readonly closedTrees: readonly string[];
  /** A program and a folder. */
  readonly undirected: readonly (readonly [program: string, folder: string])[];
}

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
  /** Of what `facts` would let more be proved: what was asked of each and is not known. */
  readonly lacks?: PlaceQuestions;
}
