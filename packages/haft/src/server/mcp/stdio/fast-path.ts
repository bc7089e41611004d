import { PassThrough, type Readable } from "node:stream";
import type { RequestId } from "@modelcontextprotocol/server";
import type { ClientServer } from "../server.ts";
import { brokenRequest, cancelledRequest, isObject, type PlainCall, plainCall } from "./plain-call.ts";

/**
 * Maximum bytes of a message. A longer one is refused, and later ones are read as usual. The SDK would disconnect at 10
 * MiB.
 */
const MOST_MESSAGE = 8 * 1024 * 1024;

/** Bytes kept of each end of a refused message, which may contain its id. */
const KEPT = 512;

const NEWLINE = 0x0a;

/** The error for a malformed request. */
const NO_REQUEST = "Invalid request: malformed members or params.";

export interface FastPath {
  /** Everything that the fast path does not handle, byte for byte. */
  readonly rest: Readable;
  /** Sends plain calls to this server from now on, once it is initialized. */
  open(served: ClientServer): void;
  /** Cancels running calls; nothing is answered any more. */
  close(): void;
}

interface Running {
  readonly id: RequestId;
  cancel(reason: Error): void;
  /** Its index in the list of running calls. */
  place: number;
}

/**
 * Lets plain calls of the older protocol bypass the SDK, whose checks of every message cost more than a call's whole
 * way through the pipeline. A call that wants something from its client falls back to the ordinary path.
 */
export const openFastPath = (
  input: Readable,
  write: (line: string) => void,
  onError?: (error: Error) => void,
): FastPath => new PlainCalls(input, write, onError);

class PlainCalls implements FastPath {
  readonly #input: Readable;
  readonly #write: (line: string) => void;
  readonly #onError: (error: Error) => void;
  readonly rest = new PassThrough();
  /** Unordered. A list, because a map that is filled and emptied forever keeps old entries alive for long. */
  readonly #running: Running[] = [];
  #served: ClientServer | undefined;
  /** The beginning of an incomplete line. */
  #begun: Buffer[] = [];
  #length = 0;
  /** The beginning of a line that is too long; its middle is dropped. */
  #head: string | undefined;

  constructor(input: Readable, write: (line: string) => void, onError: (error: Error) => void = () => {}) {
    this.#input = input;
    this.#write = write;
    this.#onError = onError;
    input.on("data", (chunk: Buffer) => {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        const piece = chunk.subarray(from, at + 1);
        from = at + 1;
        if (this.#begun.length > 0) this.#begin(piece);
        this.#finish(this.#begun.length === 0 ? piece : Buffer.concat(this.#begun));
        this.#begun = [];
        this.#length = 0;
        this.#head = undefined;
      }
      if (from < chunk.length) this.#begin(chunk.subarray(from));
    });
    input.once("end", () => {
      for (const part of this.#begun) this.#pass(part);
      this.rest.end();
    });
    input.once("error", (error) => this.rest.destroy(error));
  }

  open(server: ClientServer): void {
    this.#served = server;
  }

  close(): void {
    this.#served = undefined;
    for (const { cancel } of this.#running.splice(0)) cancel(new Error("The client is gone."));
  }

  #pass(bytes: Buffer): void {
    if (this.rest.write(bytes)) return;
    this.#input.pause();
    this.rest.once("drain", () => this.#input.resume());
  }

  #take(line: Buffer): void {
    const message = parsed(line.toString());
    if (Array.isArray(message) && message.some(isObject)) this.#takeEach(message.filter(isObject));
    else if (
      this.#served?.server.getNegotiatedProtocolVersion() === undefined ||
      !this.#isTaken(message, line, this.#served)
    ) {
      const broken = brokenRequest(message);
      if (broken === undefined) this.#pass(line);
      else this.#deny(broken);
    }
  }

  #deny(id: RequestId): void {
    this.#onError(new Error(NO_REQUEST));
    this.#write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32600, message: NO_REQUEST } })}\n`);
  }

  /** Handles a batch, which one version of the protocol had: its messages, one after the other. */
  #takeEach(messages: readonly object[]): void {
    for (const message of messages) this.#take(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  #isTaken(message: unknown, line: Buffer, to: ClientServer): boolean {
    const call = plainCall(message);
    if (!call) return this.#running.length > 0 && this.#isCancelled(message);
    this.#start(call, line, to);
    return true;
  }

  #isCancelled(message: unknown): boolean {
    const taken = cancelledRequest(message);
    const call = taken && this.#running.find(({ id }) => id === taken.id);
    if (!call) return false;
    this.#end(call);
    call.cancel(new Error(taken.reason ?? "The client cancelled the request."));
    return true;
  }

  /** Returns whether the call was still open: after a cancel or a disconnect it gets no answer. */
  #end(call: Running): boolean {
    if (this.#running[call.place] !== call) return false;
    const last = this.#running.pop()!;
    if (last === call) return true;
    this.#running[call.place] = last;
    last.place = call.place;
    return true;
  }

  #start(call: PlainCall, line: Buffer, to: ClientServer): void {
    const { result, cancel } = to.start(call);
    const { id } = call;
    const entry: Running = { id, cancel, place: this.#running.length };
    this.#running.push(entry);
    result.then(
      (ended) => {
        if (!this.#end(entry)) return;
        if (ended) this.#write(`${JSON.stringify({ result: ended, jsonrpc: "2.0", id })}\n`);
        else this.#pass(line);
      },
      (thrown: unknown) => {
        if (this.#end(entry)) this.#write(`${JSON.stringify({ jsonrpc: "2.0", id, error: protocolError(thrown) })}\n`);
      },
    );
  }

  #begin(piece: Buffer): void {
    this.#begun.push(piece);
    this.#length += piece.length;
    if (this.#length <= MOST_MESSAGE) return;
    const all = Buffer.concat(this.#begun);
    this.#head ??= all.toString("utf8", 0, KEPT);
    this.#begun = [Buffer.from(all.subarray(-KEPT))];
  }

  #finish(line: Buffer): void {
    if (this.#head !== undefined) this.#refuse(this.#head, line.toString());
    else this.#take(line);
  }

  #refuse(start: string, tail: string): void {
    const message = `The message has ${this.#length} bytes; the limit is ${MOST_MESSAGE}. Send smaller messages.`;
    this.#onError(new Error(message));
    const id = idIn(start, tail);
    if (id !== undefined) this.#write(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":"${message}"}}\n`);
  }
}

/** The id, as JSON, of a request with only its ends kept; an id within its parameters does not count. */
function idIn(head: string, tail: string): string | undefined {
  const id = String.raw`"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)`;
  const [, found] =
    new RegExp(`^\\s*\\{[^{}]*?${id}\\s*[,}]`).exec(head) ?? new RegExp(`,\\s*${id}[^{}]*\\}\\s*$`).exec(tail) ?? [];
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON-RPC 2.0: the error's own code if it has one, else -32603, an internal error. */
function protocolError(thrown: unknown): { readonly code: number; readonly message: string } {
  const { code, message } = thrown as { readonly code?: unknown; readonly message?: unknown };
  return {
    code: Number.isSafeInteger(code) ? (code as number) : -32603,
    message: typeof message === "string" ? message : "Internal error",
  };
}
