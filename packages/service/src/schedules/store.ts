import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Firing, fail, type Schedule, type ScheduleDraft } from "@haft/core/tool";
import { isAlive, ownMark } from "@haft/host";
import { type Database, openDatabase } from "../sessions/database.ts";
import type { StateFolder } from "../state-folder.ts";
import { nextTime, timesBetween } from "./expression.ts";

/** The rights of a schedule: those of its creator at that time, and the grant that a person approved. */
export interface ScheduleRights {
  readonly folder: string;
  readonly mode: string;
  readonly grant: readonly string[];
  /** Options of the creator's session, as plain JSON. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly model?: string;
}

/** A schedule as a host of schedules gets it. */
export interface StoredSchedule extends Schedule {
  readonly options: Readonly<Record<string, unknown>>;
  readonly model?: string;
  /** Whether prompt, times and rights are those that were approved. */
  readonly isApproved: boolean;
}

/** A firing that this process has begun. */
export interface BegunFiring {
  readonly id: string;
  readonly schedule: StoredSchedule;
}

/** The end of a firing. */
export type FiringEnd = Pick<Firing, "status" | "text" | "session" | "open">;

/** The schedules of a user, shared by all processes of the machine. */
export interface ScheduleStore {
  add(draft: ScheduleDraft, rights: ScheduleRights, now: number): Schedule;
  list(folder?: string): readonly StoredSchedule[];
  get(id: string): StoredSchedule;
  firings(id: string, limit: number): readonly Firing[];
  setEnabled(id: string, enabled: boolean, now: number): void;
  remove(id: string): void;
  runAt(id: string, at: number): void;
  /** The earliest planned time. */
  nextAt(): number | undefined;
  /**
   * Begins what is due, each schedule at most once at a time, also across processes. Times at which no host was there
   * are noted as missed and not made up for.
   */
  begin(now: number, graceMs: number): readonly BegunFiring[];
  end(firing: string, end: FiringEnd, now: number): void;
  close(): void;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS schedule (
    id TEXT PRIMARY KEY, folder TEXT NOT NULL, body TEXT NOT NULL, digest TEXT NOT NULL, enabled INTEGER NOT NULL,
    next_at INTEGER, owner TEXT, at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS firing (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, schedule TEXT NOT NULL, planned_at INTEGER NOT NULL,
    status TEXT NOT NULL, body TEXT NOT NULL, owner TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS of_schedule ON firing (schedule, seq);
`;

/** Most missed times to count, and most firings to keep for one schedule. */
const MOST_MISSED = 1000;
const MOST_KEPT = 200;
/** A clock that is set back by less than this changes no plan: nothing runs twice because of it. */
const SET_BACK_MS = 3 * 60 * 60_000;

/** Opens the schedules of a user. */
export const openSchedules = async (state: Pick<StateFolder, "root">): Promise<ScheduleStore> =>
  new SqliteSchedules(await openDatabase(join(state.root, "schedules.db"), SCHEMA));

class SqliteSchedules implements ScheduleStore {
  readonly #database: Database;
  readonly #mark = ownMark();

  constructor(database: Database) {
    this.#database = database;
  }

  add(draft: ScheduleDraft, rights: ScheduleRights, now: number): Schedule {
    const id = randomUUID().slice(0, 8);
    const body = JSON.stringify({ ...draft, ...rights });
    const next = nextTime(draft.expression, draft.zone, now) ?? null;
    this.#database.run(
      "INSERT INTO schedule VALUES (?, ?, ?, ?, 1, ?, NULL, ?)",
      ...[id, rights.folder, body, digestOf(id, body), next, now],
    );
    return scheduleOf(this.#database, this.#rowOf(id));
  }

  list(folder?: string): readonly StoredSchedule[] {
    return this.#database
      .all("SELECT * FROM schedule ORDER BY at, id")
      .filter((row) => folder === undefined || row.folder === folder)
      .map((row) => scheduleOf(this.#database, row));
  }

  get(id: string): StoredSchedule {
    return scheduleOf(this.#database, this.#rowOf(id));
  }

  firings(id: string, limit: number): readonly Firing[] {
    return this.#database
      .all("SELECT * FROM firing WHERE schedule = ? ORDER BY seq DESC LIMIT ?", id, limit)
      .map(firingOf);
  }

  setEnabled(id: string, enabled: boolean, now: number): void {
    const { expression, zone, isApproved } = scheduleOf(this.#database, this.#rowOf(id));
    const next = isApproved ? (nextTime(expression, zone, now) ?? null) : null;
    this.#database.run("UPDATE schedule SET enabled = ?, next_at = ? WHERE id = ?", enabled ? 1 : 0, next, id);
  }

  remove(id: string): void {
    this.#rowOf(id);
    this.#database.run("DELETE FROM schedule WHERE id = ?", id);
  }

  runAt(id: string, at: number): void {
    this.#rowOf(id);
    this.#database.run("UPDATE schedule SET next_at = ? WHERE id = ?", at, id);
  }

  nextAt(): number | undefined {
    const [row] = this.#database.all("SELECT min(next_at) AS next FROM schedule WHERE enabled = 1");
    return row?.next == null ? undefined : Number(row.next);
  }

  begin(now: number, graceMs: number): readonly BegunFiring[] {
    return this.#database.together(() => {
      this.#settleKilled();
      this.#replan(now);
      return this.#database
        .all("SELECT * FROM schedule WHERE enabled = 1 AND next_at <= ? ORDER BY next_at, id", now)
        .flatMap((row) => this.#beginOne(row, now, graceMs) ?? []);
    });
  }

  end(firing: string, { status, ...body }: FiringEnd, now: number): void {
    this.#database.together(() => {
      const [row] = this.#database.all("SELECT * FROM firing WHERE id = ?", firing);
      if (!row) return;
      const schedule = String(row.schedule);
      this.#database.run(
        "UPDATE firing SET status = ?, body = ?, owner = NULL WHERE id = ?",
        status,
        JSON.stringify({ ...body, endedAt: new Date(now).toISOString() }),
        firing,
      );
      this.#database.run("UPDATE schedule SET owner = NULL WHERE id = ? AND owner = ?", schedule, this.#mark);
      this.#database.run(
        "DELETE FROM firing WHERE schedule = ? AND seq <= (SELECT max(seq) FROM firing WHERE schedule = ?) - ?",
        ...[schedule, schedule, MOST_KEPT],
      );
    });
  }

  close(): void {
    this.#database.close();
  }

  #rowOf(id: string) {
    return this.#database.all("SELECT * FROM schedule WHERE id = ?", id)[0] ?? unknownSchedule(id);
  }

  #note(schedule: string, at: number, status: Firing["status"], body: object, owner: string | null): string {
    const id = randomUUID().slice(0, 8);
    this.#database.run(
      "INSERT INTO firing (id, schedule, planned_at, status, body, owner) VALUES (?, ?, ?, ?, ?, ?)",
      ...[id, schedule, at, status, JSON.stringify(body), owner],
    );
    return id;
  }

  /** A killed host leaves a firing that says that it runs. */
  #settleKilled(): void {
    for (const { id, owner } of this.#database.all("SELECT id, owner FROM firing WHERE status = 'running'"))
      if (!isAlive(String(owner))) this.#database.run("UPDATE firing SET status = 'killed' WHERE id = ?", String(id));
    for (const { id, owner } of this.#database.all("SELECT id, owner FROM schedule WHERE owner IS NOT NULL"))
      if (!isAlive(String(owner))) this.#database.run("UPDATE schedule SET owner = NULL WHERE id = ?", String(id));
  }

  /** Plans again after the clock was set back by hours: the planned time may be years away. */
  #replan(now: number): void {
    const rows = this.#database.all(
      `SELECT * FROM schedule WHERE enabled = 1 AND next_at > ?1 AND ?1 + ?2 <
         max(at, coalesce((SELECT max(planned_at) FROM firing WHERE firing.schedule = schedule.id), 0))`,
      now,
      SET_BACK_MS,
    );
    for (const row of rows) {
      const { id, expression, zone, isApproved } = scheduleOf(this.#database, row);
      const next = isApproved ? (nextTime(expression, zone, now) ?? null) : now;
      this.#database.run("UPDATE schedule SET next_at = ? WHERE id = ?", next, id);
    }
  }

  #beginOne(row: Row, now: number, graceMs: number): BegunFiring | undefined {
    const schedule = scheduleOf(this.#database, row);
    const { id, expression, zone, isApproved } = schedule;
    const due = Number(row.next_at);
    // A schedule that was changed outside may have no time that can be read: it is reported once, and does not come back.
    const times = isApproved ? timesBetween(expression, zone, due, now, MOST_MISSED) : [now];
    const next = isApproved ? (nextTime(expression, zone, now) ?? null) : null;
    const latest = times.at(-1) ?? due;
    const isRunning = row.owner !== null;
    const fires = !isRunning && now - latest <= graceMs;
    const missed = times.length - (fires ? 1 : 0);
    if (missed > 0) this.#note(id, latest, "missed", { missed }, null);
    this.#database.run("UPDATE schedule SET next_at = ? WHERE id = ?", next, id);
    if (!fires) return undefined;
    this.#database.run("UPDATE schedule SET owner = ? WHERE id = ?", this.#mark, id);
    return { id: this.#note(id, latest, "running", {}, this.#mark), schedule };
  }
}

type Row = Readonly<Record<string, unknown>>;

/** A digest of everything approved (prompt, times, folder, rights), for this schedule alone. */
const digestOf = (id: string, body: string): string => createHash("sha256").update(`${id}\n${body}`).digest("hex");

function scheduleOf(database: Database, row: Row): StoredSchedule {
  const id = String(row.id);
  const body = bodyOf(row);
  const [last] = database.all("SELECT * FROM firing WHERE schedule = ? ORDER BY seq DESC LIMIT 1", id);
  return {
    ...body,
    id,
    folder: String(row.folder),
    enabled: row.enabled === 1,
    isApproved: digestOf(id, String(row.body)) === row.digest && body.folder === row.folder,
    ...(row.next_at === null || row.enabled !== 1 ? {} : { next: new Date(Number(row.next_at)).toISOString() }),
    ...(last ? { last: firingOf(last) } : {}),
  };
}

/** Its words and rights. A body that is no JSON any more stands for a schedule that runs nothing. */
function bodyOf(row: Row): ScheduleDraft & ScheduleRights {
  try {
    return JSON.parse(String(row.body)) as ScheduleDraft & ScheduleRights;
  } catch {
    return { expression: "?", prompt: "", folder: String(row.folder), mode: "dontAsk", grant: [], options: {} };
  }
}

function firingOf(row: Row): Firing {
  const status = row.status as Firing["status"];
  const isGone = status === "running" && !isAlive(String(row.owner));
  return {
    ...(JSON.parse(String(row.body)) as object),
    id: String(row.id),
    at: new Date(Number(row.planned_at)).toISOString(),
    status: isGone ? "killed" : status,
  };
}

const unknownSchedule = (id: string): never =>
  fail("invalid_input", `There is no schedule "${id}".`, "haft schedule list, or cron with action list, has the ids.");
