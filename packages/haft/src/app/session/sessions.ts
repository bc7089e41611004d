import {
  type Delivery,
  fail,
  type Rehearsal,
  type ScheduleDraft,
  type SessionInfo,
  type SessionQuery,
  type SessionStatus,
  type Sessions,
  type SpawnRequest,
} from "@haft/core/tool";
import type { StateFolder } from "@haft/service";
import type { NewSession, SessionMessage, SessionRegistry } from "@haft/service/session";
import { openSessionRegistry } from "@haft/service/session";
import { historyOf, searched, statusOf } from "./session-files.ts";
import type { Strangers } from "./strangers.ts";

/** Rehearses a prompt: runs it with nothing becoming real. */
export type Rehearse = (draft: ScheduleDraft) => Promise<Rehearsal>;

/** The live agent of a session, as other sessions reach it. */
export interface SessionHost {
  /** How the session is registered. */
  readonly about: Pick<NewSession, "kind" | "label" | "parent">;
  facts(): Pick<SessionStatus, "model" | "tokens" | "status">;
  /** Number of messages between sessions that led to the present work. */
  hops(): number;
  /** Hands a message to the agent. `done` confirms that the agent has it. */
  deliver(message: SessionMessage, done: () => void): void;
  /** Runs a prompt with nothing becoming real. */
  readonly rehearse: Rehearse;
  /** Starts a session and returns its id. */
  spawn(request: SpawnRequest): Promise<string>;
}

/** The way between a session and the others, for programs that run the loop. */
export interface SessionLink {
  /** Registers the live agent. Messages are delivered until the returned function is called. */
  attach(host: SessionHost): Promise<SessionConnection>;
  /** The strangers whose content this session has read. */
  strangers(): readonly string[];
}

/** A registered live agent. */
export interface SessionConnection {
  readonly registry: SessionRegistry;
  /** The strangers whose content this session has read. */
  sources(): readonly string[];
  detach(): void;
}

export interface SessionsOptions {
  readonly state: StateFolder;
  readonly id: string;
  readonly folder: string;
  readonly visibility: "self" | "tree" | "all";
  readonly maxHops: number;
  readonly strangers: Strangers;
  mode(): string;
  jobs(): readonly string[];
}

/** The sessions as a port, and the way to them. */
export interface OpenedSessions {
  readonly port: Sessions;
  readonly link: SessionLink;
  /** The live agent, if there is one. */
  host(): SessionHost | undefined;
}

/** Milliseconds between two looks for messages. */
const LOOK_MS = 150;

export function openSessions(options: SessionsOptions): OpenedSessions {
  const port = new SessionsPort(options);
  return {
    port,
    host: () => port.host,
    link: { strangers: () => options.strangers.sources(), attach: (live) => port.attach(live) },
  };
}

