/** Messages with a length in front, as language servers send and expect them. */

/** Most bytes of one message, and of the lines in front of it. */
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_HEADER_BYTES = 8 * 1024;
const END_OF_HEADER = "\r\n\r\n";

/** A message as the bytes to send. */
export function frame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message), "utf8");
  return Buffer.concat([Buffer.from(`Content-Length: ${body.byteLength}${END_OF_HEADER}`, "latin1"), body]);
}

/** Reads messages from chunks of any size. Returns the reader of a chunk; it throws when the stream cannot be read any further. */
export function frameReader(onMessage: (message: unknown) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let held = 0;
  let wanted = 0;
  let body: number | undefined;
  return (chunk) => {
    chunks.push(chunk);
    held += chunk.byteLength;
    // A long message comes in many chunks: they are joined once it is complete.
    while (held > 0 && held >= wanted) {
      let all = Buffer.concat(chunks);
      if (body === undefined) {
        const end = all.indexOf(END_OF_HEADER);
        if (end > MOST_HEADER_BYTES || (end < 0 && held > MOST_HEADER_BYTES))
          throw new Error("it wrote something that is not a message");
        if (end >= 0) {
          body = lengthIn(all.toString("latin1", 0, end));
          all = all.subarray(end + END_OF_HEADER.length);
        }
      }
      const isWhole = body !== undefined && all.byteLength >= body;
      const text = isWhole ? all.toString("utf8", 0, body) : undefined;
      const rest = isWhole ? all.subarray(body) : all;
      chunks = rest.byteLength > 0 ? [rest] : [];
      held = rest.byteLength;
      if (text === undefined) {
        wanted = body ?? held + 1;
        return;
      }
      body = undefined;
      wanted = 0;
      onMessage(parsed(text));
    }
  };
}

function lengthIn(header: string): number {
  const length = Number(/^content-length:\s*(\d{1,12})\s*$/im.exec(header)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error("it wrote something that is not a message");
  if (length > MOST_BYTES) throw new Error(`it sent a message of ${length} bytes`);
  return length;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it sent a message that is not JSON");
  }
}
