import { UsageError } from "./exit-code.ts";

/** The typed arguments: parsed, or the original text if the pipeline should refuse it. */
export type TypedInput = { readonly input: unknown } | { readonly json: string };

/** The JSON argument of a command: in place, or from standard input for `-`. Absent: no arguments. */
export async function readInput(word: string | undefined): Promise<TypedInput> {
  const text = word === "-" ? await readAll(process.stdin) : (word ?? "");
  if (text.trim() === "") return { input: {} };
  try {
    return { input: JSON.parse(text) };
  } catch {
    return { json: text };
  }
}

/**
 * Streams the lines of a file, or of standard input for `-`; never holds all of them. Only a line feed ends a line:
 * JSON may contain a literal U+2028, which `node:readline` treats as a line end. The signal ends the stream, even while
 * it waits for the next line.
 */
export async function* readLines(source: string, signal: AbortSignal): AsyncGenerator<string> {
  const stream = await openStream(source);
  // An open pipe would keep the process alive.
  const stop = (): void => void (stream as NodeJS.ReadStream).destroy();
  signal.addEventListener("abort", stop, { once: true });
  stream.setEncoding("utf8");
  let begun: string[] = [];
  try {
    if (signal.aborted) return;
    for await (const chunk of stream as AsyncIterable<string>) {
      const [first = "", ...rest] = chunk.split("\n");
      begun.push(first);
      for (const next of rest) {
        yield withoutReturn(begun.join(""));
        if (signal.aborted) return;
        begun = [next];
      }
    }
    const last = begun.join("");
    if (last !== "") yield withoutReturn(last);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);

async function openStream(source: string): Promise<NodeJS.ReadableStream> {
  if (source === "-") return process.stdin;
  const [{ closeSync, constants, createReadStream, fstatSync, openSync }, { Socket }] = await Promise.all([
    import("node:fs"),
    import("node:net"),
  ]);
  try {
    // Open a named pipe without blocking: a blocking open or read ignores signals until someone writes.
    const fd = openSync(source, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = fstatSync(fd);
    if (found.isFIFO()) return new Socket({ fd, readable: true });
    if (!found.isDirectory()) return createReadStream(source, { fd });
    closeSync(fd);
  } catch (thrown) {
    throw new UsageError(
      `${source} cannot be read: ${(thrown as Error).message}.`,
      "Name a file of JSON lines, or - for standard input.",
    );
  }
  throw new UsageError(`${source} is a folder.`, "Name a file of JSON lines, or - for standard input.");
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
