import type { ApprovalRequest, ApprovalStore, Given, Outcome, Receipt } from "@haft/core/approval";
import type { ApprovalTable, StoredApproval } from "@haft/core/host";
import { type Clock, HaftError } from "@haft/core/tool";
import { fromStore } from "../host/within-time.ts";
import { isExpired } from "./answer.ts";
import { digestOf } from "./record.ts";

/** Milliseconds between looks for answers, where the store does not report changes. */
const LOOK_MS = 250;

/** The questions of a session in a store of the host's own. */
export interface TableApprovals extends ApprovalStore {
  /** Questions for which this process does not wait, oldest first. */
  left(): readonly ApprovalRequest[];
  /** Answers one of them. The answer counts when the same call is made again. */
  answer(id: string, answer: unknown, by: string): Receipt;
  close(): void;
}

interface TableOptions {
  readonly table: ApprovalTable;
  readonly session: string;
  readonly clock: Clock;
  /** Receives the reason why an answer is ignored. */
  readonly onIgnored: (text: string) => void;
}

interface Waiting {
  row: StoredApproval;
  hear?: (given: Given) => Receipt;
}

/**
 * Opens the questions of a session. Every change is a comparison of revisions in the store, so an answer counts once,
 * whatever other processes do.
 *
 * @throws HaftError `execution_failed` if the store cannot be read.
 */
export async function tableApprovals({ table, session, clock, onIgnored }: TableOptions): Promise<TableApprovals> {
  const rows = new Map<string, StoredApproval>();
  /** The latest revision of each row, also of those that have ended. */
  const revisions = new Map<string, number>();
  const waiting = new Map<string, Waiting>();
  /** Questions with a yes whose call has not started yet. */
  const taken = new Map<string, { readonly row: StoredApproval; readonly outcome: Outcome }>();
  let answers: Promise<void> = Promise.resolve();
  let looking: Promise<void> | undefined;
  let unwatch: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function refresh(): Promise<void> {
    const listed = await fromStore("approvals", clock, () => table.list(session));
    for (const row of listed) {
      if (row.revision < (revisions.get(row.id) ?? 0)) throw outdated(row.id);
      if (row.session !== session || digestOf(row.request) !== row.digest) ignored(row.id, "its question was altered");
      else know(row);
    }
    const present = new Set(listed.map(({ id }) => id));
    for (const id of [...rows.keys()]) if (!present.has(id) && !waiting.has(id)) rows.delete(id);
  }

  async function put(row: StoredApproval): Promise<void> {
    if (!(await fromStore("approvals", clock, () => table.put(row)))) throw outdated(row.id);
    know(row);
  }

  function know(row: StoredApproval): void {
    revisions.set(row.id, row.revision);
    if (row.state === "ended") rows.delete(row.id);
    else rows.set(row.id, row);
  }

  const ignored = (id: string, why: string): void =>
    onIgnored(`An answer to the approval ${id} does not count: ${why}.`);

  /** Looks for answers from elsewhere. One look at a time. */
  function look(): Promise<void> {
    looking ??= refresh()
      .then(hearAnswers)
      .catch(() => {})
      .finally(() => {
        looking = undefined;
      });
    return looking;
  }

  function hearAnswers(): void {
    for (const [id, entry] of [...waiting]) {
      const row = rows.get(id);
      if (!entry.hear || row?.state !== "answered" || row.revision <= entry.row.revision) continue;
      entry.row = row;
      const receipt = row.answer && entry.hear(row.answer);
      if (receipt?.accepted !== false) continue;
      ignored(id, receipt.message);
      const { answer: _, ...rest } = row;
      const open = { ...rest, revision: row.revision + 1, state: "open" } as const;
      entry.row = open;
      put(open).catch(() => {});
    }
  }

  function stop(): void {
    clearInterval(timer);
    unwatch?.();
    timer = undefined;
    unwatch = undefined;
  }

  const left = (): readonly StoredApproval[] =>
    [...rows.values()]
      .filter(({ id }) => !waiting.has(id) && !taken.has(id))
      .sort((a, b) => (a.askedAt < b.askedAt ? -1 : 1));

  await refresh();
  return {
    left: () => left().map(({ request }) => request),
    answer(id, answer, by) {
      const row = left().find((one) => one.id === id);
      if (!row) return { accepted: false, reason: "unknown_request", message: `There is no request "${id}".` };
      if (row.state === "answered")
        return { accepted: false, reason: "already_settled", message: `The request "${id}" has an answer already.` };
      const answered = { ...row, revision: row.revision + 1, state: "answered", answer: { answer, by } } as const;
      rows.set(id, answered);
      answers = answers
        .then(() => put(answered))
        .catch((thrown: Error) => {
          rows.delete(id);
          ignored(id, thrown.message);
        });
      return { accepted: true };
    },
    async open(request) {
      await answers;
      await refresh();
      const digest = digestOf(request);
      const earlier = left().find((row) => row.digest === digest);
      const given = earlier && !isExpired(earlier.request) ? earlier.answer : undefined;
      const id = earlier?.id ?? request.id;
      const row: StoredApproval = {
        ...{ id, session, digest, revision: (earlier?.revision ?? 0) + 1 },
        ...(given ? { state: "answered", answer: given } : { state: "open" }),
        ...{ request: { ...request, id }, askedAt: earlier?.askedAt ?? new Date(clock.now()).toISOString() },
      };
      // The next revision: of two processes that take up one answer, the second cannot store its row.
      await put(row);
      waiting.set(id, { row });
      return { id, ...(given ? { given } : {}) };
    },
    listen(id, hear) {
      const entry = waiting.get(id);
      if (entry) entry.hear = hear;
      unwatch ??= table.watch?.(session, () => void look());
      timer ??= setInterval(() => void look(), LOOK_MS);
    },
    async settle(id, outcome, until) {
      const entry = waiting.get(id);
      if (!entry) return;
      waiting.delete(id);
      if (waiting.size === 0) stop();
      if (outcome.status === "unattended") return;
      const { answer: _, ...rest } = entry.row;
      const next = { ...rest, revision: entry.row.revision + 1 };
      if (until === undefined || outcome.status !== "answered") return put({ ...next, state: "ended", outcome });
      const { answer, by } = outcome;
      const row = { ...next, state: "answered", answer: { answer, by } } as const;
      taken.set(id, { row, outcome });
      await put(row).catch((thrown) => {
        taken.delete(id);
        throw thrown;
      });
    },
    async useUp(id) {
      const one = taken.get(id);
      if (!one) return;
      taken.delete(id);
      const { answer: _, ...rest } = one.row;
      await put({ ...rest, revision: one.row.revision + 1, state: "ended", outcome: one.outcome });
    },
    close: stop,
  };
}

const outdated = (id: string): HaftError =>
  new HaftError({
    code: "conflict",
    message: `The approval ${id} is no longer as this process knows it: another process has changed it, or the store returned old data.`,
    hint: "Nothing was run. Make the call again: it is then asked anew.",
  });
