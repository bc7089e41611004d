import {
  fail,
  type Rehearsal,
  type ScheduleDraft,
  type SessionInfo,
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
  const { state, id: own, folder, visibility, maxHops, strangers } = options;
  let opening: Promise<SessionRegistry> | undefined;
  let host: SessionHost | undefined;
  let known: SessionRegistry | undefined;
  /** Messages whose answers a call waits for. */
  const awaited = new Set<string>();

  async function registry(): Promise<SessionRegistry> {
    opening ??= openSessionRegistry(state);
    known = await opening;
    return known;
  }

  const self = (): SessionInfo =>
    known?.get(own) ?? {
      ...{ id: own, kind: "agent", folder, status: "working" },
      activeAt: new Date().toISOString(),
    };

  /** The sessions above one: its starter, the starter of that one. */
  function above(id: string): readonly string[] {
    const found: string[] = [];
    for (
      let next = known?.get(id)?.parent;
      next !== undefined && !found.includes(next);
      next = known?.get(next)?.parent
    )
      found.push(next);
    return found;
  }
  const isKin = (id: string): boolean => id === own || above(own).includes(id) || above(id).includes(own);
  const isVisible = ({ id }: SessionInfo): boolean =>
    id === own || visibility === "all" || (visibility === "tree" && isKin(id));

  async function visible(): Promise<readonly SessionInfo[]> {
    const all = (await registry()).list().filter(isVisible);
    return all.some(({ id }) => id === own) ? all : [self(), ...all];
  }
  async function named(id: string): Promise<SessionInfo> {
    const all = await visible();
    return (
      all.find((one) => one.id === id) ??
      fail(
        "invalid_input",
        `There is no session "${id}" that this one may see.`,
        `sessions_list lists them. The setting sessions.visibility is "${visibility}".`,
      )
    );
  }

  async function reply(sent: string, waitMs: number, signal: AbortSignal): Promise<SessionMessage | undefined> {
    const from = await registry();
    for (const until = performance.now() + waitMs; performance.now() < until; await pause(LOOK_MS, signal)) {
      const found = from.takeReply(own, sent);
      if (found) return found;
    }
    return from.takeReply(own, sent);
  }

  const port: Sessions = {
    own,
    isKin,
    async status(id = own) {
      const info = await named(id);
      const rest = id === own ? { mode: options.mode(), jobs: options.jobs(), ...host?.facts() } : {};
      return { ...info, ...statusOf(state, info), ...rest };
    },
    async list({ query, kind, activeMinutes, limit = 20 }) {
      const since = activeMinutes === undefined ? 0 : Date.now() - activeMinutes * 60_000;
      const fitting = (await visible()).filter(
        (one) => (kind === undefined || one.kind === kind) && Date.parse(one.activeAt) >= since,
      );
      return (query === undefined ? fitting : await searched(state, fitting, query)).slice(0, limit);
    },
    async history(id, wish) {
      return historyOf(state, await named(id), wish);
    },
    async send(id, text, { waitMs, signal }) {
      const to = await named(id);
      if (id === own) fail("invalid_input", "A session cannot send messages to itself.", "Name another one.");
      const hops = (host?.hops() ?? 0) + 1;
      if (hops > maxHops)
        fail(
          "limit_reached",
          `This message continues a chain of ${maxHops} messages between sessions. It was not sent.`,
          "Finish without the other session, or tell the user.",
        );
      const from = await registry();
      const sent = from.send({ from: own, to: id, text, kind: "message", hops, sources: strangers.sources() });
      if (waitMs === 0 || to.status === "ended") return { status: "accepted", id: sent };
      awaited.add(sent);
      try {
        const found = await reply(sent, waitMs, signal);
        if (found) strangers.note(labelsOf(found));
        return found
          ? { status: "answered", id: sent, answer: found.text, sources: found.sources }
          : { status: "accepted", id: sent };
      } finally {
        awaited.delete(sent);
      }
    },
    async spawn(request) {
      if (!host) fail("tool_unavailable", "Only a live agent can start sessions.", "Do the task in this session.");
      return { status: "accepted", session: await host.spawn(request) };
    },
  };

  return {
    port,
    host: () => host,
    link: {
      strangers: () => strangers.sources(),
      async attach(live) {
        const from = await registry();
        host = live;
        const { model } = live.facts();
        from.enter({ id: own, folder, ...live.about, ...(model === undefined ? {} : { model }) });
        let isFirst = true;
        const look = () => {
          const hasChanged = from.hasChanged();
          if (!hasChanged && !isFirst) return;
          isFirst = false;
          for (const message of from.take(own, ({ replyTo }) => replyTo === undefined || !awaited.has(replyTo))) {
            strangers.note(labelsOf(message));
            live.deliver(message, () => from.done(message.id));
          }
        };
        const timer = setInterval(() => quietly(look), LOOK_MS);
        timer.unref();
        return {
          registry: from,
          sources: () => strangers.sources(),
          detach() {
            clearInterval(timer);
            host = undefined;
            from.leave(own);
            from.close();
          },
        };
      },
    },
  };
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