class SessionsPort implements Sessions {
  readonly own: string;
  /** The live agent, if there is one. */
  host: SessionHost | undefined;
  readonly #options: SessionsOptions;
  #opening: Promise<SessionRegistry> | undefined;
  #known: SessionRegistry | undefined;
  /** Messages whose answers a call waits for. */
  readonly #awaited = new Set<string>();

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.own = options.id;
  }

  async #registry(): Promise<SessionRegistry> {
    this.#opening ??= openSessionRegistry(this.#options.state);
    this.#known = await this.#opening;
    return this.#known;
  }

  #self(): SessionInfo {
    return (
      this.#known?.get(this.own) ?? {
        ...{ id: this.own, kind: "agent", folder: this.#options.folder, status: "working" },
        activeAt: new Date().toISOString(),
      }
    );
  }

  /** The sessions above one: its starter, the starter of that one. */
  #above(id: string): readonly string[] {
    const found: string[] = [];
    const starterOf = (one: string) => this.#known?.get(one)?.parent;
    for (let next = starterOf(id); next !== undefined && !found.includes(next); next = starterOf(next))
      found.push(next);
    return found;
  }

  isKin(id: string): boolean {
    return id === this.own || this.#above(this.own).includes(id) || this.#above(id).includes(this.own);
  }

  #isVisible({ id }: SessionInfo): boolean {
    const { visibility } = this.#options;
    return id === this.own || visibility === "all" || (visibility === "tree" && this.isKin(id));
  }

  async #visible(): Promise<readonly SessionInfo[]> {
    const all = (await this.#registry()).list().filter((one) => this.#isVisible(one));
    return all.some(({ id }) => id === this.own) ? all : [this.#self(), ...all];
  }

  async #named(id: string): Promise<SessionInfo> {
    const all = await this.#visible();
    return (
      all.find((one) => one.id === id) ??
      fail(
        "invalid_input",
        `There is no session "${id}" that this one may see.`,
        `sessions_list lists them. The setting sessions.visibility is "${this.#options.visibility}".`,
      )
    );
  }

  async #reply(sent: string, waitMs: number, signal: AbortSignal): Promise<SessionMessage | undefined> {
    const from = await this.#registry();
    for (const until = performance.now() + waitMs; performance.now() < until; await pause(LOOK_MS, signal)) {
      const found = from.takeReply(this.own, sent);
      if (found) return found;
    }
    return from.takeReply(this.own, sent);
  }

  async status(id = this.own): Promise<SessionStatus> {
    const options = this.#options;
    const info = await this.#named(id);
    const rest = id === this.own ? { mode: options.mode(), jobs: options.jobs(), ...this.host?.facts() } : {};
    return { ...info, ...statusOf(options.state, info), ...rest };
  }

  async list({ query, kind, activeMinutes, limit = 20 }: SessionQuery): Promise<readonly SessionInfo[]> {
    const since = activeMinutes === undefined ? 0 : Date.now() - activeMinutes * 60_000;
    const fitting = (await this.#visible()).filter(
      (one) => (kind === undefined || one.kind === kind) && Date.parse(one.activeAt) >= since,
    );
    return (query === undefined ? fitting : await searched(this.#options.state, fitting, query)).slice(0, limit);
  }

  async history(...[id, wish]: Parameters<Sessions["history"]>) {
    return historyOf(this.#options.state, await this.#named(id), wish);
  }

  async send(...[id, text, { waitMs, signal }]: Parameters<Sessions["send"]>): Promise<Delivery> {
    const { maxHops, strangers } = this.#options;
    const to = await this.#named(id);
    if (id === this.own) fail("invalid_input", "A session cannot send messages to itself.", "Name another one.");
    const hops = (this.host?.hops() ?? 0) + 1;
    if (hops > maxHops)
      fail(
        "limit_reached",
        `This message continues a chain of ${maxHops} messages between sessions. It was not sent.`,
        "Finish without the other session, or tell the user.",
      );
    const from = await this.#registry();
    const sent = from.send({ from: this.own, to: id, text, kind: "message", hops, sources: strangers.sources() });
    if (waitMs === 0 || to.status === "ended") return { status: "accepted", id: sent };
    this.#awaited.add(sent);
    try {
      const found = await this.#reply(sent, waitMs, signal);
      if (found) strangers.note(labelsOf(found));
      return found
        ? { status: "answered", id: sent, answer: found.text, sources: found.sources }
        : { status: "accepted", id: sent };
    } finally {
      this.#awaited.delete(sent);
    }
  }

  async spawn(request: SpawnRequest): ReturnType<Sessions["spawn"]> {
    if (!this.host) fail("tool_unavailable", "Only a live agent can start sessions.", "Do the task in this session.");
    return { status: "accepted", session: await this.host.spawn(request) };
  }

  async attach(live: SessionHost): Promise<SessionConnection> {
    const { own } = this;
    const { folder, strangers } = this.#options;
    const from = await this.#registry();
    this.host = live;
    const { model } = live.facts();
    from.enter({ id: own, folder, ...live.about, ...(model === undefined ? {} : { model }) });
    let isFirst = true;
    const isOther = ({ replyTo }: SessionMessage) => replyTo === undefined || !this.#awaited.has(replyTo);
    const look = () => {
      const hasChanged = from.hasChanged();
      if (!hasChanged && !isFirst) return;
      isFirst = false;
      for (const message of from.take(own, isOther)) {
        strangers.note(labelsOf(message));
        live.deliver(message, () => from.done(message.id));
      }
    };
    const timer = setInterval(() => quietly(look), LOOK_MS);
    timer.unref();
    return {
      registry: from,
      sources: () => strangers.sources(),
      detach: () => {
        clearInterval(timer);
        this.host = undefined;
        from.leave(own);
        from.close();
      },
    };
  }
}

const labelsOf = ({ sources }: SessionMessage) =>
  sources.length > 0 ? ({ integrity: "stranger", sources } as const) : undefined;

/** Another process may hold the database for long; the next look tries again. */
function quietly(look: () => void): void {
  try {
    look();
  } catch {
    // Nothing was taken.
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const timer = setTimeout(over, ms);
    signal.addEventListener("abort", over, { once: true });
    function over() {
      clearTimeout(timer);
      signal.removeEventListener("abort", over);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    }
  });
