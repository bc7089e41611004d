import type { Behavior, Mode, ProfileName } from "@haft/core/policy";

/** A note for a person about an import. With an `error` there are no settings. */
export interface ImportNote {
  /** `error`: refused. `warning`: left out or made stricter. `notice`: worth knowing. */
  readonly severity: "error" | "warning" | "notice";
  /** The original text of the peer's file. */
  readonly from: string;
  /** Line in the peer's file, from 1, if known. */
  readonly line?: number;
  readonly message: string;
}

/** A place in the peer's file. */
export type Place = Pick<ImportNote, "from" | "line">;

/** Haft settings in the form of a settings file. */
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

/** Calls that a rule must match, and calls that it must not. A text is a Bash command. */
export interface RuleTest {
  readonly rule: string;
  readonly as: Behavior;
  readonly match: readonly string[];
  readonly not_match: readonly string[];
}

/** The result of an import. It is never more lenient than the peer's file; the notes list what it could not express. */
export interface Imported {
  /** Absent if the file was refused. */
  readonly settings?: WrittenSettings;
  readonly notes: readonly ImportNote[];
  readonly tests: readonly RuleTest[];
}

export interface ImportOptions {
  /** The scope of the file: some peers resolve paths by it. Default `project`. */
  readonly scope?: "project" | "local" | "user";
  /**
   * Turns a catch-all ask with exceptions ("ask about every command but git") into the exceptions alone. The mode then
   * decides the rest: it still asks, except for reads inside the workspace and commands known to only read.
   */
  readonly leaveReads?: boolean;
  /** Line of a path in a JSON file, from 1, if the reader recorded it. */
  lineOf?(path: readonly string[]): number | undefined;
}

/** Turns one peer's file into Haft settings. Never throws: an unreadable file is an `error` note. */
export type Importer = (text: string, options?: ImportOptions) => Imported;
