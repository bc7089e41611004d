/** Size limits of one cached response, and of all of them. */
const MOST_BYTES = 4 * 1024 * 1024;
const ALL_BYTES = 16 * 1024 * 1024;

/** A response that was read to its end. */
interface Kept {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly at: number;
}

/** Responses of a session, cached in memory for a while: the oldest is dropped first. */
interface AnswerCache {
  find(key: string, notBefore: number): Kept | undefined;
  /** A copy of the response that caches the body while it is read. It is cached only if it is read to its end. */
  keeping(key: string, response: Response, at: number): Response;
}

export function createAnswerCache(): AnswerCache {
  const kept = new Map<string, Kept>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= kept.get(key)?.body.byteLength ?? 0;
    kept.delete(key);
  }

  function keep(key: string, answer: Kept): void {
    drop(key);
    kept.set(key, answer);
    bytes += answer.body.byteLength;
    for (const oldest of kept.keys()) {
      if (bytes <= ALL_BYTES) break;
      drop(oldest);
    }
  }

  return {
    find(key, notBefore) {
      const found = kept.get(key);
      return found && found.at >= notBefore ? found : undefined;
    },
    keeping(key, response, at) {
      if (response.status !== 200 || !response.body) return response;
      const { url, status, headers } = response;
      const chunks: Uint8Array[] = [];
      let size = 0;
      const body = response.body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            size += chunk.byteLength;
            if (size <= MOST_BYTES) chunks.push(chunk);
            else chunks.length = 0;
            controller.enqueue(chunk);
          },
          flush() {
            if (size <= MOST_BYTES) keep(key, { url, status, headers, body: joined(chunks, size), at });
          },
        }),
      );
      return responseOf({ url, status, headers }, body);
    },
  };
}

/** A response that carries its URL. */
export function responseOf(
  { url, status, headers }: Pick<Kept, "url" | "status" | "headers">,
  body: Uint8Array | ReadableStream<Uint8Array>,
): Response {
  const response = new Response(body as ReadableStream<Uint8Array>, { status, headers });
  Object.defineProperty(response, "url", { value: url });
  return response;
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
