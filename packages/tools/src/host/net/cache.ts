/** Most bytes of one answer that is kept, and of all of them. */
const MOST_BYTES = 4 * 1024 * 1024;
const ALL_BYTES = 32 * 1024 * 1024;

/** An answer that was read to its end. */
export interface Kept {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly at: number;
}

/** Answers of a session, kept in memory for a while: the oldest goes first. */
export interface AnswerCache {
  find(key: string, notBefore: number): Kept | undefined;
  /** A copy of the answer, whose body is kept while it is read; one that is not read to its end is not kept. */
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

/** A response that says where it came from. */
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
