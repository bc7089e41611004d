/**
 * Ports: the small interfaces through which tools reach the world. A call gets ports that are bound to its granted
 * effects; anything else fails with `undeclared_effect`. All paths that enter a port are absolute.
 */

import type { FileEntry, Match } from "../display.ts";
import type { Effect } from "../effect.ts";
import type { ToolError } from "../error.ts";
import type { Agents } from "./agents.ts";
import type { Bound } from "./bound.ts";
import type { Browser } from "./browser.ts";
import type { Catalog } from "./catalog.ts";
import type { Clock } from "./clock.ts";
import type { Documents, SmallModel } from "./documents.ts";
import type { HeldChanges } from "./held-changes.ts";
import type { Jobs } from "./jobs.ts";
import type { Net } from "./net.ts";
import type { Scripts } from "./scripts.ts";
import type { WebSearchPort } from "./search.ts";
import type { FileView, SeenFile } from "./seen.ts";
import type { Conversation, Inbox, Plans, SettingsStore, Worktrees } from "./session/session.ts";
import type { Skills } from "./session/skills.ts";
import type { Canvas, Channels, Languages, Memory, Schedules, Sessions } from "./shared/index.ts";
import type { Tasks } from "./tasks.ts";

/** The only ways from a tool to the world. A port that the host does not support is absent. */
export interface Ports {
  readonly files: Files;
  readonly processes: Processes;
  readonly net: Net;
  readonly clock: Clock;
  /** The session's state for its tools, such as todos. */
  readonly state: State;
  /** Background work, if the host supports it. */
  readonly jobs?: Jobs;
  /** Held changes of commands, if the host supports them. */
  readonly held?: HeldChanges;
  /** Converts untrusted documents to text, if the host can. It needs no effect: it touches nothing. */
  readonly documents?: Documents;
  /** Web searches, if a provider is set up. */
  readonly search?: WebSearchPort;
  readonly browser?: Browser;
  /** Language servers, if any can be started. */
  readonly language?: Languages;
  /** A model for small tasks, if the user chose one. */
  readonly model?: SmallModel;
  /** The deferred tools, if there are any. */
  readonly catalog?: Catalog;
  /** Other agents, if this one may start any. */
  readonly agents?: Agents;
  /** The shared task list, if the host has one. */
  readonly tasks?: Tasks;
  /** Plan mode, for the agent that may enter and leave it. */
  readonly plans?: Plans;
  /** New messages to the agent, if the host passes them on. */
  readonly inbox?: Inbox;
  /** The conversation as the model sees it, if the host lets it be cut. */
  readonly conversation?: Conversation;
  /** Prompts that run at given times, if the host stores them. */
  readonly schedules?: Schedules;
  /** The other sessions of this user, if the host knows them. */
  readonly sessions?: Sessions;
  /** An interpreter for scripts that call tools. */
  readonly scripts?: Scripts;
  /** Ways to reach people, set up by the user. */
  readonly channels?: Channels;
  /** A panel that shows pages, if a web console serves the session. */
  readonly panel?: Canvas;
  /** Facts that later sessions know, if the host stores them. */
  readonly memory?: Memory;
  /** Git worktrees, if the session may move. */
  readonly worktrees?: Worktrees;
  /** Settings that a model may see and propose to change. */
  readonly settings?: SettingsStore;
  readonly skills?: Skills;
}

/** The names of the ports, for a tool that declares its needs. */
export type PortName = keyof Ports;

/** The real location of a name. For a missing path: the real location of its nearest existing folder, plus the rest. */
export interface Location {
  readonly path: string;
  readonly kind: "file" | "directory" | "other" | "missing";
}

/** Facts about a path, from a look that does not open it. */
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
  /** The most frequent line end. */
  readonly eol: "\n" | "\r\n" | "\r";
  /** SHA-256 of the bytes on disk, hex. */
  readonly hash: string;
  /** Nothing proves the encoding. */
  readonly guessed?: true;
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
  /** Numbers of the lines that were cut because they exceed the limit. */
  readonly cut: readonly number[];
  /** SHA-256 of the file; only when it was read to its end. */
  readonly hash?: string;
  /** The text is UTF-8 with invalid bytes; each is shown as U+FFFD. */
  readonly damaged?: boolean;
  /** The encoding, if nothing proves it. */
  readonly guess?: string;
}

/**
 * The expected state of a file before a write. If it differs, the write fails with `file_changed` or `file_exists` and
 * changes nothing.
 */
export interface WriteExpectation {
  /** The hash that the file must still have, or `absent`. */
  readonly expect?: string;
}

