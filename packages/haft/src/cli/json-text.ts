import { UsageError } from "./exit-code.ts";

/** Arguments as they were typed: parsed, or the text as it is, for the pipeline to refuse in its own words. */
export type TypedInput = { readonly input: unknown } | { readonly json: string };

/** The JSON that a command was given: in place, or with `-` on standard input. Absent: no arguments. */
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
 * The lines of a file, or of standard input for `-`, as they come; the whole is never held. A line ends at a line feed
 * and nowhere else: JSON may hold U+2028 as it is, which `node:readline` takes for the end of a line. The signal ends
 * the lines, also while the next one is waited for.
 */
export async function* readLines(source: string, signal: AbortSignal): AsyncGenerator<string> {
  const stream = await openStream(source);
  // A pipe that stays open would keep the process alive.
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
    // A named pipe is waited for as a socket is: where a file is opened or read, no signal is heard until somebody writes.
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
