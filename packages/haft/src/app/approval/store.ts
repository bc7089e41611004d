import { type FSWatcher, mkdirSync, watch } from "node:fs";
import type { ApprovalStore, Given, Outcome, Receipt } from "@haft/core/approval";
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
export function approvalFiles({ folder, session, onIgnored }: ApprovalFilesOptions): ApprovalFiles {
  const waiting = new Map<string, { readonly record: ApprovalRecord; readonly hear?: (given: Given) => Receipt }>();
  /** Questions with a yes whose call has not started yet, as they are written when it does. */
  const taken = new Map<string, ApprovalRecord>();
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Ids of questions that may be unanswered. Read from the folder once: a long session has many that are over. */
  let known: Set<string> | undefined;

  function left(): ApprovalRecord[] {
    known ??= new Set(readRecords(folder).flatMap(({ state, request }) => (state === "ended" ? [] : [request.id])));
    return [...known].flatMap((id) => {
      // Read again now: another process of this session may have taken it up.
      const record = waiting.has(id) || taken.has(id) ? undefined : readRecord(folder, id);
      if (typeof record !== "object" || record.state === "ended") return [];
      return record.pid === process.pid || !isWaiting(record) ? [record] : [];
    });
  }

  /** The answer to a question, if it matches. An answer that does not match is removed, so that another can be given. */
  function answerTo({ request, digest }: ApprovalRecord): Given | undefined {
    const found = readAnswer(folder, request.id);
    if (found === undefined) return undefined;
    if (typeof found === "string") return ignore(request.id, found);
    if (found.callId !== request.callId || found.digest !== digest)
      return ignore(request.id, "it was given to another call, or to this one as it was before");
    return { answer: found.answer, by: found.by };
  }

  function ignore(id: string, why: string): undefined {
    dropAnswer(folder, id);
    onIgnored(`An answer to the approval ${id} does not count: ${why}.`);
  }

  function look(): void {
    for (const [id, { record, hear }] of [...waiting]) {
      if (!hear || !hasAnswer(folder, id)) continue;
      const given = answerTo(record);
      const receipt = given && hear(given);
      if (receipt?.accepted === false) ignore(id, receipt.message);
    }
  }

  /** Keeps a yes as an answer on disk until its call starts: after a kill, the same call takes it up there. */
  function keep(record: ApprovalRecord, outcome: Outcome): void {
    if (outcome.status !== "answered") return;
    const { digest, request } = record;
    taken.set(request.id, { ...record, state: "ended", outcome });
    const bound = { requestId: request.id, callId: request.callId, digest };
    replaceAnswer(folder, {
      version: 1,
      ...bound,
      answer: outcome.answer,
      by: outcome.by,
      at: new Date().toISOString(),
    });
  }

  function start(): void {
    timer ??= setInterval(look, LOOK_MS);
    try {
      watcher ??= watch(folder, look).on("error", () => {});
    } catch {
      // Ignored: some file systems cannot be watched, and polling is enough.
    }
  }

  function stop(): void {
    clearInterval(timer);
    watcher?.close();
    timer = undefined;
    watcher = undefined;
  }

  return {
    left,
    open(request) {
      const digest = digestOf(request);
      const earlier = left().find((record) => record.digest === digest);
      if (earlier && isExpired(earlier.request)) dropAnswer(folder, earlier.request.id);
      const given = earlier && answerTo(earlier);
      const id = earlier?.request.id ?? request.id;
      const record: ApprovalRecord = {
        version: 1,
        session,
        request: { ...request, id },
        digest,
        askedAt: new Date().toISOString(),
        pid: process.pid,
        state: "open",
      };
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeRecord(folder, record);
      waiting.set(id, { record });
      known?.add(id);
      return { id, ...(given ? { given } : {}) };
    },
    listen(id, hear) {
      const entry = waiting.get(id);
      if (entry) waiting.set(id, { ...entry, hear });
      start();
    },
    settle(id, outcome, until) {
      const entry = waiting.get(id);
      if (!entry) return;
      waiting.delete(id);
      if (waiting.size === 0) stop();
      if (until === "start") return keep(entry.record, outcome);
      const state = outcome.status === "unattended" ? "left" : "ended";
      writeRecord(folder, { ...entry.record, state, ...(state === "ended" ? { outcome } : {}) });
      if (state === "left") return;
      known?.delete(id);
      dropAnswer(folder, id);
    },
    useUp(id) {
      const record = taken.get(id);
      if (!record) return;
      taken.delete(id);
      known?.delete(id);
      writeRecord(folder, record);
      dropAnswer(folder, id);
    },
    close: stop,
  };
}
