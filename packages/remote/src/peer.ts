/**
 * Two machines that call each other's functions over a pair of streams, one JSON text a line. A function among the
 * arguments may be called back until the call ends. A call that is made from within such a callback continues in the
 * asynchronous context of the code that called back: the journal relies on it to know which command runs in which view.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Readable, Writable } from "node:stream";
import { fail, HaftError, type ToolError, toToolError } from "@haft/core/tool";
import { decode, encode, type References } from "./wire.ts";

/** The functions that the other side may call, by name. */
export type Methods = Readonly<Record<string, (...given: never[]) => unknown>>;

/** One end of a connection. */
export interface Peer {
  /** Calls a function of the other side. Rejects as that function does, or once the connection is lost. */
  call<T>(method: string, ...given: readonly unknown[]): Promise<T>;
  /** Settles when the connection has ended. */
  readonly closed: Promise<void>;
  readonly isClosed: boolean;
  /** Whether the current code was called back over this connection, and it has ended since. */
  isStale(): boolean;
  close(): void;
}

/** How the ends of a connection are made. */
export interface PeerOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly methods?: Methods;
  /** The error of calls that were under way when the connection ended. */
  readonly lost?: () => ToolError;
}

type Message =
  | {
      readonly call: number;
      readonly method: string | number;
      readonly given: readonly unknown[];
      readonly context?: number;
      readonly snapshot?: number;
    }
  | { readonly answer: number; readonly value?: unknown; readonly error?: ToolError }
  | { readonly abort: number };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The callback that current code belongs to: the connection, and the number of its context on the other side. */
interface Inside {
  readonly connection: object;
  readonly context: number;
  isOver(): boolean;
}

const inside = new AsyncLocalStorage<Inside>();

const LOST: ToolError = { code: "execution_failed", message: "The connection was lost." };

/** Longest line: a file of 50 MB in base64, and room for the rest. */
const LINE_BYTES = 128 * 1024 * 1024;

export const openPeer = (options: PeerOptions): Peer => new StreamPeer(options);

class StreamPeer implements Peer {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #methods: Readonly<Record<string, (...given: never[]) => unknown>>;
  readonly #lost: () => ToolError;
  readonly #waiting = new Map<number, Waiting>();
  readonly #functions = new Map<number, (...given: readonly unknown[]) => unknown>();
  readonly #signals = new Map<number, AbortController>();
  readonly #contexts = new Map<number, <R>(work: () => R) => R>();
  readonly closed: Promise<void>;
  readonly #tellClosed: (value: void | PromiseLike<void>) => void;
  readonly #connection = {};
  #count = 0;
  #isClosed = false;

  constructor({ input, output, methods = {}, lost = () => LOST }: PeerOptions) {
    this.#input = input;
    this.#output = output;
    this.#methods = methods;
    this.#lost = lost;
    const { promise: closed, resolve: tellClosed } = Promise.withResolvers<void>();
    this.closed = closed;
    this.#tellClosed = tellClosed;
    const end = (): void => this.#end();
    eachLine(input, (line) => this.#receive(line), end);
    output.on("error", end);
  }

  call<T>(method: string, ...given: readonly unknown[]): Promise<T> {
    return this.#request(method, given) as Promise<T>;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  isStale(): boolean {
    return inside.getStore()?.isOver() === true;
  }

  close(): void {
    this.#end();
    this.#output.end();
    this.#input.destroy();
  }

  #send(message: Message, given: Pick<References, "give"> = { give: refuseReference }): void {
    if (this.#isClosed) throw new HaftError(this.#lost());
    this.#output.write(`${encode(message, given)}\n`);
  }

  /** Numbers the functions and signals of one call; `release` forgets them. */
  #lend() {
    const lent: number[] = [];
    const undo: (() => void)[] = [];
    const give: References["give"] = (value) => {
      const id = ++this.#count;
      lent.push(id);
      if (typeof value === "function") this.#functions.set(id, value);
      else {
        const tell = () => {
          if (!this.#isClosed) this.#send({ abort: id });
        };
        value.addEventListener("abort", tell, { once: true });
        undo.push(() => value.removeEventListener("abort", tell));
      }
      return id;
    };
    const release = () => {
      for (const id of lent) this.#functions.delete(id);
      for (const one of undo) one();
    };
    return { give, release };
  }

  async #request(method: string | number, given: readonly unknown[], snapshot?: number): Promise<unknown> {
    const id = ++this.#count;
    const { give, release } = this.#lend();
    const now = inside.getStore();
    const context = now?.connection === this.#connection ? now.context : undefined;
    try {
      const answered = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
      // The answer may be an error before anybody waits.
      answered.catch(() => {});
      const place = { ...(context === undefined ? {} : { context }), ...(snapshot === undefined ? {} : { snapshot }) };
      this.#send({ call: id, method, given, ...place }, { give });
      return await answered;
    } finally {
      this.#waiting.delete(id);
      release();
    }
  }

