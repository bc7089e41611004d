import type { Readable, Writable } from "node:stream";
import { HaftError } from "@haft/core/tool";
import { frame, frameReader } from "./framing.ts";

/** The standard streams of a language server. */
interface RpcStreams {
  readonly input: Writable;
  readonly output: Readable;
}

interface RpcHandlers {
  onNotification(method: string, params: unknown): void;
  /** Answers a request of the server; `undefined` means that there is no such method. */
  onRequest(method: string, params: unknown): unknown;
  /** The stream cannot be read any further. */
  onBroken(why: string): void;
}

/** A connection to a language server. */
export interface Rpc {
  /** Rejects with `timeout` after `timeoutMs`, and with an abort when the signal fires. The server is told in both cases. */
  request(
    method: string,
    params: unknown,
    limit: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<unknown>;
  notify(method: string, params: unknown): void;
  /** The number of messages so far, to tell a slow server from a dead one. */
  received(): number;
  /** Ends all open requests with this error. */
  fail(error: Error): void;
}

/** An error in the server's own answer. */
export class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Speaks JSON-RPC with a language server. */
export const createRpc = (options: RpcStreams, handlers: RpcHandlers): Rpc => new StreamRpc(options, handlers);

class StreamRpc implements Rpc {
  readonly #input: Writable;
  readonly #handlers: RpcHandlers;
  readonly #open = new Map<number, Waiting>();
  #lastId = 0;
  #count = 0;
  #over: Error | undefined;

  constructor({ input, output }: RpcStreams, handlers: RpcHandlers) {
    this.#input = input;
    this.#handlers = handlers;
    const read = frameReader((message) => this.#receive(message));
    output.on("data", (chunk: Buffer) => {
      if (this.#over !== undefined) return;
      try {
        read(chunk);
      } catch (thrown) {
        handlers.onBroken((thrown as Error).message);
      }
    });
    for (const stream of [input, output]) stream.on("error", () => {});
  }

  request(
    method: string,
    params: unknown,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<unknown> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<unknown>((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        this.#open.delete(id);
      };
      const giveUp = (error: unknown): void => {
        done();
        this.#send({ method: "$/cancelRequest", params: { id } });
        reject(error);
      };
      const abort = (): void => giveUp(signal.reason);
      const timer = setTimeout(() => giveUp(late(method, timeoutMs)), timeoutMs);
      signal.addEventListener("abort", abort, { once: true });
      this.#open.set(id, {
        resolve(value) {
          done();
          resolve(value);
        },
        reject(error) {
          done();
          reject(error);
        },
      });
      if (signal.aborted) abort();
      else this.#send({ id, method, params });
    });
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  received(): number {
    return this.#count;
  }

  fail(error: Error): void {
    this.#over = error;
    for (const { reject } of [...this.#open.values()]) reject(error);
  }

  #send(message: object): void {
    if (this.#over === undefined && this.#input.writable) this.#input.write(frame({ jsonrpc: "2.0", ...message }));
  }

  #reply(id: unknown, method: string, result: unknown): void {
    const unknownMethod = { code: -32601, message: `There is no ${method} here.` };
    this.#send(result === undefined ? { id, error: unknownMethod } : { id, result });
  }

  #receive(message: unknown): void {
    this.#count += 1;
    const { id, method, params, result, error } = (message ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof method === "string") {
      if (id === undefined) this.#handlers.onNotification(method, params);
      else this.#reply(id, method, this.#handlers.onRequest(method, params));
      return;
    }
    const waiting = typeof id === "number" ? this.#open.get(id) : undefined;
    if (error === undefined || error === null) {
      waiting?.resolve(result);
      return;
    }
    const { code, message: words } = error as { readonly code?: unknown; readonly message?: unknown };
    waiting?.reject(new RpcError(typeof code === "number" ? code : 0, String(words)));
  }
}

const late = (method: string, timeoutMs: number): HaftError =>
  new HaftError({
    code: "timeout",
    message: `The language server did not answer ${method} within ${timeoutMs / 1000} s.`,
  });
