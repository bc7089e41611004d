import { randomUUID } from "node:crypto";
import { join } from "node:path";
import {
  type ApprovalRequest,
  type Broker,
  createBroker,
  type NamedAsker,
  type PendingApproval,
  type Receipt,
} from "@haft/core/approval";
import type { Clock } from "@haft/core/tool";
import { answerRecord } from "./answer.ts";
import { approvalFiles } from "./store.ts";
import type { TableApprovals } from "./table-approvals.ts";

export interface OpenApprovals {
  readonly session: { readonly id: string; readonly dir: string | undefined };
  readonly askers: readonly NamedAsker[];
  readonly hostAnswers: boolean;
  readonly clock: Clock;
  readonly timeoutMs?: number;
  readonly onIgnored: (text: string) => void;
  /** The store of the host's own, in place of files. */
  readonly table?: TableApprovals;
}

/** The questions of a session: those that this process waits for, and those left by an earlier process. */
export interface Approvals {
  readonly broker: Broker;
  /** All questions that can be answered, oldest first. */
  pending(): readonly ApprovalRequest[];
  /** Answers one of them. The answer to a question from an earlier process is kept until its call is made again. */
  answer(id: string, answer: unknown, by: string): Receipt;
  /** Ends waiting calls, because the host is gone; stored questions stay for a later process. */
  close(): void;
}

/** The folder of a session's questions. */
export const approvalFolder = (sessionDir: string): string => join(sessionDir, "approvals");

/** Opens the approvals of a session. Without a folder they last as long as the process. */
export function openApprovals({ session, timeoutMs, onIgnored, table, ...options }: OpenApprovals): Approvals {
  const folder = table ? undefined : session.dir && approvalFolder(session.dir);
  const files = folder === undefined ? undefined : approvalFiles({ folder, session: session.id, onIgnored });
  const broker = createBroker({
    ...options,
    newId: randomUUID,
    onFault: (asker, why) =>
      onIgnored(
        `A question about a call got no answer: ${asker === "user" ? "the approval function" : asker} failed: ${why}`,
      ),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(table ? { store: table } : files ? { store: files } : {}),
  });
  const isLive = (id: string): boolean => broker.pending().some(({ request }) => request.id === id);
  return {
    broker,
    pending: () => [
      ...(table?.left() ?? []),
      ...(files?.left().map(({ request }) => request) ?? []),
      ...broker.pending().map(requestOf),
    ],
    answer(id, answer, by) {
      if (table && !isLive(id) && table.left().some((request) => request.id === id))
        return table.answer(id, answer, by);
      const isLeft = folder !== undefined && !isLive(id) && files?.left().some(({ request }) => request.id === id);
      return isLeft ? answerRecord(folder, id, answer, by) : broker.answer(id, answer, by);
    },
    close() {
      broker.close();
      files?.close();
      table?.close();
    },
  };
}

const requestOf = ({ request }: PendingApproval): ApprovalRequest => request;
