import { grouped, HaftError } from "@haft/core/tool";

/** Limits and callbacks while a body is read. */
interface BodyBounds {
  readonly url: URL;
  readonly maxBytes: number;
  /** Called once, however the body ends. */
  onEnd(): void;
  /** Maps the error that a reader gets if the body breaks off. */
  failure(thrown: unknown): unknown;
}

/** A response with its URL and a size limit. Bytes count after decompression, so a decompression bomb stops early. */
export function boundedResponse(response: Response, bounds: BodyBounds): Response {
  const { status, statusText, headers, body } = response;
  if (!body) bounds.onEnd();
  const bounded = new Response(body && counted(body, bounds), { status, statusText, headers });
  Object.defineProperty(bounded, "url", { value: bounds.url.href });
  return bounded;
}

function counted(body: ReadableStream<Uint8Array>, bounds: BodyBounds): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            bounds.onEnd();
            return controller.close();
          }
          bytes += value.byteLength;
          if (bytes > bounds.maxBytes) throw tooLarge(bounds);
          controller.enqueue(value);
        } catch (thrown) {
          bounds.onEnd();
          controller.error(bounds.failure(thrown));
          await reader.cancel().catch(() => {});
        }
      },
      async cancel(reason) {
        bounds.onEnd();
        await reader.cancel(reason).catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

const tooLarge = ({ url, maxBytes }: BodyBounds): HaftError =>
  new HaftError({
    code: "file_too_large",
    message: `${url.href} answers with more than ${grouped(maxBytes)} bytes.`,
    hint: "Ask for a smaller part of it, or download it with Bash: curl -L -o FILE ADDRESS",
  });
