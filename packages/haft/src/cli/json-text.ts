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
 * The lines of a file, or of standard input for `-`, as they come; the whole is never held. The signal ends them, also
 * while the next one is waited for.
 */
export async function* readLines(source: string, signal: AbortSignal): AsyncGenerator<string> {
  const [{ createInterface }, stream] = await Promise.all([import("node:readline"), openStream(source)]);
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  const stop = (): void => {
    lines.close();
    // A pipe that stays open would keep the process alive.
    (stream as NodeJS.ReadStream).destroy();
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const line of lines) {
      if (signal.aborted) return;
      yield line;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    lines.close();
  }
}

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