  #takeFunction(id: number) {
    return (...given: readonly unknown[]) => {
      const snapshot = ++this.#count;
      this.#contexts.set(snapshot, AsyncLocalStorage.snapshot());
      const called = this.#request(id, given, snapshot).finally(() => this.#contexts.delete(snapshot));
      // Progress is told without waiting for an answer.
      called.catch(() => {});
      return called;
    };
  }

  async #serve(message: Extract<Message, { call: number }>, taken: readonly number[]): Promise<void> {
    const { call, method, given, context, snapshot } = message;
    const wanted = typeof method === "number" ? this.#functions.get(method) : ownMethod(this.#methods, method);
    const work = () => {
      if (!wanted) fail("execution_failed", `The other side has no ${method}.`);
      return wanted(...(given as never[]));
    };
    const from = context === undefined ? undefined : this.#contexts.get(context);
    const run = () => (from ? from(work) : work());
    const within = { connection: this.#connection, context: snapshot ?? 0, isOver: () => this.#isClosed };
    try {
      const value = await (snapshot === undefined ? run() : inside.run(within, run));
      if (!this.#isClosed) this.#send({ answer: call, value });
    } catch (thrown) {
      if (!this.#isClosed) this.#send({ answer: call, error: toToolError(thrown) });
    } finally {
      for (const id of taken) this.#signals.delete(id);
    }
  }

  #receive(line: string): void {
    const taken: number[] = [];
    const takeSignal = (id: number, isAborted: boolean): AbortSignal => {
      const controller = new AbortController();
      this.#signals.set(id, controller);
      taken.push(id);
      if (isAborted) controller.abort();
      return controller.signal;
    };
    const message = decode(line, { takeFunction: (id) => this.#takeFunction(id), takeSignal }) as Message;
    if ("call" in message) void this.#serve(message, taken);
    else if ("abort" in message) this.#signals.get(message.abort)?.abort();
    else if (message.error) this.#waiting.get(message.answer)?.reject(new HaftError(message.error));
    else this.#waiting.get(message.answer)?.resolve(message.value);
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const one of this.#waiting.values()) one.reject(new HaftError(this.#lost()));
    for (const controller of this.#signals.values()) controller.abort();
    this.#functions.clear();
    this.#tellClosed();
  }
}

/** A method of the object itself: `constructor` and its like are none. */
const ownMethod = (methods: Methods, name: string): ((...given: never[]) => unknown) | undefined =>
  Object.hasOwn(methods, name) ? methods[name] : undefined;

const refuseReference = (): never => {
  throw new Error("A function cannot be an answer.");
};

/** Whole lines of a stream, and its end. A line that is too long or no message ends the connection. */
function eachLine(input: Readable, take: (line: string) => void, end: () => void): void {
  let [parts, size]: [Buffer[], number] = [[], 0];
  input.on("data", (chunk: Buffer) => {
    try {
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        const line = Buffer.concat([...parts, chunk.subarray(from, at)]).toString("utf8");
        [parts, size, from] = [[], 0, at + 1];
        take(line);
      }
      parts.push(chunk.subarray(from));
      size += chunk.length - from;
      if (size > LINE_BYTES) throw new Error("The line is too long.");
    } catch {
      input.destroy();
      end();
    }
  });
  for (const event of ["end", "close", "error"]) input.on(event, end);
}
