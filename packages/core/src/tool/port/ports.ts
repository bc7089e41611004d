/**
 * Ports: the small interfaces through which tools touch the world. A call is handed ports that are bound to its granted
 * effects; anything else ends as `undeclared_effect`. All paths that enter a port are absolute.
 */

import type { FileEntry, Match } from "../display.ts";
import type { Effect } from "../effect.ts";
import type { ToolError } from "../error.ts";
import type { Agents } from "./agents.ts";
import type { Bound } from "./bound.ts";
import type { Browser } from "./browser.ts";
import type { Catalog } from "./catalog.ts";
import type { Documents, SmallModel } from "./documents.ts";
import type { HeldChanges } from "./held.ts";
import type { Jobs } from "./jobs.ts";
import type { Net } from "./net.ts";
import type { WebSearchPort } from "./search.ts";
import type { FileView, SeenFile } from "./seen.ts";
import type { Conversation, Inbox, Plans, SettingsStore, Worktrees } from "./session.ts";
import type { Tasks } from "./tasks.ts";

/** The only ways from a tool to the world. What a host does not have is absent. */
export interface Ports {
  readonly files: Files;
  readonly processes: Processes;
  /** The network. */
  readonly net: Net;
  readonly clock: Clock;
  /** What the session keeps for its tools: todos and the like. */
  readonly state: State;
  /** Background work, where the host has it. */
  readonly jobs?: Jobs;
  /** Changes of commands that are kept aside, where the host has them. */
  readonly held?: HeldChanges;
  /** Turns documents of others into text, where the host can. It needs no effect: it touches nothing. */
  readonly documents?: Documents;
  /** Searches of the web, where a provider is set up. */
  readonly search?: WebSearchPort;
  /** A browser, where the machine has one. */
  readonly browser?: Browser;
  /** A model for small tasks, where the user chose one. */
  readonly model?: SmallModel;
  /** The tools that are left out of the offer until they are wanted, where that is so. */
  readonly catalog?: Catalog;
  /** Other agents, where this one may start any. */
  readonly agents?: Agents;
  /** The shared list of tasks, where the host has one. */
  readonly tasks?: Tasks;
  /** Plan mode, for the agent that may enter and leave it. */
  readonly plans?: Plans;
  /** What was said to the agent meanwhile, where the host passes that on. */
  readonly inbox?: Inbox;
  /** What the model sees of the conversation, where the host lets it be cut. */
  readonly conversation?: Conversation;
  /** Git worktrees, where the session may move. */
  readonly worktrees?: Worktrees;
  /** Settings that a model may see and propose to change. */
  readonly settings?: SettingsStore;
}

/** The names of the ports, for a tool that says which it needs. */
export type PortName = keyof Ports;

/** Where a name really leads. For something missing: the real location of its nearest existing folder, plus the rest. */
export interface Location {
  readonly path: string;
  readonly kind: "file" | "directory" | "other" | "missing";
}

/** What is known of a path without opening it. */
export interface FileStat {
  readonly kind: "file" | "directory" | "symlink" | "other";
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedMs: number;
  /** Permission bits, e.g. 0o644. */
  readonly mode: number;
}

/** A text file with everything that a faithful write needs to keep. */
export interface TextFile {
  /** The text without its byte order mark; line ends as they are on disk. */
  readonly text: string;
  /** A name that `encodeLike` understands, e.g. `utf-8`, `utf-16le`, `gb18030`. */
  readonly encoding: string;
  readonly bom: boolean;
  /** The line end that most lines have. */
  readonly eol: "\n" | "\r\n" | "\r";
  /** SHA-256 of the bytes on disk, hex. */
  readonly hash: string;
}

/** Some lines of a text file that may be too big to hold. */
export interface LineWindow {
  readonly lines: readonly string[];
  /** Number of the first line in `lines`, from 1. */
  readonly first: number;
  /** Lines in the whole file; absent when the file was not read to its end. */
  readonly total?: number;
  /** Whether the window is the whole file, uncut. */
  readonly whole: boolean;
  /** Lines that were longer than the cap and were cut, by number. */
  readonly cut: readonly number[];
  /** SHA-256 of the file; only when it was read to its end. */
  readonly hash?: string;
  /** The text is UTF-8 with bytes that are no text; each is shown as U+FFFD. */
  readonly damaged?: boolean;
}

/** What a write must find, or it fails with `file_changed` or `file_exists` and changes nothing. */
export interface WriteExpectation {
  /** The hash that the file must still have, or `absent`. */
  readonly expect?: string;
}

/** Which files are wanted, by name. */
export interface FindQuery {
  /** Absolute folder to look in. */
  readonly root: string;
  readonly pattern: string;
  /** Leave out what .gitignore and its kin name. Default true. */
  readonly ignore?: boolean;
  /** Files for which this is false do not exist for the query: they are neither returned nor counted. */
  readonly isVisible?: (path: string) => boolean;
  /** Most entries to return, the newest by modification time. */
  readonly limit: number;
  readonly signal?: AbortSignal;
  /** Called with the number of files seen so far. */
  readonly onCount?: (count: number) => void;
}

