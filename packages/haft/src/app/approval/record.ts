import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { ApprovalRequest, Outcome } from "@haft/core/approval";
import { isAlive } from "@haft/host";

/** A question on disk, in the folder of its session, readable by its owner only. */
export interface ApprovalRecord {
  readonly version: 1;
  readonly session: string;
  readonly request: ApprovalRequest;
  /** The digest of everything to decide. An answer counts only for the digest that it names. */
  readonly digest: string;
  /** ISO 8601. */
  readonly askedAt: string;
  /** The process that asked. */
  readonly pid: number;
  /** The same with its start time: after its end, another one may have its id. Absent in records of older versions. */
  readonly mark?: string;
  /** `open`: a process waits. `left`: nobody waits, and the same call takes up the answer. `ended`: it is over. */
  readonly state: "open" | "left" | "ended";
  readonly outcome?: Outcome;
}

/** An answer on disk, bound to its question in three ways. */
export interface AnswerRecord {
  readonly version: 1;
  readonly requestId: string;
  readonly callId: string;
  readonly digest: string;
  readonly answer: unknown;
  readonly by: string;
  readonly at: string;
}

/** Larger than any request or answer; a bigger file was not written by Haft. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Whether a text is a valid request id: it becomes a file name. */
export const isRequestId = (id: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(id);

const recordFile = (folder: string, id: string): string => join(folder, `${id}.json`);
const answerFile = (folder: string, id: string): string => join(folder, `${id}.answer.json`);

/**
 * A digest of the question: everything shown, the asker, and the rules in force. It excludes ids and the time, so the same
 * call after a restart has the same digest.
 */
export function digestOf({ id: _id, callId: _callId, expiresAt: _expiresAt, ...question }: ApprovalRequest): string {
  return createHash("sha256").update(JSON.stringify(question, sortedKeys)).digest("hex");
}

function sortedKeys(_key: string, item: unknown): unknown {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
  return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Writes a question atomically. */
export function writeRecord(folder: string, record: ApprovalRecord): void {
  const file = recordFile(folder, record.request.id);
  renameSync(draft(folder, file, record), file);
}

/** Writes an answer if there is none yet; the first of two concurrent ones wins. `false`: there was one already. */
export function writeAnswer(folder: string, answer: AnswerRecord): boolean {
  const file = answerFile(folder, answer.requestId);
  const written = draft(folder, file, answer);
  try {
    linkSync(written, file);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw thrown;
  } finally {
    rmSync(written, { force: true });
  }
}

/** Writes an answer in place of any other: the one that has been taken, bound to the call that asks now. */
export const replaceAnswer = (folder: string, answer: AnswerRecord): void =>
  renameSync(draft(folder, answerFile(folder, answer.requestId), answer), answerFile(folder, answer.requestId));

let drafts = 0;

function draft(folder: string, file: string, value: object): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = `${file}.${process.pid}.${++drafts}.new`;
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    writeSync(descriptor, `${JSON.stringify(value)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return path;
}

/** A question, or the reason why its file cannot be trusted; `undefined` if there is no such file. */
export function readRecord(folder: string, id: string): ApprovalRecord | string | undefined {
  const value = readOwn(recordFile(folder, id));
  if (value === undefined || typeof value === "string") return value;
  const record = value as Partial<ApprovalRecord>;
  if (record.version !== 1 || record.request?.id !== id || typeof record.digest !== "string")
    return "Haft did not write this question";
  if (digestOf(record.request) !== record.digest) return "it was altered after it was written";
  return record as ApprovalRecord;
}

/** An answer given elsewhere, or the reason why its file is invalid; `undefined` if there is none yet. */
export function readAnswer(folder: string, id: string): AnswerRecord | string | undefined {
  const value = readOwn(answerFile(folder, id));
  if (value === undefined || typeof value === "string") return value;
  const answer = value as Partial<AnswerRecord>;
  const isWhole = answer.version === 1 && [answer.callId, answer.digest, answer.by].every((s) => typeof s === "string");
  return isWhole && answer.requestId === id ? (answer as AnswerRecord) : "it is not an answer to this question";
}

export const hasAnswer = (folder: string, id: string): boolean => existsSync(answerFile(folder, id));

export const dropAnswer = (folder: string, id: string): void => rmSync(answerFile(folder, id), { force: true });

/** Every trusted question of a session, oldest first. */
export function readRecords(folder: string): ApprovalRecord[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => /^([A-Za-z0-9][A-Za-z0-9_-]*)\.json$/.exec(name)?.[1] ?? [])
    .map((id) => readRecord(folder, id))
    .filter((record): record is ApprovalRecord => typeof record === "object")
    .sort((a, b) => (a.askedAt < b.askedAt ? -1 : 1));
}

/** Reads a plain file that only this user may write. Only that proves that the content is theirs. */
function readOwn(path: string): object | string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ENOENT" ? undefined : "it is not a plain file";
  }
  try {
    const stat = fstatSync(descriptor);
    const isOurs = process.getuid === undefined || stat.uid === process.getuid();
    if (!stat.isFile() || !isOurs || (process.getuid && (stat.mode & 0o022) !== 0))
      return "it does not belong to this user";
    if (stat.size > MAX_BYTES) return "it is too large";
    const value: unknown = JSON.parse(readFileSync(descriptor, "utf8"));
    return typeof value === "object" && value !== null ? value : "it is not an object";
  } catch {
    return "it cannot be read";
  } finally {
    closeSync(descriptor);
  }
}

/** Whether the process that asked still waits. */
export function isWaiting({ state, pid, mark }: ApprovalRecord): boolean {
  if (state !== "open") return false;
  if (mark !== undefined) return isAlive(mark);
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