/** A query for files by name. */
export interface FindQuery {
  /** Absolute folder to look in. */
  readonly root: string;
  readonly pattern: string;
  /** Leave out the files that .gitignore and similar files name. Default true. */
  readonly ignore?: boolean;
  /** Files for which this returns false do not exist for the query: they are neither returned nor counted. */
  readonly isVisible?: (path: string) => boolean;
  /** Maximum number of entries, the newest by modification time. */
  readonly limit: number;
  readonly signal?: AbortSignal;
  /** Called with the number of files seen so far. */
  readonly onCount?: (count: number) => void;
}

/** The files with matching names. */
export interface FindResult {
  /** Absolute paths, newest first. */
  readonly paths: readonly string[];
  /** Number of matches in all. */
  readonly total: number;
  /** Something below could not be read, so there may be more. */
  readonly unread?: true;
}

/** A query for texts in files. */
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
  /** Leave out the files that .gitignore and similar files name. Default true. */
  readonly ignore?: boolean;
  /** Files for which this returns false do not exist for the query: they are neither returned nor counted. */
  readonly isVisible?: (path: string) => boolean;
  /** The kind of result; `files` and `counts` let the engine stop early in each file. */
  readonly want: "lines" | "files" | "counts";
  /** Maximum number of hits (lines, files or counts). */
  readonly limit: number;
  /** Number of hits to skip at the start. */
  readonly offset?: number;
  readonly signal?: AbortSignal;
}

/** The result of a search, in the form that the query asked for. */
export interface SearchResult {
  readonly engine: "ripgrep" | "builtin";
  /** For `lines`: hits and their context, in order of path and line. */
  readonly matches: readonly (Match & { readonly context?: boolean })[];
  /** For `files` and `counts`: one entry a file. */
  readonly files: readonly { readonly path: string; readonly count: number }[];
  /** Number of hits in all (lines, or files), including those beyond the limit. */
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
   * A whole text file, in this `encoding` or the one that its bytes suggest. Fails with `file_not_found`, `is_directory`, `binary_file`, `file_too_large` (over `maxBytes`,
   * default 50 MB) or `permission_denied`.
   */
  text(path: string, options?: { readonly maxBytes?: number; readonly encoding?: string }): Promise<TextFile>;
  /** Lines `first` to `first + limit - 1`, each cut at `maxLineChars`. Streams: a 1 GB file does not need 1 GB of memory. */
  lines(
    path: string,
    window: {
      readonly first: number;
      readonly limit: number;
      readonly maxLineChars: number;
      /** Maximum number of characters in the window; it ends early at a whole line. */
      readonly maxChars?: number;
      /** The encoding, if the caller knows it. */
      readonly encoding?: string;
      readonly signal?: AbortSignal;
    },
  ): Promise<LineWindow>;
  /** Entries of a folder, folders first, then by name. Their `path` is the name alone. */
  list(path: string): Promise<readonly FileEntry[]>;
  /**
   * Replaces a file's text atomically. Encodes the text as `like` was (encoding, BOM). Keeps mode, owner, attributes and
   * symbolic links of an existing file. Makes missing parent folders. Returns the hash of the file now on disk, and the
   * `folders` that were made for it, the highest first. `otherNames` counts hard links that keep the old content,
   * `lostAttributes` names attributes that could not be kept, `lostOwner` the user who owned the old file and not this one.
   */
  write(
    path: string,
    data: string | Uint8Array,
    options?: WriteExpectation & {
      readonly like?: Pick<TextFile, "encoding" | "bom">;
      /** Permission bits of a new file. Default: the system's default for new files. */
      readonly mode?: number;
    },
  ): Promise<{
    readonly hash: string;
    readonly bytes: number;
    readonly folders?: readonly string[];
    readonly otherNames?: number;
    readonly lostAttributes?: readonly string[];
    readonly lostOwner?: number;
  }>;
  /**
   * Removes a regular file if it still matches the expectation. Links and folders are refused. Needs a `delete` effect.
   * Also removes those of `folders` (made by a write of the same call) that are then empty.
   */
  remove(path: string, options?: WriteExpectation & { readonly folders?: readonly string[] }): Promise<void>;
  /**
   * Lets `act` write several files, all or none of them. It rolls back what it cannot finish. If the host
   * keeps a journal, the journal does the same after a killed process.
   */
  together?<T>(act: () => Promise<T>): Promise<T>;
  find(query: FindQuery): Promise<FindResult>;
  search(query: SearchQuery): Promise<SearchResult>;
  /**
   * The configuration of the git repository that a folder belongs to, or `undefined`. Whether a git command only reads
   * depends on it, so it may be called before the decision.
   */
  gitConfig(folder: string): Promise<string | undefined>;
  /**
   * The tracked files of a folder's repository whose path in it passes `isWanted`. Whether a git command shows private
   * files depends on it, so it may also be called before the decision. A host without it asks more often.
   */
  gitTracked?(folder: string, isWanted: (path: string) => boolean): Promise<readonly string[]>;
  /**
   * Whether a small text file contains one of these words, or for a folder, whether the names below it do (each after a
   * slash: `/a/b`). If that cannot be determined, the answer is yes. For a folder and no words: whether a link below it
   * leads out of it. A command may depend on its program in a file, or on the names in a repository, so this
   * too may be called before the decision. A host without it asks more often. `shallow`: for a folder only its direct
   * entries; for a file of any size only its first bytes. `schema`: for an SQLite database the words of its schema, in
   * lower case with a space around each.
   */
  mentions?(
    path: string,
    words: readonly string[],
    options?: { readonly shallow?: boolean; readonly schema?: boolean },
  ): Promise<boolean>;
  /** The model's knowledge of a file in this session. A tool that reads a file shows the model nothing. */
  seen(path: string): Promise<SeenFile | undefined>;
  /** Records what this call shows the model of a file. It counts once the result has reached the model uncut. */
  show(path: string, view: FileView): Promise<void>;
  /**
   * The same for paths that are already real, as `locate` returns them. A path that now leads elsewhere is refused with
   * `conflict`, never followed. Calls that were decided on use these: a host that wraps a method must wrap it here too.
   */
  readonly exact?: Omit<Files, "exact">;
}

