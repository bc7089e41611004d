import { Worker } from "node:worker_threads";
import { type Documents, fail, HaftError, type PageDocument, type PageOptions, type TextPart } from "@haft/core/tool";
import { WORKER_SCRIPT } from "./worker-script.ts";

/** Limits in milliseconds for one page: processor time, and wall time, which a busy machine stretches. */
const MAX_CPU_MS = 20_000;
const MAX_MS = 300_000;
const CHECK_MS = 500;
/** Memory limit of the thread in MB; a small page can expand to any size. */
const MAX_HEAP_MB = 384;
/** New objects are collected early: parsing makes many, and keeps few. A larger limit only makes the thread grow. */
const YOUNG_HEAP_MB = 4;
/** The thread ends after this many milliseconds without use: it takes about 40 MB. */
const IDLE_MS = 10_000;

/** A session's documents, with a way to close them. */
interface DocumentReader extends Documents {
  prepare(): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly html: Uint8Array<ArrayBuffer>;
  readonly url: string;
  readonly encoding: string | undefined;
  readonly part: TextPart | undefined;
  readonly done: (page: PageDocument) => void;
  readonly failed: (thrown: unknown) => void;
}

type Said = { readonly id: number } & ({ readonly page: PageDocument } | { readonly failed: string });

/**
 * Reads pages one after the other in a separate thread. For the parser, a page is untrusted input. The thread is
 * therefore ended when a page takes too long or too much memory; the next page gets a new one.
 */
export const createDocuments = (maxCpuMs = MAX_CPU_MS): DocumentReader => new PageReader(maxCpuMs);

class PageReader implements DocumentReader {
  readonly #queue: Waiting[] = [];
  #thread: Worker | undefined;
  #current: Waiting | undefined;
  #watch: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;
  readonly #maxCpuMs: number;

  constructor(maxCpuMs: number) {
    this.#maxCpuMs = maxCpuMs;
  }

  page(html: Uint8Array<ArrayBuffer>, { url, signal, encoding, part }: PageOptions): Promise<PageDocument> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<PageDocument>();
    const waiting: Waiting = { html, url, encoding, part, done: resolve, failed: reject };
    const abort = (): void => {
      const place = this.#queue.indexOf(waiting);
      if (place >= 0) this.#queue.splice(place, 1);
      reject(signal.reason);
      if (this.#current !== waiting) return;
      this.#end();
      this.#settle(() => {});
    };
    signal.addEventListener("abort", abort, { once: true });
    this.#queue.push(waiting);
    this.#next();
    return promise.finally(() => signal.removeEventListener("abort", abort));
  }

  prepare(): void {
    if (this.#current) return;
    try {
      this.#thread ??= this.#open();
    } catch {
      // The page says why.
    }
    this.#rest();
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    clearTimeout(this.#idle);
    for (const { failed } of this.#queue.splice(0))
      failed(new HaftError({ code: "cancelled", message: "Haft has ended." }));
    await this.#thread?.terminate();
  }

  #end(): void {
    clearInterval(this.#watch);
    const ended = this.#thread;
    this.#thread = undefined;
    void ended?.terminate();
  }

  #settle(act: (page: Waiting) => void): void {
    clearInterval(this.#watch);
    const page = this.#current;
    this.#current = undefined;
    if (page) act(page);
    this.#next();
  }

  #give(what: string): void {
    this.#end();
    this.#settle(({ url, failed }) => failed(tooMuch(url, what)));
  }

  #open(): Worker {
    const opened = new Worker(WORKER_SCRIPT, {
      eval: true,
      workerData: { modules: modules() },
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
      stdout: true,
      stderr: true,
      env: {},
      execArgv: [],
    });
    opened.on("message", (said: Said) => {
      if (said.id !== this.#count) return;
      this.#settle(({ url, done, failed }) =>
        "page" in said ? done(said.page) : failed(unreadable(url, said.failed)),
      );
    });
    opened.on("error", () => {
      if (this.#thread === opened) this.#give(`took more than ${MAX_HEAP_MB} MB of memory`);
    });
    return opened;
  }

  /** Ends the thread if no page comes. */
  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    this.#thread?.unref();
  }

  #next(): void {
    clearTimeout(this.#idle);
    if (this.#current) return;
    this.#current = this.#queue.shift();
    if (!this.#current) {
      this.#rest();
      return;
    }
    try {
      this.#thread ??= this.#open();
    } catch (thrown) {
      this.#settle(({ failed }) => failed(thrown));
      return;
    }
    this.#thread.ref();
    this.#count += 1;
    const { html, url, encoding, part } = this.#current;
    this.#thread.postMessage({ id: this.#count, html, url, encoding, part });
    this.#watchOver(this.#thread);
  }

  /** Gives the current page up after too much time. */
  #watchOver(thread: Worker): void {
    const id = this.#count;
    const started = Date.now();
    const before = cpuMsOf(thread);
    this.#watch = setInterval(async () => {
      if (Date.now() - started > MAX_MS) return this.#give(`took more than ${MAX_MS / 1000} seconds`);
      const spent = (await cpuMsOf(thread)) - (await before);
      if (id !== this.#count || !this.#current || spent <= this.#maxCpuMs) return;
      this.#give(`took more than ${this.#maxCpuMs / 1000} seconds of processor time`);
    }, CHECK_MS);
  }
}

/** The processor time of a thread; 0 before it runs. An older Node knows only how long it was busy. */
async function cpuMsOf(thread: Worker): Promise<number> {
  const { cpuUsage } = thread as Partial<Worker>;
  if (!cpuUsage) return thread.performance.eventLoopUtilization().active;
  const used = await cpuUsage.call(thread).catch(() => undefined);
  return used ? (used.user + used.system) / 1000 : 0;
}

/** The libraries that the thread loads, if this installation has them. */
function modules(): readonly string[] {
  try {
    const node = import.meta.resolve("defuddle/node");
    return [node, new URL("./markdown.js", node).href, import.meta.resolve("linkedom")];
  } catch {
    return fail(
      "tool_unavailable",
      "This installation cannot read web pages.",
      "Install the packages defuddle and linkedom, or fetch the page with Bash: curl -L ADDRESS",
    );
  }
}

const tooMuch = (url: string, what: string): HaftError =>
  new HaftError({
    code: "file_too_large",
    message: `The page ${url} ${what} while it was being read.`,
    hint: "Download it with Bash (curl -L -o FILE ADDRESS) and search it with Grep.",
  });

const unreadable = (url: string, why: string): HaftError =>
  new HaftError({
    code: "fetch_failed",
    message: `The page ${url} cannot be read: ${why}`,
    hint: "Download it with Bash: curl -L -o FILE ADDRESS",
  });
