import { Worker } from "node:worker_threads";
import { type Documents, fail, HaftError, type PageDocument } from "@haft/core/tool";
import { WORKER_SCRIPT } from "./worker-script.ts";

/** Timeout in milliseconds for one page. */
const MAX_MS = 20_000;
/** Memory limit of the thread in MB; a small page can expand to any size. */
const MAX_HEAP_MB = 384;
/** The thread ends after this many milliseconds without use: it takes about 40 MB. */
const IDLE_MS = 10_000;

/** A session's documents, with a way to close them. */
export interface DocumentReader extends Documents {
  close(): Promise<void>;
}

interface Waiting {
  readonly html: string;
  readonly url: string;
  readonly done: (page: PageDocument) => void;
  readonly failed: (thrown: unknown) => void;
}

type Said = { readonly id: number } & ({ readonly page: PageDocument } | { readonly failed: string });

/**
 * Reads pages one after the other in a separate thread. For the parser, a page is untrusted input. The thread is
 * therefore ended when a page takes too long or too much memory; the next page gets a new one.
 */
export function createDocuments(): DocumentReader {
  const queue: Waiting[] = [];
  let thread: Worker | undefined;
  let current: Waiting | undefined;
  let clock: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  let count = 0;

  function end(): void {
    clearTimeout(clock);
    const ended = thread;
    thread = undefined;
    void ended?.terminate();
  }

  function settle(act: (page: Waiting) => void): void {
    clearTimeout(clock);
    const page = current;
    current = undefined;
    if (page) act(page);
    next();
  }

  function give(what: string): void {
    end();
    settle(({ url, failed }) => failed(tooMuch(url, what)));
  }

  function open(): Worker {
    const opened = new Worker(WORKER_SCRIPT, {
      eval: true,
      workerData: { modules: modules() },
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      stdout: true,
      stderr: true,
      env: {},
      execArgv: [],
    });
    opened.on("message", (said: Said) => {
      if (said.id !== count) return;
      settle(({ url, done, failed }) => ("page" in said ? done(said.page) : failed(unreadable(url, said.failed))));
    });
    opened.on("error", () => {
      if (thread === opened) give(`took more than ${MAX_HEAP_MB} MB of memory`);
    });
    return opened;
  }

  function next(): void {
    clearTimeout(idle);
    if (current) return;
    current = queue.shift();
    if (!current) {
      idle = setTimeout(end, IDLE_MS).unref();
      thread?.unref();
      return;
    }
    try {
      thread ??= open();
    } catch (thrown) {
      settle(({ failed }) => failed(thrown));
      return;
    }
    thread.ref();
    count += 1;
    const { html, url } = current;
    thread.postMessage({ id: count, html, url });
    clock = setTimeout(() => give(`took more than ${MAX_MS / 1000} seconds`), MAX_MS);
  }

  return {
    page(html, { url, signal }) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<PageDocument>();
      const waiting: Waiting = { html, url, done: resolve, failed: reject };
      const abort = (): void => {
        const place = queue.indexOf(waiting);
        if (place >= 0) queue.splice(place, 1);
        reject(signal.reason);
        if (current !== waiting) return;
        end();
        settle(() => {});
      };
      signal.addEventListener("abort", abort, { once: true });
      queue.push(waiting);
      next();
      return promise.finally(() => signal.removeEventListener("abort", abort));
    },
    async close() {
      clearTimeout(clock);
      clearTimeout(idle);
      for (const { failed } of queue.splice(0))
        failed(new HaftError({ code: "cancelled", message: "Haft has ended." }));
      await thread?.terminate();
    },
  };
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
