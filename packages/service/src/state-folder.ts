import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { dropOldSessions, type Retention, tidySessions } from "./old-sessions.ts";

/** The folders of Haft's persistent state. They are never inside a workspace, because an agent may write there. */
export interface StateFolder {
  readonly root: string;
  /** The folder of one workspace, by its real path. */
  workspace(path: string): string;
  /** The folder of one session of a workspace. */
  session(workspace: string, id: string): string;
  /** Ids of a workspace's sessions, the latest first, without those whose record could not even be started. */
  sessions(workspace: string): string[];
  /** Deletes the sessions of a workspace that are too old or too many. The latest one and open ones stay. Returns the ids. */
  prune(workspace: string, keep: Retention): readonly string[];
  /** The same once a day, and without the long outputs of sessions that nobody has continued for 30 days. */
  tidy(workspace: string, keep: Retention): void;
}

/**
 * `HAFT_STATE_DIR`, else `$XDG_STATE_HOME/haft`, else `~/.local/state/haft` (XDG Base Directory Specification 0.8).
 */
export function stateFolder(
  home: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): StateFolder {
  const { HAFT_STATE_DIR: own, XDG_STATE_HOME: states = "" } = env;
  // The specification says to ignore a relative folder: it would be inside the project.
  const root = own || join(isAbsolute(states) ? states : join(home, ".local", "state"), "haft");
  const workspace = (path: string): string => {
    const name = (basename(path) || "root").replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 40);
    return join(root, "workspaces", `${name}-${createHash("sha256").update(path).digest("hex").slice(0, 16)}`);
  };
  const sessionsOf = (path: string): string => join(workspace(path), "sessions");
  const session = (path: string, id: string): string => join(sessionsOf(path), id);
  const folder: StateFolder = {
    root,
    workspace,
    session,
    prune: (path, keep) => dropOldSessions(sessionsOf(path), keep),
    tidy: (path, keep) => tidySessions(sessionsOf(path), keep),
    sessions(path) {
      const all = sessionsOf(path);
      if (!existsSync(all)) return [];
      const changed = new Map<string, number>();
      for (const id of readdirSync(all)) {
        const record = join(all, id, "session.jsonl");
        const found = statSync(record, { throwIfNoEntry: false });
        if (found && hasBegun(record, found.size)) changed.set(id, found.mtimeMs);
      }
      return [...changed.keys()].sort((a, b) => (changed.get(b) ?? 0) - (changed.get(a) ?? 0) || (a < b ? 1 : -1));
    },
  };
  return folder;
}

/** On a full disk, a record is empty or ends in its first line: nothing happened in that session. */
const hasBegun = (record: string, size: number): boolean =>
  size > FIRST_LINE || (size > 0 && readFileSync(record).includes("\n"));

/** Bytes that a record's first line never reaches: it holds a folder's name and a few words. */
const FIRST_LINE = 16_384;

/** Ids sort by time: the date and time in UTC, then four random characters. */
export function newSessionId(now = new Date()): string {
  const stamp = now.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${stamp}-${Math.random().toString(36).slice(2, 6).padEnd(4, "0")}`;
}

/** Whether a text is a valid session id: it becomes a folder name. */
export const isSessionId = (id: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(id);
