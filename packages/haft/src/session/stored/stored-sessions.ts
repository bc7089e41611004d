import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { HaftError } from "@haft/core/tool";
import { isOpenSession, type StateFolder, stateFolder } from "@haft/service";
import { conversationFile, conversationIn, openingIn } from "../../agent/index.ts";
import type { HaftOptions } from "../../app/haft.ts";
import { real } from "../../app/workspace.ts";

/** A conversation that can be continued. */
export interface StoredSession {
  readonly id: string;
  /** The first request that a summary has not replaced, in one line. */
  readonly title: string;
  readonly updatedAt: Date;
  readonly messages: number;
}

/** The folder whose sessions are meant, and where they are kept. */
export type SessionPlace = Pick<HaftOptions, "cwd" | "home" | "stateDir" | "env">;

/** Sessions as they were read, for somebody who lists them again and again. */
export type ReadSessions = Map<string, { readonly changedAt: number; readonly session: StoredSession | undefined }>;

/** The conversations of a folder, the latest first. With `read`, a conversation is read again only after a change. */
export function storedSessions(place: SessionPlace, read: ReadSessions = new Map()): readonly StoredSession[] {
  const { state, cwd } = open(place);
  return (state?.sessions(cwd) ?? []).flatMap((id) => {
    const folder = state!.session(cwd, id);
    const updatedAt = statSync(join(folder, "session.jsonl"), { throwIfNoEntry: false })?.mtime ?? new Date(0);
    const changedAt = Math.max(
      updatedAt.getTime(),
      statSync(conversationFile(folder), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    );
    const known = read.get(id);
    const session = known?.changedAt === changedAt ? known.session : sessionIn(id, folder, updatedAt);
    read.set(id, { changedAt, session });
    return session ?? [];
  });
}

function sessionIn(id: string, folder: string, updatedAt: Date): StoredSession | undefined {
  const messages = conversationIn(folder);
  const first = messages.length === 0 ? undefined : openingIn(folder);
  if (first === undefined) return undefined;
  return { id, title: titleOf(first), updatedAt, messages: messages.length };
}

/** The session of that id, or the latest one for `last`. @throws HaftError `validation_failed` if there is none. */
export function storedSession(wanted: string, place: SessionPlace): { readonly id: string; readonly folder: string } {
  const { state, cwd } = open(place);
  const id = (state?.sessions(cwd) ?? []).find(
    (one) => (wanted === "last" || one === wanted) && conversationIn(state!.session(cwd, one)).length > 0,
  );
  if (id !== undefined) return { id, folder: state!.session(cwd, id) };
  throw new HaftError({
    code: "validation_failed",
    message:
      wanted === "last" ? "This folder has no conversation yet." : `This folder has no conversation "${wanted}".`,
    hint: "`haft sessions` lists its conversations.",
  });
}

/** The agent as which the session in a folder was last opened, if it was one of the agent files. */
export function recordedAgent(folder: string): string | undefined {
  const file = join(folder, "session.jsonl");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  // Only the line that matters is parsed: the record may have a hundred thousand.
  const at = `\n${text}`.lastIndexOf('\n{"t":"session"');
  const end = at < 0 ? -1 : text.indexOf("\n", at);
  const { agent }: { readonly agent?: unknown } = end < 0 ? {} : JSON.parse(text.slice(at, end));
  return typeof agent === "string" ? agent : undefined;
}

/**
 * Deletes a session with its record. Changes to files stay, and so does the journal that can undo them.
 *
 * @throws HaftError `validation_failed` if there is none, `conflict` while it is open.
 */
export function deleteSession(id: string, place: SessionPlace): void {
  const { folder } = storedSession(id, place);
  if (isOpenSession(folder))
    throw new HaftError({ code: "conflict", message: `Session ${id} is open in a process.`, hint: "Close it first." });
  rmSync(folder, { recursive: true, force: true });
}

function open({ cwd, home, stateDir, env }: SessionPlace): { readonly state?: StateFolder; readonly cwd: string } {
  const place = real(resolve(cwd ?? process.cwd()));
  if (stateDir === false) return { cwd: place };
  const where = stateDir === undefined ? (env ?? process.env) : { HAFT_STATE_DIR: resolve(stateDir) };
  return { state: stateFolder(real(home ?? homedir()), where), cwd: place };
}

const titleOf = (text: string): string => (text.trim().split("\n")[0] ?? "").slice(0, 80);
