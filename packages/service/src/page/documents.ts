import { Worker } from "node:worker_threads";
import { type Documents, fail, HaftError, type PageDocument, type PageOptions } from "@haft/core/tool";
import { WORKER_SCRIPT } from "./worker-script.ts";

/** Timeout in milliseconds for one page. */
const MAX_MS = 20_000;
/** Memory limit of the thread in MB; a small page can expand to any size. */
const MAX_HEAP_MB = 384;
/** New objects are collected early: parsing makes many, and keeps few. A larger limit only makes the thread grow. */
const YOUNG_HEAP_MB = 4;
/** The thread ends after this many milliseconds without use: it takes about 40 MB. */
const IDLE_MS = 10_000;

/** A session's documents, with a way to close them. */
interface DocumentReader extends Documents {
  close(): Promise<void>;
}

interface Waiting {
  readonly html: Uint8Array<ArrayBuffer>;
  readonly url: string;
  readonly encoding: string | undefined;
  readonly done: (page: PageDocument) => void;
  readonly failed: (thrown: unknown) => void;
}

type Said = { readonly id: number } & ({ readonly page: PageDocument } | { readonly failed: string });

/**
 * Reads pages one after the other in a separate thread. For the parser, a page is untrusted input. The thread is
 * therefore ended when a page takes too long or too much memory; the next page gets a new one.
 */
export const createDocuments = (): DocumentReader => new PageReader();

class PageReader implements DocumentReader {
  readonly #queue: Waiting[] = [];
  #thread: Worker | undefined;
  #current: Waiting | undefined;
  #clock: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;

  page(html: Uint8Array<ArrayBuffer>, { url, signal, encoding }: PageOptions): Promise<PageDocument> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<PageDocument>();
    const waiting: Waiting = { html, url, encoding, done: resolve, failed: reject };
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

  async close(): Promise<void> {
    clearTimeout(this.#clock);
    clearTimeout(this.#idle);
    for (const { failed } of this.#queue.splice(0))
      failed(new HaftError({ code: "cancelled", message: "Haft has ended." }));
    await this.#thread?.terminate();
  }

  #end(): void {
    clearTimeout(this.#clock);
    const ended = this.#thread;
    this.#thread = undefined;
    void ended?.terminate();
  }

  #settle(act: (page: Waiting) => void): void {
    clearTimeout(this.#clock);
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

  #next(): void {
    clearTimeout(this.#idle);
    if (this.#current) return;
    this.#current = this.#queue.shift();
    if (!this.#current) {
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
      this.#thread?.unref();
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
    const { html, url, encoding } = this.#current;
    this.#thread.postMessage({ id: this.#count, html, url, encoding });
    this.#clock = setTimeout(() => this.#give(`took more than ${MAX_MS / 1000} seconds`), MAX_MS);
  }
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
