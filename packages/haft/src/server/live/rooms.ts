import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSessionId, readSessionLog, type StateFolder } from "@haft/service";
import { hasConversation, isNews, type Message, openingIn } from "../../agent/index.ts";
import {
  type AgentSession,
  type AgentSessionOptions,
  openSession,
  type ReadSessions,
  storedSessions,
} from "../../session/index.ts";
import type { ViewEvent } from "../../view/index.ts";
import { CanvasBoard } from "../canvas/board.ts";
import { Problem, unknownThing } from "../route/problem.ts";
import { followSession, type LiveSession } from "./live-session.ts";

/** A session in a list: open in this server, or only on disk. */
export interface SessionEntry {
  readonly id: string;
  readonly isOpen: boolean;
  readonly title: string;
  /** ISO 8601: the latest change of its record. */
  readonly changedAt: string;
  readonly status: "idle" | "working" | "closed";
  readonly approvals: number;
  readonly model?: string;
  readonly mode?: string;
}

/** Events of all sessions. */
export type RoomEvent =
  | { readonly type: "event"; readonly session: LiveSession; readonly event: ViewEvent }
  | { readonly type: "opened" | "closed"; readonly session: LiveSession };

/** The sessions of one folder. */
export interface Rooms {
  readonly cwd: string;
  readonly state: StateFolder | undefined;
  list(): readonly SessionEntry[];
  open(): readonly LiveSession[];
  get(id: string): LiveSession | undefined;
  /** A session that is open, or opens it again. @throws Problem 404 for an id that nothing has. */
  enter(id: string): Promise<LiveSession>;
  start(options: Pick<AgentSessionOptions, "model" | "mode" | "resume" | "fork" | "forkAt">): Promise<LiveSession>;
  /** Adds a session that another face of this process drives and closes. */
  lend(agent: AgentSession, canvas: CanvasBoard): LiveSession;
  leave(id: string): Promise<void>;
  /** The entries of a session's record. */
  record(id: string): ReturnType<typeof readSessionLog>["entries"];
  on(listener: (event: RoomEvent) => void): () => void;
  close(): Promise<void>;
}

/** Most sessions that are open at once. */
const MOST_OPEN = 200;
const TITLE_CHARS = 120;

/** Opens no session yet. `base`: the options of each of them. `link`: the address of a session's canvas, for people. */
export const openRooms = (
  base: AgentSessionOptions,
  cwd: string,
  state: StateFolder | undefined,
  link: (session: string) => string,
): Rooms => new FolderRooms(base, cwd, state, link);

class FolderRooms implements Rooms {
  readonly cwd: string;
  readonly state: StateFolder | undefined;
  readonly #base: AgentSessionOptions;
  readonly #link: (session: string) => string;
  readonly #rooms = new Map<string, Promise<LiveSession>>();
  readonly #open = new Map<string, LiveSession>();
  readonly #listeners = new Set<(event: RoomEvent) => void>();
  readonly #read: ReadSessions = new Map();

  constructor(
    base: AgentSessionOptions,
    cwd: string,
    state: StateFolder | undefined,
    link: (session: string) => string,
  ) {
    this.#base = base;
    this.cwd = cwd;
    this.state = state;
    this.#link = link;
  }

  list(): readonly SessionEntry[] {
    const live = this.open().map(entryOf);
    const known = new Set(live.map(({ id }) => id));
    const rest = this.#onDisk().filter(({ id }) => !known.has(id));
    return [...live, ...rest].sort((a, b) => (a.changedAt < b.changedAt ? 1 : -1));
  }

  #onDisk(): readonly SessionEntry[] {
    const stored = this.state ? storedSessions({ cwd: this.cwd, stateDir: this.state.root }, this.#read) : [];
    return stored.map(({ id, title, updatedAt }) => ({
      ...{ id, title, isOpen: false, status: "closed", approvals: 0 },
      changedAt: updatedAt.toISOString(),
    }));
  }

  open(): readonly LiveSession[] {
    return [...this.#open.values()];
  }

  get(id: string): LiveSession | undefined {
    return this.#open.get(id);
  }

  enter(id: string): Promise<LiveSession> {
    const known = this.#rooms.get(id);
    if (known) return known;
    const folder = this.#pathOf(id) === undefined ? undefined : this.state?.session(this.cwd, id);
    if (folder === undefined) throw unknownThing(`There is no session "${id}".`, "GET /api/sessions lists them.");
    const entered = this.start(hasConversation(folder) ? { resume: id } : { session: id });
    this.#rooms.set(id, entered);
    entered.catch(() => this.#rooms.delete(id));
    return entered;
  }

  async start(more: AgentSessionOptions): Promise<LiveSession> {
    if (this.#open.size >= MOST_OPEN)
      throw new Problem(429, "limit_reached", `${MOST_OPEN} sessions are open.`, "Close some of them first.");
    const canvas = new CanvasBoard({ link: this.#link });
    const agent: AgentSession = await openSession({ ...this.#base, ...more, cwd: this.cwd, ask: "host", canvas });
    canvas.attach(agent);
    return this.#add(followSession(agent, canvas));
  }

  lend(agent: AgentSession, canvas: CanvasBoard): LiveSession {
    return this.#add(followSession(agent, canvas, true));
  }

  #add(session: LiveSession): LiveSession {
    this.#open.set(session.id, session);
    this.#rooms.set(session.id, Promise.resolve(session));
    session.on((_, event) => this.#tell({ type: "event", session, event }));
    this.#tell({ type: "opened", session });
    return session;
  }

  async leave(id: string): Promise<void> {
    const session = this.#open.get(id);
    if (!session) return;
    this.#open.delete(id);
    this.#rooms.delete(id);
    await session.close();
    this.#tell({ type: "closed", session });
  }

  record(id: string): ReturnType<typeof readSessionLog>["entries"] {
    const path = this.#open.get(id)?.agent.haft.session.path ?? this.#pathOf(id);
    if (path === undefined || !existsSync(path)) throw unknownThing(`There is no record of session "${id}".`);
    return readSessionLog(path).entries;
  }

  on(listener: (event: RoomEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#open.keys()].map((id) => this.leave(id)));
  }

  #tell(event: RoomEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  #pathOf(id: string): string | undefined {
    if (!this.state || !isSessionId(id)) return undefined;
    const path = join(this.state.session(this.cwd, id), "session.jsonl");
    return existsSync(path) ? path : undefined;
  }
}

function entryOf({ id, agent }: LiveSession): SessionEntry {
  const { haft, status, model, messages } = agent;
  const path = haft.session.path;
  const changed = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false })?.mtime;
  return {
    ...{ id, isOpen: true, status, mode: haft.mode, approvals: haft.pending().length },
    title: titleOf(messages, path),
    changedAt: (changed ?? new Date()).toISOString(),
    ...(model ? { model: model.name } : {}),
  };
}

/** The words that began a conversation, by the summary that has replaced them. */
const replaced = new WeakMap<Message, string>();

/** The first words of the conversation, also if a summary has replaced them. */
function titleOf(messages: readonly Message[], path: string | undefined): string {
  const first = messages.find(({ role }) => role === "user");
  const part = first?.role === "user" ? first.content.find(({ type }) => type === "text") : undefined;
  if (!first || part?.type !== "text") return "";
  let text = replaced.get(first) ?? part.text;
  if (isNews(text) && path !== undefined) {
    text = openingIn(dirname(path)) ?? text;
    replaced.set(first, text);
  }
  return text.replace(/\s+/g, " ").slice(0, TITLE_CHARS);
}
