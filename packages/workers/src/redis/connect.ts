import { HaftError } from "@haft/core/tool";
import { Redis } from "ioredis";

/** A connection that reconnects for ever once it has been made. */
export type Connection = Redis;

const CONNECT_MS = 5_000;
/** Longest silence on a connection that waits for an answer. BullMQ waits up to 10 seconds for a job. */
const SILENCE_MS = 15_000;

/** Sends the commands of one turn of the event loop in one piece: each piece costs a call of the system here and in Redis. */
class BatchingRedis extends Redis {
  #isCorked = false;

  override sendCommand(...args: Parameters<Redis["sendCommand"]>): unknown {
    const { stream } = this;
    if (!this.#isCorked && this.status === "ready" && stream) {
      this.#isCorked = true;
      stream.cork();
      setImmediate(() => {
        this.#isCorked = false;
        stream.uncork();
      });
    }
    return super.sendCommand(...args);
  }
}

/**
 * Connects to Redis.
 *
 * @throws HaftError `tool_unavailable` if there is no Redis, or it does not accept the password.
 */
export async function connect(url: string): Promise<Connection> {
  const redis = new BatchingRedis(checked(url), {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // Commands wait for the connection to come back. Each call limits its own wait.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(50 * times, 1_000),
  });
  let reason: Error | undefined;
  redis.on("error", (error: Error) => {
    reason = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    return redis;
  } catch (thrown) {
    redis.disconnect();
    throw unreachable(url, reason ?? (thrown as Error));
  }
}

/** Hears a channel. */
export interface Listener {
  /** Resolves when it hears. */
  readonly subscribed: Promise<unknown>;
  close(): void;
}

/** Hears a channel on a connection of its own, again after that was lost. */
export function listenTo(redis: Connection, channel: string, hear: (text: string) => void): Listener {
  // ioredis subscribes again by itself, but nobody observes its rejection if the connection is closed meanwhile.
  const listener = redis.duplicate({ lazyConnect: false, autoResubscribe: false });
  listener.on("error", () => {});
  listener.on("message", (_channel: string, text: string) => hear(text));
  const subscribed = listener.subscribe(channel);
  const again = () => void listener.subscribe(channel).catch(() => {});
  subscribed.then(
    () => listener.on("ready", again),
    () => {},
  );
  return { subscribed, close: () => listener.disconnect() };
}

/** Closes connections without waiting for what they still send. */
export function disconnect(...connections: readonly Connection[]): void {
  for (const connection of connections) connection.disconnect();
}

function checked(url: string): string {
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: "" };
  if (protocol === "redis:" || protocol === "rediss:") return url;
  throw new HaftError({
    code: "validation_failed",
    message: `"${withoutPassword(url)}" is not the address of a queue.`,
    hint: "Write redis://HOST:PORT, or rediss:// for TLS.",
  });
}

function unreachable(url: string, { message }: Error): HaftError {
  const place = withoutPassword(url);
  if (/WRONGPASS|NOAUTH|NOPERM|invalid password/i.test(message))
    return new HaftError({
      code: "tool_unavailable",
      message: `Redis at ${place} refuses the login: ${message}`,
      hint: "Put the password into the address: redis://:PASSWORD@HOST:PORT.",
    });
  return new HaftError({
    code: "tool_unavailable",
    message: `There is no Redis at ${place}: ${message || "no answer"}.`,
    hint: "Start one with `redis-server --appendonly yes`, or correct the address.",
  });
}

/** The address as it may be shown. */
export function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return url.replace(/:[^:@/]*@/, ":***@");
  const shown = new URL(url);
  if (shown.password !== "") shown.password = "***";
  return shown.href;
}

/** The error for a failed command of Redis, with its consequence: a call was not sent, a host or worker did not start. */
export function commandProblem(thrown: unknown, so = "the call was not sent to a worker"): HaftError {
  if (HaftError.is(thrown)) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (/^OOM /.test(message))
    return new HaftError({
      code: "limit_reached",
      message: `Redis is full, so ${so}.`,
      hint: "Raise `maxmemory` of Redis, or remove old keys. Keep `maxmemory-policy noeviction`.",
    });
  return new HaftError({
    code: "tool_unavailable",
    message: `Redis refused a command, so ${so}: ${message}.`,
    hint: "Look at the log of Redis, then try again.",
  });
}
