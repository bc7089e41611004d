import { setMaxListeners } from "node:events";
import { HaftError } from "@haft/core/tool";
import type { FetchLike, Transport } from "@modelcontextprotocol/client";

export interface HttpOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of one answer that is not a stream. */
  readonly maxMessageBytes: number;
}

/** Streamable HTTP, or for old servers its forerunner with server-sent events. */
export async function httpTransport(kind: "http" | "sse", options: HttpOptions): Promise<Transport> {
  const sdk = await import("@modelcontextprotocol/client");
  const common = { fetch: boundedFetch(options.maxMessageBytes), requestInit: { headers: { ...options.headers } } };
  const url = new URL(options.url);
  return kind === "sse" ? new sdk.SSEClientTransport(url, common) : new sdk.StreamableHTTPClientTransport(url, common);
}

/**
 * The platform's fetch with two repairs: an answer has an end, and every request has a signal of its own. The SDK hands
 * one signal to all requests of a connection, and a listener for each stays on it.
 */
function boundedFetch(maxBytes: number): FetchLike {
  return async (url, init) => {
    const shared = init?.signal ?? undefined;
    if (!shared) return bounded(await fetch(url, init), maxBytes, () => {});
    const own = new AbortController();
    const abort = (): void => own.abort(shared.reason);
    const forget = (): void => shared.removeEventListener("abort", abort);
    setMaxListeners(0, shared);
    if (shared.aborted) abort();
    else shared.addEventListener("abort", abort);
    try {
      return bounded(await fetch(url, { ...init, signal: own.signal }), maxBytes, forget);
    } catch (thrown) {
      forget();
      throw thrown;
    }
  };
}

function bounded(response: Response, maxBytes: number, done: () => void): Response {
  if (!response.body) {
    done();
    return response;
  }
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (isStream || bytes <= maxBytes) return controller.enqueue(chunk);
      done();
      const message = `The answer has more than ${maxBytes} bytes, which is not read.`;
      controller.error(new HaftError({ code: "mcp_error", message }));
    },
    flush: done,
  });
  const { status, statusText, headers } = response;
  const copy = new Response(response.body.pipeThrough(counter), { status, statusText, headers });
  // The SDK looks at where an answer really came from.
  Object.defineProperty(copy, "url", { value: response.url });
  return copy;
}