/** The files whose names fit. */
export interface FindResult {
  /** Absolute paths, newest first. */
  readonly paths: readonly string[];
  /** How many there are in all. */
  readonly total: number;
  /** Something below could not be read, so there may be more. */
  readonly unread?: true;
}

/** Which texts are wanted, in which files. */
export interface SearchQuery {
  /** Absolute file or folder to look in. */
  readonly root: string;
  /** A regular expression in ripgrep's syntax. */
  readonly pattern: string;
  readonly glob?: readonly string[];
  readonly type?: string;
  readonly ignoreCase?: boolean;
  readonly multiline?: boolean;
  /** Lines of context before and after each hit. */
  readonly before?: number;
  readonly after?: number;
  /** Leave out what .gitignore and its kin name. Default true. */
  readonly ignore?: boolean;
  /** Files for which this is false do not exist for the query: they are neither returned nor counted. */
  readonly isVisible?: (path: string) => boolean;
  /** What the caller wants; `files` and `counts` let the engine stop early in each file. */
  readonly want: "lines" | "files" | "counts";
  /** Most hits (lines, files or counts) to return. */
  readonly limit: number;
  /** Hits to leave out at the start. */
  readonly offset?: number;
  readonly signal?: AbortSignal;
}

/** What a search found, in the form that the query wanted. */
export interface SearchResult {
  readonly engine: "ripgrep" | "builtin";
  /** For `lines`: hits and their context, in order of path and line. */
  readonly matches: readonly (Match & { readonly context?: boolean })[];
  /** For `files` and `counts`: one entry a file. */
  readonly files: readonly { readonly path: string; readonly count: number }[];
  /** Hits in all (lines, or files), also those beyond the limit. */
  readonly total: number;
  /** Something below could not be read, so there may be more. */
  readonly unread?: true;
}

