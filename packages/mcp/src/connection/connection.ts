import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { type CallContext, HaftError, type ToolError, toToolError } from "@haft/core/tool";
import { haftErrorIn, rootOf } from "@haft/host/net";
import { afterLogin, withLogin } from "../auth/with-login.ts";
import type { Reach } from "../server.ts";
import { inShort } from "../transport/in-short.ts";
import { type LogTail, withLastWords } from "../transport/log-tail.ts";
import { abortableWait } from "./abortable-wait.ts";
import type { OpenQuestion } from "./answers.ts";
import { httpStatusOf, type Live, type OpenRequest, open, type Surroundings } from "./open.ts";

/**
 * `waiting`: a person has not yet agreed to its start. `reconnecting`: the connection was lost and will be restored. `failed`: given up.
 * `stopped`: ended on request.
 */
export type ConnectionState = "waiting" | "connecting" | "ready" | "reconnecting" | "failed" | "stopped";

/** One server with a maintained connection. */
export interface Connection {
  readonly state: ConnectionState;
  /** Why it is not ready. */
  readonly problem: ToolError | undefined;
  /** The open connection. Opens it, or waits until it reopens, but only until the signal fires. */
  live(signal?: AbortSignal): Promise<Live>;
  /**
   * Makes a request, connecting first if needed. Repeats it after a login that the server requires, and over a new connection after the
   * server lost the session.
   */
  request: Request;
  /** Replaces an open connection with a new one: the server lost the session. */
  renew(old: Live, signal: AbortSignal): Promise<Live>;
  /** Runs a call. Its clock stops while a person is asked something, and questions that arise belong to it. */
  during<T>(call: Asker, clock: Clock, work: () => Promise<T>): Promise<T>;
  /** Ends it, and does not reconnect until `live` is called. */
  stop(): Promise<void>;
}

/** A request over an open connection, until the signal fires. */
export type Request = <T>(signal: AbortSignal, make: (live: Live) => Promise<T>) => Promise<T>;

export interface ConnectionOptions {
  readonly name: string;
  /** Called before each start, so that a variable that was set meanwhile counts. */
  reach(): Reach;
  readonly log: LogTail;
  readonly maySample: boolean;
  readonly confine?: OpenRequest["confine"];
  /** Start timeout in milliseconds, if not the usual one. */
  readonly startTimeoutMs?: number;
  /** Resolves when a start is allowed, and rejects when it is not. */
  mayStart(signal: AbortSignal): Promise<void>;
  /** Called when the connection is open, to list what the server has. A failure counts as a failed start. */
  onOpen(live: Live, signal: AbortSignal): Promise<void>;
  onChange(): void;
}

/** HTTP answers for a session that the server no longer knows. The server did not process the request, so it may be repeated. */
export const FORGOTTEN: ReadonlySet<number | undefined> = new Set([404, 410]);

/** How often a server is restarted after it exits, and the first delay; each delay is twice the one before. */
const RETRIES = 5;
const FIRST_DELAY_MS = 1_000;

/** A connection that lived this long was stable: its end restarts the count. */
const STEADY_MS = 30_000;

/** Maintains the connection to one server. Nothing starts before the first call of `live`. */
export const createConnection = (options: ConnectionOptions, around: Surroundings): Connection =>
  new ServerConnection(options, around);

