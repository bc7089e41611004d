import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { StateFolder } from "@haft/service";
import { approvalFolder } from "./open-approvals.ts";
import { type ApprovalRecord, isRequestId, readRecord, readRecords } from "./record.ts";

/** A question with its folder. */
export interface FoundApproval {
  readonly folder: string;
  readonly record: ApprovalRecord;
  /** The working directory of the session that asked, if its record names it. */
  readonly cwd?: string;
}

/** The questions of a workspace's sessions, or of one of them, oldest first. */
export function findApprovals(state: StateFolder, cwd: string, session?: string): readonly FoundApproval[] {
  const sessions = session === undefined ? state.sessions(cwd) : [session];
  return inOrder(
    sessions
      .map((id) => approvalFolder(state.session(cwd, id)))
      .flatMap((folder) => readRecords(folder).map((record) => ({ folder, record, cwd }))),
  );
}

/** The questions of folders as they were read, for somebody who looks again and again. */
export type ReadFolders = Map<string, { readonly changedAt: number; readonly found: readonly FoundApproval[] }>;

/**
 * The questions of all sessions, agents and schedules of the user, in every folder, oldest first. With `read`, a folder
 * is read again only after a change. Sessions that are `skipped` are not read.
 */
export function everyApproval(
  state: StateFolder,
  read: ReadFolders = new Map(),
  skipped: ReadonlySet<string> = new Set(),
): readonly FoundApproval[] {
  return inOrder(everySession(state).flatMap(({ id, path }) => (skipped.has(id) ? [] : approvalsIn(path, read))));
}

/** One question of the user, in whatever folder. Reads no other question. */
export function approvalWith(state: StateFolder, id: string): FoundApproval | undefined {
  if (!isRequestId(id)) return undefined;
  for (const { path } of everySession(state)) {
    const folder = approvalFolder(path);
    const record = readRecord(folder, id);
    if (typeof record === "object") return { folder, record };
  }
  return undefined;
}

function everySession(state: StateFolder): readonly { readonly id: string; readonly path: string }[] {
  const workspaces = join(state.root, "workspaces");
  return namesIn(workspaces).flatMap((workspace) => {
    const sessions = join(workspaces, workspace, "sessions");
    return namesIn(sessions).map((id) => ({ id, path: join(sessions, id) }));
  });
}

/** A change that follows another one this quickly may leave the time of a folder as it is. */
const SAME_TIME_MS = 2_000;

function approvalsIn(session: string, read: ReadFolders): readonly FoundApproval[] {
  const folder = approvalFolder(session);
  const changedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
  if (changedAt === undefined) return [];
  const known = read.get(folder);
  if (known?.changedAt === changedAt) return known.found;
  const records = readRecords(folder);
  const cwd = records.length === 0 ? undefined : folderOf(join(session, "session.jsonl"));
  const found = records.map((record) => ({ folder, record, ...(cwd === undefined ? {} : { cwd }) }));
  if (Date.now() - changedAt > SAME_TIME_MS) read.set(folder, { changedAt, found });
  return found;
}

const inOrder = (found: FoundApproval[]): readonly FoundApproval[] =>
  found.sort((a, b) => (a.record.askedAt < b.record.askedAt ? -1 : 1));

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Bytes of a record that are certain to hold its first line. */
const FIRST_BYTES = 16_384;

/** The working directory that the first line of a session's record names. */
function folderOf(record: string): string | undefined {
  try {
    const file = openSync(record, "r");
    try {
      const bytes = Buffer.alloc(FIRST_BYTES);
      const [line = ""] = bytes.toString("utf8", 0, readSync(file, bytes)).split("\n", 1);
      const { cwd } = JSON.parse(line) as { readonly cwd?: unknown };
      return typeof cwd === "string" ? cwd : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
