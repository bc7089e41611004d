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
export async function tableApprovals(options: TableOptions): Promise<TableApprovals> {
  const approvals = new StoredApprovals(options);
  await approvals.refresh();
  return approvals;
}

class StoredApprovals implements TableApprovals {
  readonly #options: TableOptions;
  readonly #rows = new Map<string, StoredApproval>();
  /** The latest revision of each row, also of those that have ended. */
  readonly #revisions = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting>();
  /** Questions with a yes whose call has not started yet. */
  readonly #taken = new Map<string, { readonly row: StoredApproval; readonly outcome: Outcome }>();
  #answers: Promise<void> = Promise.resolve();
  #looking: Promise<void> | undefined;
  #unwatch: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TableOptions) {
    this.#options = options;
  }

  left(): readonly ApprovalRequest[] {
    return this.#left().map(({ request }) => request);
  }

  answer(id: string, answer: unknown, by: string): Receipt {
    const row = this.#left().find((one) => one.id === id);
    if (!row) return { accepted: false, reason: "unknown_request", message: `There is no request "${id}".` };
    if (row.state === "answered")
      return { accepted: false, reason: "already_settled", message: `The request "${id}" has an answer already.` };
    const answered = { ...row, revision: row.revision + 1, state: "answered", answer: { answer, by } } as const;
    this.#rows.set(id, answered);
    this.#answers = this.#answers
      .then(() => this.#put(answered))
      .catch((thrown: Error) => {
        this.#rows.delete(id);
        this.#ignored(id, thrown.message);
      });
    return { accepted: true };
  }

  async open(request: ApprovalRequest): Promise<{ readonly id: string; readonly given?: Given }> {
    const { session, clock } = this.#options;
    await this.#answers;
    await this.refresh();
    const digest = digestOf(request);
    const earlier = this.#left().find((row) => row.digest === digest);
    const given = earlier && !isExpired(earlier.request) ? earlier.answer : undefined;
    const id = earlier?.id ?? request.id;
    const row: StoredApproval = {
      ...{ id, session, digest, revision: (earlier?.revision ?? 0) + 1 },
      ...(given ? { state: "answered", answer: given } : { state: "open" }),
      ...{ request: { ...request, id }, askedAt: earlier?.askedAt ?? new Date(clock.now()).toISOString() },
    };
    // The next revision: of two processes that take up one answer, the second cannot store its row.
    await this.#put(row);
    this.#waiting.set(id, { row });
    return { id, ...(given ? { given } : {}) };
  }

  listen(id: string, hear: (given: Given) => Receipt): void {
    const entry = this.#waiting.get(id);
    if (entry) entry.hear = hear;
    this.#unwatch ??= this.#options.table.watch?.(this.#options.session, () => void this.#look());
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS);
  }

  async settle(id: string, outcome: Outcome, until?: "start"): Promise<void> {
    const entry = this.#waiting.get(id);
    if (!entry) return;
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.close();
    if (outcome.status === "unattended") return;
    const { answer: _, ...rest } = entry.row;
    const next = { ...rest, revision: entry.row.revision + 1 };
    if (until === undefined || outcome.status !== "answered") return this.#put({ ...next, state: "ended", outcome });
    const { answer, by } = outcome;
    const row = { ...next, state: "answered", answer: { answer, by } } as const;
    this.#taken.set(id, { row, outcome });
    await this.#put(row).catch((thrown) => {
      this.#taken.delete(id);
      throw thrown;
    });
  }

  async useUp(id: string): Promise<void> {
    const one = this.#taken.get(id);
    if (!one) return;
    this.#taken.delete(id);
    const { answer: _, ...rest } = one.row;
    await this.#put({ ...rest, revision: one.row.revision + 1, state: "ended", outcome: one.outcome });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unwatch?.();
    this.#timer = undefined;
    this.#unwatch = undefined;
  }

  async refresh(): Promise<void> {
    const { table, session, clock } = this.#options;
    const listed = await fromStore("approvals", clock, () => table.list(session));
    for (const row of listed) {
      if (row.revision < (this.#revisions.get(row.id) ?? 0)) throw outdated(row.id);
      if (row.session !== session || digestOf(row.request) !== row.digest)
        this.#ignored(row.id, "its question was altered");
      else this.#know(row);
    }
    const present = new Set(listed.map(({ id }) => id));
    for (const id of [...this.#rows.keys()]) if (!present.has(id) && !this.#waiting.has(id)) this.#rows.delete(id);
  }

  #left(): readonly StoredApproval[] {
    const rows = [...this.#rows.values()].filter(({ id }) => !this.#waiting.has(id) && !this.#taken.has(id));
    return rows.sort((a, b) => (a.askedAt < b.askedAt ? -1 : 1));
  }

  async #put(row: StoredApproval): Promise<void> {
    const { table, clock } = this.#options;
    if (!(await fromStore("approvals", clock, () => table.put(row)))) throw outdated(row.id);
    this.#know(row);
  }

  #know(row: StoredApproval): void {
    this.#revisions.set(row.id, row.revision);
    if (row.state === "ended") this.#rows.delete(row.id);
    else this.#rows.set(row.id, row);
  }

  #ignored(id: string, why: string): void {
    this.#options.onIgnored(`An answer to the approval ${id} was ignored: ${why}.`);
  }

  /** Looks for answers from elsewhere. One look at a time. */
  #look(): Promise<void> {
    this.#looking ??= this.refresh()
      .then(() => this.#hearAnswers())
      .catch(() => {})
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  #hearAnswers(): void {
    for (const [id, entry] of [...this.#waiting]) {
      const row = this.#rows.get(id);
      if (!entry.hear || row?.state !== "answered" || row.revision <= entry.row.revision) continue;
      entry.row = row;
      const receipt = row.answer && entry.hear(row.answer);
      if (receipt?.accepted !== false) continue;
      this.#ignored(id, receipt.message);
      const { answer: _, ...rest } = row;
      const open = { ...rest, revision: row.revision + 1, state: "open" } as const;
      entry.row = open;
      this.#put(open).catch(() => {});
    }
  }
}

const outdated = (id: string): HaftError =>
  new HaftError({
    code: "conflict",
    message: `The approval ${id} has changed: another process changed it, or the store returned old data.`,
    hint: "Nothing was run. Make the call again to be asked again.",
  });
