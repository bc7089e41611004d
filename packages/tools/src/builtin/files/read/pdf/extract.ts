import { Worker } from "node:worker_threads";
import { fail, HaftError } from "@haft/core/tool";
import { WORKER_SCRIPT } from "./worker-script.ts";

/** Timeout for one read of a document. */
const MAX_MS = 20_000;
/** Maximum memory for reading a document; a small file can expand to any size. */
const MAX_BYTES = 1024 ** 3;
const LOOK_EVERY_MS = 50;

/** The text of one page: line breaks as in the document, no layout. */
export interface PageText {
  readonly number: number;
  readonly text: string;
  /** Whether it holds more characters than requested. */
  readonly isCut: boolean;
}

/** Pages of a document. */
interface Extracted {
  /** Pages of the whole document. */
  readonly total: number;
  /** From the first requested page, until the last one or until the characters are used up. */
  readonly pages: readonly PageText[];
}

/** The requested pages and the maximum characters. */
interface Extraction {
  readonly first: number;
  readonly last: number;
  readonly chars: number;
  readonly signal: AbortSignal;
}

type Said =
  | { readonly total: number }
  | { readonly page: PageText }
  | { readonly end: true }
  | { readonly failed: string; readonly why: string };

/**
 * Extracts the text of some pages. A document is untrusted input to the parser, so it is read in its own thread, which
 * is ended if it takes too long or uses too much memory.
 */
export async function extractPages(path: string, bytes: Uint8Array, wanted: Extraction): Promise<Extracted> {
  const { signal, ...range } = wanted;
  signal.throwIfAborted();
  const module = parserModule();
  const { promise, resolve, reject } = Promise.withResolvers<Extracted>();
  const worker = new Worker(WORKER_SCRIPT, {
    eval: true,
    workerData: { module, bytes, ...range },
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    // The parser's messages about a document must not reach the terminal.
    stdout: true,
    stderr: true,
    env: {},
    execArgv: [],
  });
  const bomb = (what: string): HaftError =>
    new HaftError({
      code: "file_too_large",
      message: `${path} ${what} while it was being read.`,
      hint: "Read fewer pages, or use another copy.",
    });
  const atStart = process.memoryUsage.rss();
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() - atStart > MAX_BYTES) reject(bomb("took more than 1 GB of memory"));
  }, LOOK_EVERY_MS);
  const clock = setTimeout(() => reject(bomb(`took more than ${MAX_MS / 1000} s`)), MAX_MS);
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  const pages: PageText[] = [];
  let total = 0;
  worker.on("message", (said: Said) => {
    if ("total" in said) total = said.total;
    else if ("page" in said) pages.push(said.page);
    else if ("end" in said) resolve({ total, pages });
    else reject(problemOf(path, said.failed, said.why));
  });
  worker.on("error", (error) =>
    reject(
      (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY"
        ? bomb("took more than 512 MB of memory")
        : error,
    ),
  );
  try {
    return await promise;
  } finally {
    clearInterval(watch);
    clearTimeout(clock);
    signal.removeEventListener("abort", abort);
    await worker.terminate();
  }
}

function parserModule(): string {
  try {
    return import.meta.resolve("unpdf");
  } catch {
    return fail(
      "tool_unavailable",
      "This installation has no PDF parser.",
      "Install the package unpdf, or extract the text with Bash: pdftotext -layout FILE -",
    );
  }
}

function problemOf(path: string, name: string, why: string): HaftError {
  if (name === "PasswordException")
    return new HaftError({
      code: "permission_denied",
      message: `${path} is encrypted with a password.`,
      hint: "Ask the user for a copy without one.",
    });
  return new HaftError({
    code: "validation_failed",
    message: `${path} cannot be read as a PDF: ${why}`,
    hint: "It may be damaged or truncated. Get another copy.",
  });
}
