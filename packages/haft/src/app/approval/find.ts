import type { StateFolder } from "@haft/tools";
import { approvalFolder } from "./open-approvals.ts";
import { type ApprovalRecord, readRecords } from "./record.ts";

/** A question with its folder. */
export interface FoundApproval {
  readonly folder: string;
  readonly record: ApprovalRecord;
}

/** The questions of a workspace's sessions, or of one of them, oldest first. */
export function findApprovals(state: StateFolder, cwd: string, session?: string): readonly FoundApproval[] {
  const sessions = session === undefined ? state.sessions(cwd) : [session];
  return sessions
    .map((id) => approvalFolder(state.session(cwd, id)))
    .flatMap((folder) => readRecords(folder).map((record) => ({ folder, record })))
    .sort((a, b) => (a.record.askedAt < b.record.askedAt ? -1 : 1));
}