class ServerConnection implements Connection {
  state: ConnectionState = "stopped";
  problem: ToolError | undefined;
  readonly during: Connection["during"];
  readonly #options: ConnectionOptions;
  readonly #around: Surroundings;
  readonly #pauses = createPauses();
  readonly #givenUp = new WeakSet<Live>();
  #current: Promise<Live> | undefined;
  #life = new AbortController();
  #failures = 0;
  /** The life in which it reconnects. A stopped life may take a while to end. */
  #returning: AbortSignal | undefined;
  /** Ended connections, with everything that they started. */
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: ConnectionOptions, around: Surroundings) {
    this.#options = options;
    this.#around = around;
    this.during = this.#pauses.during;
  }

  live(signal?: AbortSignal): Promise<Live> {
    const opening = this.#current ?? this.#start();
    return this.state === "ready" ? opening : abortableWait(opening, signal);
  }

  async renew(old: Live, signal: AbortSignal): Promise<Live> {
    const now = this.#current && (await abortableWait(this.#current, signal).catch(() => undefined));
    signal.throwIfAborted();
    if (now !== undefined && now !== old) return now;
    if (now === old) {
      this.#current = undefined;
      // An end that we caused must not count as a crash.
      this.#givenUp.add(old);
      this.#become("reconnecting");
      this.#leave(old.close());
    }
    return this.live(signal);
  }

  readonly request: Request = async (signal, make) => {
    const open = await this.live(signal);
    try {
      return await make(open);
    } catch (thrown) {
      return this.#remade(open, signal, make, thrown);
    }
  };

  async stop(): Promise<void> {
    this.#life.abort(new HaftError({ code: "cancelled", message: "The connection was abandoned." }));
    this.#life = new AbortController();
    const ending = this.#current;
    this.#current = undefined;
    this.#failures = 0;
    this.#become("stopped");
    if (ending)
      this.#leave(
        ending.then(
          (live) => live.close(),
          () => {},
        ),
      );
    await this.#ended;
  }

  #become(next: ConnectionState, why?: ToolError): void {
    this.state = next;
    this.problem = why;
    this.#options.onChange();
  }

  #start(): Promise<Live> {
    const { signal } = this.#life;
    // A call that happens to open the connection does not own the server's later questions.
    const opening = this.#pauses.outside(() => this.#openOnce(signal));
    this.#current = opening;
    opening.catch((thrown: unknown) => {
      if (this.#current === opening) this.#current = undefined;
      // A reconnecting server fails only after its last retry.
      if (!signal.aborted && this.#returning !== signal) this.#become("failed", toToolError(thrown));
    });
    return opening;
  }

  async #openOnce(signal: AbortSignal): Promise<Live> {
    const { name, log, confine, maySample, startTimeoutMs } = this.#options;
    const around = { ...this.#around, startTimeoutMs: startTimeoutMs ?? this.#around.startTimeoutMs };
    if (this.state !== "reconnecting") this.#become("waiting");
    await this.#options.mayStart(signal);
    signal.throwIfAborted();
    if (this.state !== "reconnecting") this.#become("connecting");
    const reach = this.#options.reach();
    const onQuestion = this.#pauses.begin;
    let onClose = (): void => {};
    const live = await open(
      { name, reach, log, signal, onQuestion, onClose: () => onClose(), maySample, ...(confine ? { confine } : {}) },
      around,
    );
    const since = performance.now();
    let isReady = false;
    onClose = () => {
      onClose = () => {};
      if (isReady && !signal.aborted && !this.#givenUp.has(live)) this.#lost(live, since, signal);
    };
    try {
      await withLogin(live, signal, () => this.#options.onOpen(live, signal));
    } catch (thrown) {
      const why = signal.aborted ? thrown : withoutList(name, live, log, thrown);
      await live.close();
      throw why;
    }
    if (signal.aborted) await live.close();
    signal.throwIfAborted();
    isReady = true;
    const death = live.death();
    if (death !== undefined) {
      onClose = () => {};
      throw new HaftError({ code: "mcp_error", message: withLastWords(`The MCP server "${name}" ${death}.`, log) });
    }
    this.#become("ready");
    return live;
  }

  /** A connection that was ready has closed, and nobody asked for that. */
  #lost(live: Live, since: number, signal: AbortSignal): void {
    const { name, log } = this.#options;
    if (performance.now() - since >= STEADY_MS) this.#failures = 0;
    this.#current = undefined;
    this.#leave(live.close());
    const message = `The MCP server "${name}" ${live.death() ?? "closed the connection"}.`;
    this.#become("reconnecting", { code: "mcp_error", message: withLastWords(message, log) });
    if (this.#returning !== signal) void this.#comeBack(signal);
  }

  /** Its processes end in their own time; `stop` waits for them. */
  #leave(end: Promise<void>): void {
    this.#ended = Promise.allSettled([this.#ended, end]);
  }

  /** Reconnects with growing delays; a call that needs the server meanwhile does not wait for the delay. */
  async #comeBack(signal: AbortSignal): Promise<void> {
    this.#returning = signal;
    await this.#retry(signal);
    if (this.#returning === signal) this.#returning = undefined;
  }

  async #retry(signal: AbortSignal): Promise<void> {
    while (this.#failures < RETRIES) {
      const delay = FIRST_DELAY_MS * 2 ** this.#failures;
      this.#failures += 1;
      await wait(delay, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted || this.state !== "reconnecting") return;
      const reached = await (this.#current ?? this.#start()).then(
        () => true,
        () => false,
      );
      if (reached || signal.aborted) return;
    }
    const message = `The MCP server "${this.#options.name}" keeps ending.`;
    if (this.state === "reconnecting") this.#become("failed", this.problem ?? { code: "mcp_error", message });
  }

  /** Repeats a failed request once if a login or a new connection may help. */
  async #remade<T>(over: Live, signal: AbortSignal, make: (live: Live) => Promise<T>, failure: unknown): Promise<T> {
    try {
      return await afterLogin(over, signal, () => make(over), failure);
    } catch (thrown) {
      if (!FORGOTTEN.has(httpStatusOf(thrown))) throw thrown;
      const renewed = await this.renew(over, signal);
      return withLogin(renewed, signal, () => make(renewed));
    }
  }
}

