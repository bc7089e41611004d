import { checkedAddress, HaftError, type Net, type NetRequest } from "@haft/core/tool";
import { fetch as undiciFetch } from "undici";
import { boundedResponse } from "./body.ts";
import { createAnswerCache, responseOf } from "./cache.ts";
import { haftErrorIn, isBadCompression, rootOf } from "./cause.ts";
import { guardedAgent } from "./dispatcher.ts";
import type { Reach } from "./reach.ts";

const MOST_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MOST_HOPS = 10;
/** Headers with credentials: they go only to the origin to which they were addressed. */
const CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];
/** Status codes that turn a redirected request into a GET without a body, as in browsers. */
const BECOMES_GET = new Set([301, 302, 303]);

/** The guarded client. It opens nothing before the first request. */
export interface NetClient extends Net {
  close(): Promise<void>;
}

/** A client that connects only to addresses allowed by `reach`. */
export function createNetClient(reach: Reach): NetClient {
  const dispatcher = guardedAgent(reach);
  const cache = createAnswerCache();
  return {
    async fetch(address, request = {}) {
      const { cacheMs = 0, method = "GET", within, headers = {} } = request;
      const isKept = cacheMs > 0 && method === "GET" && request.body === undefined;
      if (!isKept) return follow(address, request, dispatcher);
      const key = JSON.stringify([checkedAddress(address).href, request.redirect, Object.entries(headers).sort()]);
      const now = Date.now();
      const found = cache.find(key, now - cacheMs);
      // An earlier call may have had a grant for more hosts than this one.
      if (found && (!within || within({ url: new URL(found.url), sends: false }))) return responseOf(found);
      return cache.read(key, await follow(address, request, dispatcher), now, request.maxBytes ?? MOST_BYTES);
    },
    close: () => dispatcher.destroy(),
  };
}

/** One outgoing request; a redirect creates the next one. */
interface Sent {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

async function follow(
  address: string | URL,
  request: NetRequest,
  dispatcher: ReturnType<typeof guardedAgent>,
): Promise<Response> {
  const { maxBytes = MOST_BYTES, timeoutMs = TIMEOUT_MS, redirect = "follow" } = request;
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(), timeoutMs);
  const signal = request.signal ? AbortSignal.any([clock.signal, request.signal]) : clock.signal;
  const onEnd = () => clearTimeout(timer);
  let sent: Sent = startOf(address, request);
  let encoding = "";
  const failure = (thrown: unknown) =>
    failureOf(thrown, { url: sent.url, encoding }, request.signal, clock.signal.aborted && timeoutMs);
  try {
    for (let hops = 0; ; hops += 1) {
      const { url, ...init } = sent;
      const answer = await undiciFetch(url, { ...init, redirect: "manual", signal, dispatcher } as Parameters<
        typeof undiciFetch
      >[1]);
      const response = answer as unknown as Response;
      encoding = response.headers.get("content-encoding") ?? "";
      const next = redirect === "follow" ? redirected(response, sent, request) : undefined;
      if (!next) return boundedResponse(response, { url, maxBytes, onEnd, failure });
      await response.body?.cancel();
      if (hops === MOST_HOPS) throw endless(address);
      sent = next;
    }
  } catch (thrown) {
    onEnd();
    throw failure(thrown);
  }
}

function startOf(address: string | URL, { method = "GET", headers = {}, body }: NetRequest): Sent {
  return {
    url: checkedAddress(address),
    method: method.toUpperCase(),
    headers,
    ...(body === undefined ? {} : { body }),
  };
}

/** The request to which a response redirects, if it is allowed. */
function redirected({ status, headers }: Response, sent: Sent, { within }: NetRequest): Sent | undefined {
  const location = headers.get("location");
  if (status < 300 || status > 399 || location === null) return undefined;
  const target = URL.parse(location, sent.url.href);
  if (!target || !["http:", "https:"].includes(target.protocol)) return undefined;
  const { body, ...rest } = sent;
  const isGet = BECOMES_GET.has(status) && sent.method !== "HEAD";
  const next = isGet ? { ...rest, method: "GET" } : sent;
  const sends = next.method !== "GET" && next.method !== "HEAD";
  if (within && !within({ url: target, sends })) return undefined;
  const kept = Object.entries(sent.headers).filter(([name]) => !CREDENTIALS.includes(name.toLowerCase()));
  return {
    ...next,
    url: checkedAddress(target),
    headers: target.origin === sent.url.origin ? sent.headers : Object.fromEntries(kept),
  };
}

const endless = (address: string | URL): HaftError =>
  new HaftError({
    code: "fetch_failed",
    message: `${address} redirects more than ${MOST_HOPS} times.`,
    hint: "Use the final address.",
  });

function failureOf(
  thrown: unknown,
  { url, encoding }: { readonly url: URL; readonly encoding: string },
  signal: AbortSignal | undefined,
  timedOutAfter: number | false,
): unknown {
  const own = haftErrorIn(thrown);
  if (own) return own;
  if (signal?.aborted) return signal.reason;
  if (timedOutAfter !== false)
    return new HaftError({
      code: "timeout",
      message: `${url.host} did not answer within ${timedOutAfter / 1000} seconds.`,
      hint: "Try again later, or another source.",
    });
  const why = rootOf(thrown);
  if (isBadCompression(thrown))
    return new HaftError({
      code: "fetch_failed",
      message: `The body of ${url.href} is not valid ${encoding}: ${why}.`,
      hint: "The server is faulty. Try again later, or another source.",
    });
  const faultOfTls = /:SSL routines:[^:]*:([^:]+)/.exec(why)?.[1];
  return new HaftError({
    code: "fetch_failed",
    message: `${url.host} cannot be reached: ${faultOfTls ? `TLS failed (${faultOfTls})` : why}.`,
    hint: /certificate|CERT|self[- ]signed/i.test(why)
      ? "Its certificate cannot be trusted. Tell the user; certificates are always checked."
      : "Check the address, or try another source.",
  });
}
