import { type FSWatcher, mkdirSync, watch } from "node:fs";
import type { ApprovalRequest, ApprovalStore, Given, Outcome, Receipt } from "@haft/core/approval";
import { ownMark } from "@haft/host";
import { isExpired } from "./answer.ts";
import {
  type ApprovalRecord,
  digestOf,
  dropAnswer,
  hasAnswer,
  isWaiting,
  readAnswer,
  readRecord,
  readRecords,
  replaceAnswer,
  writeRecord,
} from "./record.ts";

/** Polling interval in milliseconds for answers, where the file system does not notify. */
const LOOK_MS = 150;

/** The questions of one session in files. They outlast the process, and any process of the user may answer them. */
export interface ApprovalFiles extends ApprovalStore {
  /** Questions for which no process waits, oldest first. */
  left(): readonly ApprovalRecord[];
  close(): void;
}

export interface ApprovalFilesOptions {
  readonly folder: string;
  readonly session: string;
  /** Receives the reason why an answer is ignored. */
  readonly onIgnored: (text: string) => void;
}

/** Opens the questions of a session. Nothing is written or watched before the first question. */
export const approvalFiles = (options: ApprovalFilesOptions): ApprovalFiles => new FileApprovals(options);

class FileApprovals implements ApprovalFiles {
  readonly #options: ApprovalFilesOptions;
  readonly #waiting = new Map<string, { readonly record: ApprovalRecord; readonly hear?: (given: Given) => Receipt }>();
  /** Questions with a yes whose call has not started yet, as they are written when it does. */
  readonly #taken = new Map<string, ApprovalRecord>();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Ids of questions that may be unanswered. Read from the folder once: a long session has many that are over. */
  #known: Set<string> | undefined;

  constructor(options: ApprovalFilesOptions) {
    this.#options = options;
  }

  left(): ApprovalRecord[] {
    const { folder } = this.#options;
    this.#known ??= new Set(
      readRecords(folder).flatMap(({ state, request }) => (state === "ended" ? [] : [request.id])),
    );
    return [...this.#known].flatMap((id) => {
      // Read again now: another process of this session may have taken it up.
      const record = this.#waiting.has(id) || this.#taken.has(id) ? undefined : readRecord(folder, id);
      if (typeof record !== "object" || record.state === "ended") return [];
      return record.pid === process.pid || !isWaiting(record) ? [record] : [];
    });
  }

  open(request: ApprovalRequest): ReturnType<ApprovalStore["open"]> {
    const { folder, session } = this.#options;
    const digest = digestOf(request);
    const earlier = this.left().find((record) => record.digest === digest);
    if (earlier && isExpired(earlier.request)) dropAnswer(folder, earlier.request.id);
    const given = earlier && this.#answerTo(earlier);
    const id = earlier?.request.id ?? request.id;
    const record: ApprovalRecord = {
      version: 1,
      session,
      request: { ...request, id },
      digest,
      askedAt: new Date().toISOString(),
      ...{ pid: process.pid, mark: ownMark() },
      state: "open",
    };
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeRecord(folder, record);
    this.#waiting.set(id, { record });
    this.#known?.add(id);
    return { id, ...(given ? { given } : {}) };
  }

  listen(id: string, hear: (given: Given) => Receipt): void {
    const entry = this.#waiting.get(id);
    if (entry) this.#waiting.set(id, { ...entry, hear });
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS);
    try {
      this.#watcher ??= watch(this.#options.folder, () => this.#look()).on("error", () => {});
    } catch {
      // Ignored: some file systems cannot be watched, and polling is enough.
    }
  }

  settle(id: string, outcome: Outcome, until?: "start"): void {
    const { folder } = this.#options;
    const entry = this.#waiting.get(id);
    if (!entry) return;
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.close();
    if (until === "start") {
      this.#keep(entry.record, outcome);
      return;
    }
    const state = outcome.status === "unattended" ? "left" : "ended";
    writeRecord(folder, { ...entry.record, state, ...(state === "ended" ? { outcome } : {}) });
    if (state === "left") return;
    this.#known?.delete(id);
    dropAnswer(folder, id);
  }

  useUp(id: string): void {
    const { folder } = this.#options;
    const record = this.#taken.get(id);
    if (!record) return;
    this.#taken.delete(id);
    this.#known?.delete(id);
    writeRecord(folder, record);
    dropAnswer(folder, id);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watcher?.close();
    this.#timer = undefined;
    this.#watcher = undefined;
  }

  #look(): void {
    for (const [id, { record, hear }] of [...this.#waiting]) {
      if (!hear || !hasAnswer(this.#options.folder, id)) continue;
      const given = this.#answerTo(record);
      const receipt = given && hear(given);
      if (receipt?.accepted === false) this.#ignore(id, receipt.message);
    }
  }

  /** Keeps a yes as an answer on disk until its call starts: after a kill, the same call takes it up there. */
  #keep(record: ApprovalRecord, outcome: Outcome): void {
    if (outcome.status !== "answered") return;
    const { digest, request } = record;
    this.#taken.set(request.id, { ...record, state: "ended", outcome });
    const bound = { requestId: request.id, callId: request.callId, digest };
    replaceAnswer(this.#options.folder, {
      version: 1,
      ...bound,
      answer: outcome.answer,
      by: outcome.by,
      at: new Date().toISOString(),
    });
  }

  /** The answer to a question, if it matches. An answer that does not match is removed, so that another can be given. */
  #answerTo({ request, digest }: ApprovalRecord): Given | undefined {
    const found = readAnswer(this.#options.folder, request.id);
    if (found === undefined) return undefined;
    if (typeof found === "string") return this.#ignore(request.id, found);
    if (found.callId !== request.callId || found.digest !== digest)
      return this.#ignore(request.id, "it was for another call, or for an earlier version of this one");
    return { answer: found.answer, by: found.by };
  }

  #ignore(id: string, why: string): undefined {
    dropAnswer(this.#options.folder, id);
    this.#options.onIgnored(`An answer to the approval ${id} was ignored: ${why}.`);
  }
}