/** A call in progress. Questions of one agent's calls go to the same people. */
type Asker = Pick<CallContext, "call" | "agent">;

/** The clock of a call, which stops while a person is asked. */
interface Clock {
  pause(): void;
  resume(): void;
}

interface Follower extends Asker {
  readonly clock: Clock;
}

/** The open questions to people, and the clocks that stop for them. */
function createPauses() {
  const followers = new Set<Follower>();
  const current = new AsyncLocalStorage<Follower>();
  const open = new Set<{ readonly of: Set<Follower>; readonly over: AbortController }>();

  /** With the newer protocol, and over HTTP, a question arrives with its call. It belongs to no other call, even after that call has
   * ended. */
  function asking(): readonly Follower[] {
    const own = current.getStore();
    // Otherwise it belongs to one of the calls in progress.
    return [...followers].filter((follower) => own === undefined || follower === own);
  }

  return {
    begin(): OpenQuestion {
      const calls = asking();
      const [one, ...others] = calls;
      const question = { of: new Set(calls), over: new AbortController() };
      if (open.size === 0) for (const { clock } of followers) clock.pause();
      open.add(question);
      return {
        call: others.every(({ agent }) => agent.id === one?.agent.id) ? one?.call.id : undefined,
        signal: question.over.signal,
        end() {
          if (open.delete(question) && open.size === 0) for (const { clock } of followers) clock.resume();
        },
      };
    },
    /** The clock stops for each question, including the one that is open now. */
    async during<T>({ call, agent }: Asker, clock: Clock, work: () => Promise<T>): Promise<T> {
      const follower = { call, agent, clock };
      followers.add(follower);
      if (open.size > 0) clock.pause();
      try {
        return await current.run(follower, work);
      } finally {
        followers.delete(follower);
        for (const { of, over } of open) if (of.delete(follower) && of.size === 0) over.abort();
      }
    },
    outside: <T>(work: () => T): T => current.exit(work),
  };
}

/** Why a server that answered is unusable: it exited, or does not list what it has. */
function withoutList(name: string, live: Live, log: LogTail, thrown: unknown): unknown {
  const own = haftErrorIn(thrown);
  if (own) return own;
  const death = live.death();
  const why =
    death === undefined ? `does not list its tools: ${inShort(rootOf(thrown))}` : `${death} while listing its tools.`;
  const hint = "Start its command by hand to see more, or correct it in the settings.";
  return new HaftError(
    { code: "mcp_error", message: withLastWords(`The MCP server "${name}" ${why}`, log), hint },
    { cause: thrown },
  );
}
