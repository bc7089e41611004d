import { setMaxListeners } from "node:events";
import { HaftError } from "@haft/core/tool";
import type { FetchLike, Transport } from "@modelcontextprotocol/client";
import { type Authorised, authorised } from "../auth/authorised.ts";
import type { Browser } from "../auth/browser.ts";
import type { TokenStore } from "../auth/token-store.ts";
import { guardedFetch, strictFetch } from "../net/guarded-fetch.ts";
import type { HttpReach } from "../server.ts";
import { noAnswer } from "./answer-id.ts";
import { eventBound } from "./event-bound.ts";
import { answerTo, failUnanswered, requestId } from "./unanswered.ts";

export interface HttpOptions {
  readonly name: string;
  readonly reach: HttpReach;
  /** Bytes of one answer, or of one event of a stream. */
  readonly maxMessageBytes: number;
  readonly tokens: TokenStore;
  readonly browser?: Browser;
}

/** The way to a server over HTTP: guarded, bounded, and in the user's name. Transports come and go on it. */
export interface HttpLine extends Pick<Authorised, "canLogIn" | "logIn"> {
  /** Streamable HTTP, or for old servers its forerunner with server-sent events. */
  transport(kind: "http" | "sse"): Promise<Transport>;
  close(): Promise<void>;
}

/** Opens nothing yet. A server whose settings carry an Authorization header is never logged in at. */
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
        // Its session is its stream: another stream would be another session, which has never been begun.
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

/** Bytes of what an authorization server may say. */
const MOST_METADATA_BYTES = 1024 * 1024;

/**
 * A fetch with two repairs: an answer has an end, and every request has a signal of its own. The SDK hands one signal to
 * all requests of a connection, and a listener for each stays on it.
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
  /** What was asked. */
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
      const message = `The answer has more than ${maxBytes} bytes, which is not read.`;
      const hint = "Ask whoever runs the server to answer with less, or in pages.";
      controller.error(new HaftError({ code: "mcp_error", message, hint }));
    },
    flush: done,
  });
}

/** Lets nobody wait for the answer to a request that was merely taken in: there is no other way on which it may come. */
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

const TAKEN_IN =
  "The answer is no message of the protocol: the server answered 202 Accepted to a request and opened no stream.";

/** Says when a stream of events is over, however it ended. */
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
  // The SDK looks at where an answer really came from.
  Object.defineProperty(copy, "url", { value: url });
  return copy;
}

/** The request to the server, where the body is one: logins speak another language. */
function askedIn(body: string): number | undefined {
  try {
    return requestId(JSON.parse(body) ?? {});
  } catch {
    return undefined;
  }
}
