import { setMaxListeners } from "node:events";
import { HaftError } from "@haft/core/tool";
import type { FetchLike, Transport } from "@modelcontextprotocol/client";
import { type Authorised, authorised } from "../auth/authorised.ts";
import type { Browser } from "../auth/browser.ts";
import type { TokenStore } from "../auth/token-store.ts";
import { guardedFetch, strictFetch } from "../net/guarded-fetch.ts";
import type { HttpReach } from "../server.ts";
import { noAnswer, unusable } from "./answer-id.ts";
import { eventBound } from "./event-bound.ts";
import { answerTo, failUnanswered, requestId } from "./unanswered.ts";

interface HttpOptions {
  readonly name: string;
  readonly reach: HttpReach;
  /** Bytes of one answer, or of one event of a stream. */
  readonly maxMessageBytes: number;
  readonly tokens: TokenStore;
  readonly browser?: Browser;
}

/** The connection to a server over HTTP: guarded, bounded, and with the user's login. It outlives its transports. */
export interface HttpLine extends Pick<Authorised, "canLogIn" | "logIn"> {
  /** Streamable HTTP, or for old servers its predecessor with server-sent events. */
  transport(kind: "http" | "sse"): Promise<Transport>;
  close(): Promise<void>;
}

/** Opens nothing yet. If a server's settings contain an Authorization header, no login happens. */
export function httpLine({ name, reach, maxMessageBytes, tokens, browser }: HttpOptions): HttpLine {
  const url = new URL(reach.url);
  const guard = guardedFetch({ server: url, isVouched: reach.isVouched });
  const plain = isolated(guard.fetch, maxMessageBytes);
  const hasOwn = Object.keys(reach.headers).some((header) => header.toLowerCase() === "authorization");
  const user = authorised({
    name,
    url: url.href,
    settings: reach.oauth,
    store: tokens,
    ...(browser ? { browser } : {}),
    fetch: plain,
    strict: strictFetch(isolated(guard.fetch, MOST_METADATA_BYTES)),
  });
  return {
    canLogIn: user.canLogIn && !hasOwn,
    logIn: user.logIn,
    async transport(kind) {
      const sdk = await import("../sdk/sdk.ts");
      const common = { fetch: hasOwn ? plain : user.fetch, requestInit: { headers: { ...reach.headers } } };
      if (kind === "sse") {
        // The stream is the session: another stream would be a new session without its initialisation.
        const fetch = endingWith(common.fetch, () => void old.close());
        const old = new sdk.SSEClientTransport(url, { ...common, fetch });
        return old;
      }
      const fetch = answering(common.fetch);
      const streamable = new sdk.StreamableHTTPClientTransport(url, { ...common, fetch });
      failUnanswered(streamable);
      return streamable;
    },
    close: guard.close,
  };
}

/** Most bytes of an authorization server's answer. */
const MOST_METADATA_BYTES = 1024 * 1024;

/**
 * A fetch with two repairs: it limits the length of answers, and gives every request its own signal. The SDK passes one signal to all
 * requests of a connection, and each would leave a listener on it.
 */
function isolated(next: FetchLike, maxBytes: number): FetchLike {
  return async (url, init) => {
    const shared = init?.signal ?? undefined;
    const body = init?.body;
    if (!shared) return bounded(await next(url, init), { body, maxBytes, done: () => {} });
    const own = new AbortController();
    const abort = (): void => own.abort(shared.reason);
    const forget = (): void => shared.removeEventListener("abort", abort);
    setMaxListeners(0, shared);
    if (shared.aborted) abort();
    else shared.addEventListener("abort", abort);
    try {
      return bounded(await next(url, { ...init, signal: own.signal }), { body, maxBytes, done: forget });
    } catch (thrown) {
      forget();
      throw thrown;
    }
  };
}

interface Bounds {
  /** The request body. */
  readonly body: unknown;
  readonly maxBytes: number;
  done(): void;
}

function bounded(response: Response, { body, maxBytes, done }: Bounds): Response {
  if (!response.body) {
    done();
    return response;
  }
  const isStream = isEvents(response);
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const id = response.ok && typeof body === "string" && (isStream || isJson) ? askedIn(body) : undefined;
  const whole = isStream ? response.body.pipeThrough(eventBound({ maxBytes, id })) : response.body;
  const counted = whole.pipeThrough(counter(isStream ? Number.POSITIVE_INFINITY : maxBytes, done));
  const copy = copyOf(response, counted);
  if (id !== undefined && !isStream)
    Object.defineProperty(copy, "json", { value: async () => answerTo(id, JSON.parse(await copy.text())) });
  return copy;
}

function counter(maxBytes: number, done: () => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= maxBytes) return controller.enqueue(chunk);
      done();
      const message = `The answer has more than ${maxBytes} bytes, the limit.`;
      const hint = "Ask the operator of the server to answer with less, or in pages.";
      controller.error(new HaftError({ code: "mcp_error", message, hint }));
    },
    flush: done,
  });
}

/** Fails a request whose answer was merely "accepted": its answer cannot arrive on another way. */
function answering(next: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await next(url, init);
    if (response.status !== 202 || typeof init?.body !== "string") return response;
    const { id, method } = JSON.parse(init.body) as { readonly id?: string | number; readonly method?: string };
    if (id === undefined || method === undefined) return response;
    await response.body?.cancel();
    return Response.json(noAnswer(id, TAKEN_IN));
  };
}

const TAKEN_IN = unusable("the server sent 202 Accepted and opened no stream.");

/** Reports the end of an event stream, whatever its cause. */
function endingWith(next: FetchLike, onEnd: () => void): FetchLike {
  return async (url, init) => {
    const response = await next(url, init);
    if (!response.ok || !response.body || !isEvents(response)) return response;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    response.body.pipeTo(writable).then(onEnd, onEnd);
    return copyOf(response, readable);
  };
}

const isEvents = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

function copyOf(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url } = response;
  const copy = new Response(body, { status, statusText, headers });
  // The SDK reads the real URL of an answer.
  Object.defineProperty(copy, "url", { value: url });
  return copy;
}

/** The id of the request to the server, if the body contains one: logins use another format. */
function askedIn(body: string): number | undefined {
  try {
    return requestId(JSON.parse(body) ?? {});
  } catch {
    return undefined;
  }
}