/** A script, and the options for running it. */
export interface RunRequest {
  /** A script for the shell, exactly as analysed and granted. */
  readonly command: string;
  readonly cwd: string;
  /** Timeout in milliseconds for the whole process group. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Variables to add to the environment that the host passes on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Output as it arrives, stdout and stderr in order of arrival. */
  readonly onOutput?: (chunk: string) => void;
  /**
   * The grant. A host with a sandbox confines the program to it; without a sandbox it has no effect, and the decision
   * must take that into account. It comes from the executor, never from a tool.
   */
  readonly bound?: Bound;
}

/** The result of a script. */
export interface RunOutcome {
  /** `null` when a signal ended the program. */
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** Both streams in order of arrival, decoded; if over the host's capture limit, only head and tail. */
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  /** The working directory of the shell at its end, if known. */
  readonly cwd?: string;
  /** Processes of the command that were still alive when it returned and hold its pipes. */
  readonly left: boolean;
  /** The background job that took over these processes. */
  readonly leftJob?: string;
  /** Names of leftover processes that were ended with it: one each, at most 50. */
  readonly endedWith?: readonly string[];
  /**
   * A guess at what the sandbox refused, in a sentence with a hint. It comes from the program's output: use it to offer
   * to ask for exactly that, never for a decision.
   */
  readonly denied?: string;
  /** Why some or all of its changes did not become real though they should have: callers that rely on them need this. */
  readonly unapplied?: ToolError;
  /** The additional effects that the grant would need, as far as known: enough to ask for exactly those and run again. */
  readonly missing?: readonly Effect[];
}

/** The files and programs that a command could run without naming them outright. */
export interface Startable {
  readonly cwd: string;
  readonly program?: string;
  /** Words that may be names of files; relative ones are relative to `cwd`. */
  readonly files: readonly string[];
}

/** Files by their absolute path, each with a fingerprint of its content. */
export type FileContents = Readonly<Record<string, string>>;

/** Programs, each in its own process group. A command returns when its program exits, even if children keep its pipes open. */
export interface Processes {
  run(request: RunRequest): Promise<RunOutcome>;
  /**
   * Prepares the sandbox for the next command of this kind ahead of time. If unused it is removed after a while. Does
   * nothing where nothing can be prepared.
   */
  prepare?(like: Pick<RunRequest, "cwd" | "bound">): Promise<void>;
  /** A program whose grant says `hold` runs without network and without private files, or not at all. */
  readonly fencesHeld?: true;
  /**
   * A fingerprint of a folder, and of a program started in it, as they are right now. It changes when a link is swapped
   * or a file replaced. With it a caller can check that the program about to start is the one that was decided on.
   */
  identify?(place: { readonly cwd: string; readonly program?: string }): Promise<string>;
  /** A digest of a script's whole text and of the names of the variables that are set for it. */
  digest?(script: Pick<RunRequest, "command" | "env">): string;
  /**
   * The files that determine what a command does, each with a fingerprint of its content: the existing ones of `files`,
   * and those that a program of this name reads by default (`package.json`, `Makefile`) from its folder.
   */
  contents?(command: Startable): Promise<FileContents>;
  /**
   * The file in a folder or above it that makes a project start a program of its own in place of the requested one, if
   * something in the PATH uses such files. Every command waits for the answer. It may be called before the decision.
   */
  replaced?(folder: string): string | undefined;
  /** Whether commands run in bash. Absent: yes. In another shell only the parts that it reads as bash does count as known. */
  runsBash?(): Promise<boolean>;
}

/** Named values of the session. A tool needs the effect `state(name)`; changing one needs `change: true`. */
export interface State {
  get<T>(name: string): T | undefined;
  set<T>(name: string, value: T): void;
}
