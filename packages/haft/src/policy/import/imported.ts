import type { Behavior, Mode, ProfileName } from "@haft/core/policy";

/** What a person should know of an import. With an `error` there are no settings. */
export interface ImportNote {
  /** `error`: refused. `warning`: left out or made stricter. `notice`: worth knowing. */
  readonly severity: "error" | "warning" | "notice";
  /** The peer's own words. */
  readonly from: string;
  /** Line in the peer's file, from 1, where it is known. */
  readonly line?: number;
  readonly message: string;
}

/** Where something stands in the peer's file. */
export type Place = Pick<ImportNote, "from" | "line">;

/** Haft settings as they are written into a file. */
export interface WrittenSettings {
  readonly permissions?: {
    readonly allow?: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
    readonly defaultMode?: Mode;
    readonly disableBypassPermissionsMode?: "disable";
    readonly additionalDirectories?: readonly string[];
  };
  readonly policy?: {
    readonly profile?: ProfileName;
    readonly allow?: readonly string[];
    readonly deny?: readonly string[];
  };
  readonly bash?: { readonly enableSandbox?: boolean };
  readonly hooks?: Readonly<Record<string, unknown>>;
}

/** Calls that a rule must hit, and calls that it must not. A text stands for a command of Bash. */
export interface RuleTest {
  readonly rule: string;
  readonly as: Behavior;
  readonly match: readonly string[];
  readonly not_match: readonly string[];
}

/** What became of a peer's file. It is never more lenient than the file was; what it could not say is in the notes. */
export interface Imported {
  /** Absent when the file was refused. */
  readonly settings?: WrittenSettings;
  readonly notes: readonly ImportNote[];
  readonly tests: readonly RuleTest[];
}

export interface ImportOptions {
  /** Whose file it is: some peers count paths from there. Default `project`. */
  readonly scope?: "project" | "local" | "user";
  /**
   * Turns a catch-all ask with exceptions ("ask about every command but git") into the exceptions alone. What is left to
   * the mode still asks, except for reading inside the workspace and commands that are known to only read.
   */
  readonly leaveReads?: boolean;
  /** Line of a place in a JSON file, from 1, where the reader kept it. */
  lineOf?(path: readonly string[]): number | undefined;
}

/** Turns one peer's file into Haft settings. Never throws: an unreadable file is an `error` note. */
export type Importer = (text: string, options?: ImportOptions) => Imported;
