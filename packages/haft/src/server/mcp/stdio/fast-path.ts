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
const NO_REQUEST =
  "The message is no request of the protocol: its members, or those of its params, are not as they must be.";

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
export function openFastPath(
  input: Readable,
  write: (line: string) => void,
  onError: (error: Error) => void = () => {},
): FastPath {
  const rest = new PassThrough();
  /** Unordered. A list, because a map that is filled and emptied forever keeps old entries alive for long. */
  const running: Running[] = [];
  let served: ClientServer | undefined;
  /** The beginning of an incomplete line. */
  let begun: Buffer[] = [];
  let length = 0;
  /** The beginning of a line that is too long; its middle is dropped. */
  let head: string | undefined;

  function pass(bytes: Buffer): void {
    if (rest.write(bytes)) return;
    input.pause();
    rest.once("drain", () => input.resume());
  }

  function take(line: Buffer): void {
    const message = parsed(line.toString());
    if (Array.isArray(message) && message.some(isObject)) takeEach(message.filter(isObject));
    else if (served?.server.getNegotiatedProtocolVersion() === undefined || !isTaken(message, line, served)) {
      const broken = brokenRequest(message);
      if (broken === undefined) pass(line);
      else deny(broken);
    }
  }

  function deny(id: RequestId): void {
    onError(new Error(NO_REQUEST));
    write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32600, message: NO_REQUEST } })}\n`);
  }

  /** Handles a batch, which one version of the protocol had: its messages, one after the other. */
  function takeEach(messages: readonly object[]): void {
    for (const message of messages) take(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  function isTaken(message: unknown, line: Buffer, to: ClientServer): boolean {
    const call = plainCall(message);
    if (!call) return running.length > 0 && isCancelled(message);
    start(call, line, to);
    return true;
  }

  function isCancelled(message: unknown): boolean {
    const taken = cancelledRequest(message);
    const call = taken && running.find(({ id }) => id === taken.id);
    if (!call) return false;
    end(call);
    call.cancel(new Error(taken.reason ?? "The client cancelled the request."));
    return true;
  }

  /** Returns whether the call was still open: after a cancel or a disconnect it gets no answer. */
  function end(call: Running): boolean {
    if (running[call.place] !== call) return false;
    const last = running.pop()!;
    if (last === call) return true;
    running[call.place] = last;
    last.place = call.place;
    return true;
  }

  function start(call: PlainCall, line: Buffer, to: ClientServer): void {
    const { result, cancel } = to.start(call);
    const { id } = call;
    const entry: Running = { id, cancel, place: running.length };
    running.push(entry);
    result.then(
      (ended) => {
        if (!end(entry)) return;
        if (ended) write(`${JSON.stringify({ result: ended, jsonrpc: "2.0", id })}\n`);
        else pass(line);
      },
      (thrown: unknown) => {
        if (end(entry)) write(`${JSON.stringify({ jsonrpc: "2.0", id, error: protocolError(thrown) })}\n`);
      },
    );
  }

  input.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, at + 1);
      from = at + 1;
      if (begun.length > 0) begin(piece);
      finish(begun.length === 0 ? piece : Buffer.concat(begun));
      begun = [];
      length = 0;
      head = undefined;
    }
    if (from < chunk.length) begin(chunk.subarray(from));
  });

  function begin(piece: Buffer): void {
    begun.push(piece);
    length += piece.length;
    if (length <= MOST_MESSAGE) return;
    const all = Buffer.concat(begun);
    head ??= all.toString("utf8", 0, KEPT);
    begun = [Buffer.from(all.subarray(-KEPT))];
  }

  function finish(line: Buffer): void {
    if (head !== undefined) refuse(head, line.toString());
    else take(line);
  }

  function refuse(start: string, tail: string): void {
    const message = `The message has ${length} bytes; at most ${MOST_MESSAGE} are read. Send less at once.`;
    onError(new Error(message));
    const id = idIn(start, tail);
    if (id !== undefined) write(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":"${message}"}}\n`);
  }

  input.once("end", () => {
    for (const part of begun) pass(part);
    rest.end();
  });
  input.once("error", (error) => rest.destroy(error));

  return {
    rest,
    open(server) {
      served = server;
    },
    close() {
      served = undefined;
      for (const { cancel } of running.splice(0)) cancel(new Error("The client is gone."));
    },
  };
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