/** Files and folders. Every path is resolved to its real location at the moment of use. */
export interface Files {
  locate(path: string): Promise<Location>;
  /** `undefined` when nothing is there. Does not follow a symbolic link in the last segment. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Raw bytes, or those from `start` up to `end`. */
  bytes(path: string, range?: { readonly start?: number; readonly end?: number }): Promise<Uint8Array>;
  /**
   * A whole text file. Fails with `file_not_found`, `is_directory`, `binary_file`, `file_too_large` (over `maxBytes`,
   * default 50 MB) or `permission_denied`.
   */
  text(path: string, options?: { readonly maxBytes?: number }): Promise<TextFile>;
  /** Lines `first` to `first + limit - 1`, each cut at `maxLineChars`. Streams: a 1 GB file costs no 1 GB. */
  lines(
    path: string,
    window: {
      readonly first: number;
      readonly limit: number;
      readonly maxLineChars: number;
      /** Most characters of the window; it ends early with a line that is still whole. */
      readonly maxChars?: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<LineWindow>;
  /** Entries of a folder, folders first, then by name. Their `path` is the name alone. */
  list(path: string): Promise<readonly FileEntry[]>;
  /**
   * Replaces a file's text atomically. A text is encoded as `like` was (encoding, BOM); mode, owner and symbolic links
   * of an existing file are kept; missing parent folders are made. Returns the hash of what is now on disk, and the
   * `folders` that were made for it, the highest first.
   */
  write(
    path: string,
    data: string | Uint8Array,
    options?: WriteExpectation & {
      readonly like?: Pick<TextFile, "encoding" | "bom">;
      /** Permission bits of a file that is not there yet. Default: what the system gives new files. */
      readonly mode?: number;
    },
  ): Promise<{ readonly hash: string; readonly bytes: number; readonly folders?: readonly string[] }>;
  /**
   * Removes a regular file that still is what is expected. Links and folders are refused. Needs a `delete` effect. Of
   * `folders`, which a write of the same call has made, those go with it in which nothing else lies.
   */
  remove(path: string, options?: WriteExpectation & { readonly folders?: readonly string[] }): Promise<void>;
  /**
   * Lets `act` write several files of which all are to change or none. What it cannot finish it takes back itself; where
   * a journal is kept, that does the same for one whose process is killed meanwhile.
   */
  together?<T>(act: () => Promise<T>): Promise<T>;
  find(query: FindQuery): Promise<FindResult>;
  search(query: SearchQuery): Promise<SearchResult>;
  /**
   * The configuration of the git repository that a folder belongs to, or `undefined`. Whether a git command only reads
   * depends on it, so it may be asked for before anything is decided.
   */
  gitConfig(folder: string): Promise<string | undefined>;
  /**
   * The files that the repository of a folder tracks, of those that are wanted by their path in it. Whether a git command shows what is
   * private depends on it, so this, too, may be asked for before anything is decided. A host that lacks it has more asked about.
   */
  gitTracked?(folder: string, isWanted: (path: string) => boolean): Promise<readonly string[]>;
  /**
   * Whether a small text file holds one of these words, or the names below a folder do (each after a slash: `/a/b`); where that
   * cannot be said, they do. Of a folder and no words it is whether a link below leads out of it. What a command does may depend on its program in a file, or on the names in a repository, so this, too, may
   * be asked for before anything is decided. A host that lacks it has more asked about. `shallow`: of a folder only the names right in
   * it, of a file, be it as large as it likes, only the first bytes. `schema`: of a database of SQLite the words of its schema, in small
   * letters with a blank around each.
   */
  mentions?(
    path: string,
    words: readonly string[],
    options?: { readonly shallow?: boolean; readonly schema?: boolean },
  ): Promise<boolean>;
  /** What the model of this session knows of a file. Reading one for oneself shows the model nothing. */
  seen(path: string): Promise<SeenFile | undefined>;
  /** Says what this call shows the model of a file. It counts as soon as the result has reached the model uncut. */
  show(path: string, view: FileView): Promise<void>;
  /**
   * The same for paths that are real already, as `locate` gives them: one that leads elsewhere by now is refused with
   * `conflict`, never followed. What was decided on goes through these: a host that wraps a method wraps it here too.
   */
  readonly exact?: Omit<Files, "exact">;
}

/** A script, and how it is run. */
export interface RunRequest {
  /** A script for the shell, exactly as analysed and granted. */
  readonly command: string;
  readonly cwd: string;
  /** Milliseconds until the whole process group is ended. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Added to the environment that the host passes on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Output as it comes, stdout and stderr in order of arrival. */
  readonly onOutput?: (chunk: string) => void;
  /**
   * The grant. A host with a sandbox confines the program to it; without one it has no meaning, and whoever decides
   * must know that. It comes from the executor, never from a tool.
   */
  readonly bound?: Bound;
}

/** How a script ended. */
export interface RunOutcome {
  /** `null` when a signal ended the program. */
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** Both streams in order of arrival, decoded; at most the host's capture limit, then head and tail. */
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  /** The folder in which the shell ended, when it could be learnt. */
  readonly cwd?: string;
  /** Processes of the command that were still alive when it returned and hold its pipes. */
  readonly left: boolean;
  /** The background job that they have become. */
  readonly leftJob?: string;
  /** Names of processes that it left running, and that were ended with it: one each, at most 50. */
  readonly endedWith?: readonly string[];
  /**
   * What the sandbox seems to have refused, in a sentence with its cure. A guess from what the program said: good for
   * offering to ask for exactly that, never for a decision.
   */
  readonly denied?: string;
  /** Why what it changed, or some of it, did not become real though it was to: whoever relies on it has to know. */
  readonly unapplied?: ToolError;
  /** What the grant would need besides, as far as it can be told: enough to ask for exactly that and run again. */
  readonly missing?: readonly Effect[];
}

/** What a command could run that does not stand in its words. */
export interface Startable {
  readonly cwd: string;
  readonly program?: string;
  /** Words that may be names of files, relative ones from `cwd`. */
  readonly files: readonly string[];
}

/** Files by their absolute path, each with a text that changes with its content. */
export type FileContents = Readonly<Record<string, string>>;

/** Programs, each in its own process group. A command returns when it exits, even if children hold its pipes. */
export interface Processes {
  run(request: RunRequest): Promise<RunOutcome>;
  /**
   * Puts up now what would stand around the next command of this kind, while nobody waits for it. Unused it goes away by
   * itself after a while. Does nothing where there is nothing to put up.
   */
  prepare?(like: Pick<RunRequest, "cwd" | "bound">): Promise<void>;
  /** A program whose grant says `hold` runs without a network and without private files, or not at all. */
  readonly fencesHeld?: true;
  /**
   * What a folder, and a program that is started in it, are right now: a text that changes when a link is swapped or a
   * file replaced. Whoever has it can tell whether what was decided on is what is about to be started.
   */
  identify?(place: { readonly cwd: string; readonly program?: string }): Promise<string>;
  /** What a script is known by: a digest of its whole text and of the names of the variables that are set for it. */
  digest?(script: Pick<RunRequest, "command" | "env">): string;
  /**
   * The files from which a command takes what it does, each with a text that changes with its content: those of `files`
   * that there are, and what a program of this name reads unasked (`package.json`, `Makefile`) from its folder.
   */
  contents?(command: Startable): Promise<FileContents>;
  /**
   * The file in a folder or above it by which a project has a program of its own started in place of one that is asked for, where
   * something in the PATH heeds such files. Every command waits for the answer, and it may be asked for before anything is decided.
   */
  replaced?(folder: string): string | undefined;
  /** Whether commands run in bash. Absent: they do. Of another shell only what it reads as bash does counts as known. */
  runsBash?(): Promise<boolean>;
}

/** Time. Tests bring their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects with an AbortError when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Named values of the session. A tool needs the effect `state(name)`; changing one needs `change: true`. */
export interface State {
  get<T>(name: string): T | undefined;
  set<T>(name: string, value: T): void;
}
