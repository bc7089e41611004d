import { once } from "node:events";
import type { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Watchdog } from "@haft/host/process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { answerId, noAnswer, tooLong, unusable } from "./answer-id.ts";
import { lineReader } from "./line-reader.ts";
import type { LogTail } from "./log-tail.ts";
import { type Program, type ServerProcess, startServer } from "./server-process.ts";
import { answeredId, strayAnswers } from "./stray-answer.ts";

interface StdioOptions extends Program {
  readonly watchdog: Watchdog;
  readonly log: LogTail;
  /** Bytes of one message. A longer answer becomes an error of its call; the connection lives on. */
  readonly maxMessageBytes: number;
}

/** A server as a local process, with the facts about its end. */
export interface StdioTransport extends Transport {
  /** With these two the SDK treats a silent server as an old one, not as an outage. */
  readonly pid: number | null;
  readonly stderr: null;
  /** How the process ended, if we did not end it. */
  readonly death: string | undefined;
  /** Lines on its standard output that were not messages. */
  readonly noise: number;
  /** Starts the process before `start`, which reports a failure. */
  launch(): void;
}

/** Most lines of noise on standard output that the log quotes, and characters of each. */
const QUOTED_NOISE = 20;
const QUOTED_CHARS = 200;

/**
 * JSON-RPC over the standard streams of a process that leads its own group. Other lines are left out and noted in the log: many servers
 * print there.
 */
export const stdioTransport = (options: StdioOptions): StdioTransport => new ProcessTransport(options);

class ProcessTransport implements StdioTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly stderr = null;
  death: string | undefined;
  noise = 0;
  readonly #options: StdioOptions;
  readonly #strays = strayAnswers();
  #launched: Promise<ServerProcess> | undefined;
  #server: ServerProcess | undefined;
  #closing: Promise<void> | undefined;
  #draining: Promise<void> | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#server?.child.pid ?? null;
  }

  launch(): void {
    void this.#launch().catch(() => {});
  }

  async start(): Promise<void> {
    this.#server = await this.#launch();
    const { child, ended } = this.#server;
    const { log, maxMessageBytes } = this.#options;
    const read = lineReader(maxMessageBytes, {
      onLine: (line) => this.#receive(line),
      onOversize: (message) => this.#refuse(message),
    });
    child.stdout?.on("data", read);
    const decoder = new StringDecoder("utf8");
    child.stderr?.on("data", (chunk: Buffer) => log.add(decoder.write(chunk)));
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
    void ended.then((words) => {
      // A process that we ended has not failed; the reason for ending it is the one to name.
      if (this.#closing === undefined) this.death = words;
      void this.close();
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#server?.child.stdin;
    if (!stdin?.writable || this.death !== undefined) return Promise.reject(new Error("The server is gone."));
    this.#strays.sent(message);
    // A failed write shows as the end of the process; it need not be reported twice.
    if (stdin.write(`${JSON.stringify(message)}\n`)) return Promise.resolve();
    this.#draining ??= this.#untilDrained(stdin);
    return this.#draining;
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #launch(): Promise<ServerProcess> {
    this.#launched ??= startServer(this.#options, this.#options.watchdog);
    return this.#launched;
  }

  /** One shared wait for all messages to a server that reads slowly. */
  async #untilDrained(stdin: Writable): Promise<void> {
    const over = new AbortController();
    const { signal } = over;
    await Promise.race([once(stdin, "drain", { signal }), once(stdin, "close", { signal })]).catch(() => {});
    over.abort();
    this.#draining = undefined;
  }

  async #end(): Promise<void> {
    // Callers get the end now, not after the grace period of a stubborn process.
    this.onclose?.();
    const begun = await this.#launched?.catch(() => undefined);
    await begun?.end();
  }

  #receive(line: string): void {
    const { log } = this.#options;
    const values = valuesIn(line);
    const messages = values.map(asMessage);
    if (values.length === 0 || messages.includes(undefined)) {
      this.noise += 1;
      if (this.noise <= QUOTED_NOISE) log.add(`[not a message, on standard output] ${line.slice(0, QUOTED_CHARS)}\n`);
    }
    for (const message of messages) {
      if (message === undefined) continue;
      const answered = this.#strays.received(message) ?? answeredIn(message);
      if (answered !== undefined) log.add(`[an answer that is none] ${line.slice(0, QUOTED_CHARS)}\n`);
      this.onmessage?.(answered ?? (message as JSONRPCMessage));
    }
  }

  /** An answer that is too long is still an answer: its call fails, the others continue. */
  #refuse({ head, tail, bytes }: { head: string; tail: string; bytes: number }): void {
    const { log, maxMessageBytes } = this.#options;
    log.add(`[a message of ${bytes} bytes was dropped; at most ${maxMessageBytes} are read]\n`);
    const id = answerId(head, tail);
    if (id !== undefined) this.onmessage?.(noAnswer(id, tooLong(maxMessageBytes, bytes)));
  }
}

type Members = Readonly<Record<string, unknown>>;

/** The messages in a line: one, or several in a batch of the protocol of 2025-03-26. */
function valuesIn(line: string): readonly unknown[] {
  // A byte order mark counts as blank, too.
  const text = line.trimStart();
  if (!text.startsWith("{") && !text.startsWith("[")) return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return [];
  }
}

/** A value with the shape of a message. An answer may lack the version: then its caller gets an error. */
function asMessage(value: unknown): Members | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { jsonrpc, id, method, result, error } = value as Members;
  const isAnswer =
    answeredId(id) !== undefined && method === undefined && (result !== undefined || error !== undefined);
  return jsonrpc === "2.0" || isAnswer ? (value as Members) : undefined;
}

/** The error for the caller of a broken answer, so that it does not wait until the timeout. */
function answeredIn({ jsonrpc, id: said, method, result, error }: Members): JSONRPCMessage | undefined {
  const id = answeredId(said);
  if (id === undefined || method !== undefined) return undefined;
  if (jsonrpc !== "2.0") return noAnswer(id, unusable('it lacks "jsonrpc": "2.0".'));
  const { code, message: words } = (error ?? {}) as Members;
  const isSound =
    error === undefined
      ? typeof result === "object" && result !== null && !Array.isArray(result)
      : result === undefined && Number.isInteger(code) && typeof words === "string";
  if (isSound) return undefined;
  return noAnswer(id, unusable("it needs either a result or an error."));
}
