import { statSync } from "node:fs";
import { homedir } from "node:os";
import type { Asker } from "@haft/core/approval";
import type { CallEvent } from "@haft/core/executor";
import type { ToolLike } from "@haft/core/tool";
import type { JournalHints } from "@haft/journal";
import { isSessionId, readSessionLog, stateFolder } from "@haft/service";
import { openForCalls } from "../app/create-haft.ts";
import type { Haft, HaftOptions } from "../app/haft.ts";
import type { NoticeListener } from "../app/notice.ts";
import { real } from "../app/workspace.ts";
import { drawNotice } from "./draw-notice.ts";
import { UsageError } from "./exit-code.ts";
import type { CommonOptions } from "./options.ts";
import { processTerminal } from "./terminal/terminal.ts";

export interface OpenOptions {
  /** Default: nobody; with `--wait`, a person elsewhere. */
  readonly ask?: Asker | "host" | undefined;
  readonly onEvent?: (event: CallEvent) => void;
  /** A program makes the calls and may repeat them; a model that repeats itself is in a loop. */
  readonly fromProgram?: boolean;
  /** Write nothing to disk: for commands that run no tool. Existing grants and trust apply. */
  readonly lookOnly?: boolean;
  /** Start no MCP server: for commands that run nothing. */
  readonly withoutServers?: boolean;
  /** Start the configured MCP servers only where the settings want their tools served. */
  readonly servedServers?: boolean;
  /** Tools in addition to the built-in ones. */
  readonly tools?: readonly ToolLike[];
  /** Default: prints each notice on standard error. */
  readonly onNotice?: NoticeListener;
  /** Overrides the settings. */
  readonly model?: string | undefined;
  /** Milliseconds after which an unanswered approval counts as denied. */
  readonly approvalTimeoutMs?: number;
  /** The sessions that `--session last` considers. Default: all. */
  readonly lastOf?: (folder: string) => boolean;
}

/**
 * Opens Haft with the common options.
 *
 * @throws UsageError for an invalid option, HaftError for settings with an error.
 */
export async function openHaft(common: CommonOptions, options: OpenOptions = {}): Promise<Haft> {
  return openForCalls(await haftOptions(common, options));
}

/** The options of a Haft by those of the command line. @throws UsageError for an invalid one. */
export async function haftOptions(common: CommonOptions, options: OpenOptions = {}): Promise<HaftOptions> {
  const { ask = common.wait ? "host" : undefined, onEvent, fromProgram, lookOnly, withoutServers } = options;
  const { servedServers, tools, model, approvalTimeoutMs } = options;
  const { cwd, allow, ask: askRules, deny, settings } = common;
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`There is no folder ${cwd}.`, "Name a folder that exists with --cwd.");
  const folder = real(cwd);
  const mode = common.mode === undefined ? undefined : (await import("./mode.ts")).modeOf(common.mode);
  const session = sessionOf(common, options.lastOf);
  const queue =
    common.queue === undefined ? undefined : (await import("./command/queue/queue-options.ts")).queueOf(common);
  return {
    cwd: folder,
    rules: { allow, ask: askRules, deny },
    ...(mode ? { mode } : {}),
    ...(common.dialect === undefined ? {} : { dialect: common.dialect }),
    ...(settings === undefined ? {} : { settings }),
    ...(common.withoutUserSettings ? { withoutUserSettings: true } : {}),
    ...(common.trust ? { trusted: true } : {}),
    ...(session === undefined ? {} : { session }),
    ...(lookOnly ? { lookOnly } : {}),
    ...(withoutServers ? { mcpServers: false } : servedServers ? { mcpServers: "served" } : {}),
    ...(tools ? { tools } : {}),
    ...(model ? { model } : {}),
    ...(queue && !lookOnly ? { queue } : {}),
    ...(approvalTimeoutMs === undefined ? {} : { approvalTimeoutMs }),
    ...(fromProgram ? { loopGuard: false } : {}),
    ...(ask ? { ask } : {}),
    ...(onEvent ? { onEvent } : {}),
    journal: commandWays,
    onNotice: options.onNotice ?? ((notice) => processTerminal().tell(drawNotice(notice))),
  };
}

/** The commands that continue with the changes of a call. */
export const commandWays: JournalHints = {
  held: (id) => `\`haft held commit ${id}\` applies it, \`haft held discard ${id}\` discards it.`,
  forced: (id) => `\`haft held commit ${id} --force\` applies it all the same.`,
  undo: (call) => `\`haft undo --call ${call}\` undoes it.`,
};

/** The id for `--session`; `undefined` for a new session. `last` is the latest one whose folder matches, if any. */
export function sessionOf(
  { cwd, session }: Pick<CommonOptions, "cwd" | "session">,
  isWanted: (folder: string) => boolean = () => true,
  stateDir?: string,
): string | undefined {
  if (session === undefined) return undefined;
  if (session !== "last") {
    if (isSessionId(session)) return session;
    throw new UsageError(
      `"${session}" cannot be a session id.`,
      "Use letters, digits, _ . and -, at most 64; or last.",
    );
  }
  const state = stateFolder(real(homedir()), stateDir === undefined ? process.env : { HAFT_STATE_DIR: stateDir });
  const sessions = state.sessions(real(cwd));
  const last = sessions.find((id) => isWanted(state.session(real(cwd), id))) ?? sessions[0];
  if (last === undefined) throw new UsageError("This folder has no session yet.", "Leave --session out to start one.");
  return last;
}

/** Ids of the calls that a session has made before; they must not be used again. */
export function usedCallIds(haft: Pick<Haft, "session">, common: CommonOptions): Set<string> {
  const { path } = haft.session;
  if (common.session === undefined || path === undefined) return new Set();
  const ids = readSessionLog(path).entries.flatMap(({ t, id }) => (t === "call" && typeof id === "string" ? [id] : []));
  return new Set(ids);
}
