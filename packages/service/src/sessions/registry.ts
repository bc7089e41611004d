import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { SessionInfo } from "@haft/core/tool";
import { isAlive, ownMark } from "@haft/host";
import type { StateFolder } from "../state-folder.ts";
import { openDatabase } from "./database.ts";

/** A message between two sessions. */
export interface SessionMessage {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** `message`: for the agent. `reply`: the answer to a message. `result`: the result of a started session. */
  readonly kind: "message" | "reply" | "result";
  /** Number of messages that led to this one. */
  readonly hops: number;
  /** The strangers whose content the sender had read. */
  readonly sources: readonly string[];
  /** The id of the message that a reply belongs to. */
  readonly replyTo?: string;
}

/** A session that is being registered. */
export interface NewSession {
  readonly id: string;
  readonly kind: SessionInfo["kind"];
  readonly folder: string;
  readonly label?: string;
  readonly parent?: string;
  readonly model?: string;
}

/** The sessions of a user and the messages between them, shared by all processes of the machine. */
export interface SessionRegistry {
  /** Registers a live session of this process. */
  enter(session: NewSession): void;
  note(id: string, change: { readonly status?: "working" | "idle"; readonly model?: string }): void;
  leave(id: string): void;
  forget(id: string): void;
  get(id: string): SessionInfo | undefined;
  /** All of them, the latest activity first. */
  list(): readonly SessionInfo[];
  send(message: Omit<SessionMessage, "id">): string;
  /**
   * Takes the waiting messages of a live session of this process, in the order in which they were sent. Each is taken
   * once; `done` confirms it. Another process takes it only if this one dies before.
   */
  take(to: string, isWanted?: (message: SessionMessage) => boolean): readonly SessionMessage[];
  done(id: string): void;
  /** The reply to a message, once; it is then no longer delivered. */
  takeReply(to: string, replyTo: string): SessionMessage | undefined;
  /** Whether another process has changed anything since the last call. */
  hasChanged(): boolean;
  close(): void;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS session (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, folder TEXT NOT NULL, label TEXT, parent TEXT, model TEXT,
    owner TEXT, status TEXT NOT NULL, started_at INTEGER NOT NULL, active_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS message (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, sender TEXT NOT NULL, receiver TEXT NOT NULL,
    text TEXT NOT NULL, kind TEXT NOT NULL, hops INTEGER NOT NULL, sources TEXT NOT NULL, reply_to TEXT,
    at INTEGER NOT NULL, owner TEXT, done INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX IF NOT EXISTS waiting ON message (receiver, done, seq);
`;

/** Milliseconds after which messages that were read are removed. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Opens the registry of a user. */
export async function openSessionRegistry(state: Pick<StateFolder, "root">): Promise<SessionRegistry> {
  const database = await openDatabase(join(state.root, "sessions.db"), SCHEMA);
  const mark = ownMark();

  return {
    enter({ id, kind, folder, label, parent, model }) {
      const now = Date.now();
      database.run(
        `INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, 'idle', ?, ?)
         ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, status = 'idle', active_at = excluded.active_at,
           model = coalesce(excluded.model, model), label = coalesce(excluded.label, label)`,
        ...[id, kind, folder, label ?? null, parent ?? null, model ?? null, mark, now, now],
      );
      database.run("DELETE FROM message WHERE done = 1 AND at < ?", now - KEPT_MS);
    },
    note: (id, { status, model }) =>
      database.run(
        "UPDATE session SET status = coalesce(?, status), model = coalesce(?, model), active_at = ? WHERE id = ?",
        ...[status ?? null, model ?? null, Date.now(), id],
      ),
    leave: (id) => database.run("UPDATE session SET owner = NULL, active_at = ? WHERE id = ?", Date.now(), id),
    forget(id) {
      database.run("DELETE FROM session WHERE id = ?", id);
    },
    get: (id) => database.all("SELECT * FROM session WHERE id = ?", id).map(infoOf)[0],
    list: () => database.all("SELECT * FROM session ORDER BY active_at DESC, id DESC").map(infoOf),
    send({ from, to, text, kind, hops, sources, replyTo }) {
      const id = randomUUID();
      database.run(
        "INSERT INTO message (id, sender, receiver, text, kind, hops, sources, reply_to, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ...[id, from, to, text, kind, hops, JSON.stringify(sources), replyTo ?? null, Date.now()],
      );
      return id;
    },
    take(to, isWanted = () => true) {
      const waiting = "SELECT * FROM message WHERE receiver = ? AND done = 0 ORDER BY seq";
      // A reader does not block others, and mostly there is nothing.
      if (database.all(`${waiting} LIMIT 1`, to).length === 0) return [];
      return database.together(() => {
        const rows = database.all(waiting, to);
        const taken: SessionMessage[] = [];
        for (const row of rows) {
          const message = messageOf(row);
          if (!isWanted(message)) continue;
          // Messages stay in order: nothing overtakes one that another process still holds.
          if (row.owner !== null && isAlive(String(row.owner))) {
            if (row.owner === mark) continue;
            break;
          }
          database.run("UPDATE message SET owner = ? WHERE id = ?", mark, String(row.id));
          taken.push(message);
        }
        return taken;
      });
    },
    done: (id) => database.run("UPDATE message SET done = 1 WHERE id = ?", id),
    takeReply: (to, replyTo) =>
      database
        .all(
          "UPDATE message SET done = 1 WHERE receiver = ? AND reply_to = ? AND done = 0 AND owner IS NULL RETURNING *",
          to,
          replyTo,
        )
        .map(messageOf)[0],
    hasChanged: () => database.hasChanged(),
    close: () => database.close(),
  };
}

type Row = Readonly<Record<string, unknown>>;

function infoOf(row: Row): SessionInfo {
  const { id, kind, folder, label, parent, model, owner, status, active_at: activeAt } = row;
  return {
    id: String(id),
    kind: kind as SessionInfo["kind"],
    folder: String(folder),
    // The status of a killed process is not what it wrote last.
    status: owner !== null && isAlive(String(owner)) ? (status as "idle" | "working") : "ended",
    activeAt: new Date(Number(activeAt)).toISOString(),
    ...(label === null ? {} : { label: String(label) }),
    ...(parent === null ? {} : { parent: String(parent) }),
    ...(model === null ? {} : { model: String(model) }),
  };
}

const messageOf = (row: Row): SessionMessage => ({
  id: String(row.id),
  from: String(row.sender),
  to: String(row.receiver),
  text: String(row.text),
  kind: row.kind as SessionMessage["kind"],
  hops: Number(row.hops),
  sources: JSON.parse(String(row.sources)) as string[],
  ...(row.reply_to === null ? {} : { replyTo: String(row.reply_to) }),
});
