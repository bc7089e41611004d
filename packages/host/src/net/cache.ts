/** Size limits of one cached response, and of all of them. */
const MOST_BYTES = 4 * 1024 * 1024;
const ALL_BYTES = 8 * 1024 * 1024;

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
  /** Reads a response with content to its end, and caches it. Any other is returned as it is. */
  read(key: string, response: Response, at: number, maxBytes: number): Promise<Response>;
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
    async read(key, response, at, maxBytes) {
      if (response.status !== 200 || !response.body) return response;
      const { url, status, headers } = response;
      const answer: Kept = { url, status, headers, body: await wholeOf(response.body, maxBytes), at };
      if (answer.body.byteLength <= MOST_BYTES) keep(key, answer);
      return responseOf(answer);
    },
  };
}

/** A response that carries its URL. */
export function responseOf({ url, status, headers, body }: Omit<Kept, "at">): Response {
  // A stream of one piece: a response would copy the bytes.
  const piece = new ReadableStream<Uint8Array>({
    start(controller) {
      if (body.byteLength > 0) controller.enqueue(body);
      controller.close();
    },
  });
  const response = new Response(piece, { status, headers });
  Object.defineProperty(response, "url", { value: url });
  return response;
}

/**
 * The whole of a body, in a buffer that grows in place. The pieces are copied as they come, and freed at once: V8 would
 * collect them only after 64 MB. undici gives each a buffer of its own.
 */
async function wholeOf(body: ReadableStream<Uint8Array<ArrayBuffer>>, maxBytes: number): Promise<Uint8Array> {
  const buffer = new ArrayBuffer(0, { maxByteLength: maxBytes });
  for await (const chunk of body) {
    const size = buffer.byteLength;
    buffer.resize(size + chunk.byteLength);
    new Uint8Array(buffer, size).set(chunk);
    chunk.buffer.transfer(0);
  }
  return new Uint8Array(buffer, 0, buffer.byteLength);
}
