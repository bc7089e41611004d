import { StringDecoder } from "node:string_decoder";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { lineReader } from "./line-reader.ts";
import type { LogTail } from "./log-tail.ts";
import { type Program, type ServerProcess, startServer } from "./server-process.ts";
import type { Watchdog } from "./watchdog.ts";

export interface StdioOptions extends Program {
  readonly watchdog: Watchdog;
  readonly log: LogTail;
  /** Bytes of one message. A longer answer becomes an error of its call; the connection lives on. */
  readonly maxMessageBytes: number;
}

/** A server as a process of this machine, with what is known of its end. */
export interface StdioTransport extends Transport {
  /** These two make the SDK take a silent server for an old one, instead of for an outage. */
  readonly pid: number | null;
  readonly stderr: null;
  /** How the process ended, once it has by itself. */
  readonly death: string | undefined;
  /** Lines on its standard output that were no messages. */
  readonly noise: number;
}

/** Lines of noise on standard output that are quoted in the log, and characters of each. */
const QUOTED_NOISE = 20;
const QUOTED_CHARS = 200;

/**
 * JSON-RPC over the standard streams of a process that leads its own group. Lines that are no messages are left out and
 * said in the log: many servers print there.
 */
export function stdioTransport(options: StdioOptions): StdioTransport {
  const { log } = options;
  let server: ServerProcess | undefined;
  let death: string | undefined;
  let closing: Promise<void> | undefined;
  let noise = 0;

  const transport: StdioTransport & { onclose?: () => void } = {
    get pid() {
      return server?.child.pid ?? null;
    },
    stderr: null,
    get death() {
      return death;
    },
    get noise() {
      return noise;
    },
    async start() {
      server = await startServer(options, options.watchdog);
      const { child, ended } = server;
      child.stdout?.on("data", lineReader(options.maxMessageBytes, { onLine: receive, onOversize: refuse }));
      const decoder = new StringDecoder("utf8");
      child.stderr?.on("data", (chunk: Buffer) => log.add(decoder.write(chunk)));
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
      void ended.then((words) => {
        // One that was sent home has not failed, and what it was sent home for is the reason to name.
        if (closing === undefined) death = words;
        void transport.close();
      });
    },
    send(message) {
      const stdin = server?.child.stdin;
      if (!stdin?.writable || death !== undefined) return Promise.reject(new Error("The server is gone."));
      return new Promise((resolve) => {
        // A failed write shows as the end of the process; nobody needs to hear it twice.
        if (stdin.write(`${JSON.stringify(message)}\n`)) resolve();
        else stdin.once("drain", resolve).once("close", resolve);
      });
    },
    close() {
      closing ??= end();
      return closing;
    },
  };

  async function end(): Promise<void> {
    // Whoever waits for an answer hears of the end now, not after the grace that a stubborn process takes.
    transport.onclose?.();
    await server?.end();
  }

  function receive(line: string): void {
    const message = messageIn(line);
    const asked = message && answeredIn(message);
    if (asked !== undefined) {
      log.add(`[an answer that is none] ${line.slice(0, QUOTED_CHARS)}\n`);
      const error = {
        code: -32_603,
        message: "The answer is none of JSON-RPC: it needs a result or an error, and not both.",
      };
      transport.onmessage?.({ jsonrpc: "2.0", id: asked, error });
      return;
    }
    if (message) {
      transport.onmessage?.(message);
      return;
    }
    noise += 1;
    if (noise <= QUOTED_NOISE) log.add(`[not a message, on standard output] ${line.slice(0, QUOTED_CHARS)}\n`);
  }

  /** An answer that is too long to be read is still an answer: its call fails, the others go on. */
  function refuse({ head, tail, bytes }: { head: string; tail: string; bytes: number }): void {
    log.add(`[a message of ${bytes} bytes was dropped; at most ${options.maxMessageBytes} are read]\n`);
    const id = idIn(head, tail);
    if (id === undefined) return;
    const error = {
      code: -32_603,
      message: `The answer has ${bytes} bytes; at most ${options.maxMessageBytes} are read.`,
    };
    transport.onmessage?.({ jsonrpc: "2.0", id, error });
  }

  return transport;
}

function messageIn(line: string): JSONRPCMessage | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = typeof value === "object" && value !== null && (value as { jsonrpc?: unknown }).jsonrpc === "2.0";
    return isMessage ? (value as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}

/** The call that a broken answer meant: its caller shall not wait for another one until the time is over. */
function answeredIn(message: JSONRPCMessage): number | undefined {
  const { id, method, result, error } = message as Readonly<Record<string, unknown>>;
  if (typeof id !== "number" || method !== undefined) return undefined;
  const { code, message: words } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const isSound =
    error === undefined
      ? typeof result === "object" && result !== null && !Array.isArray(result)
      : result === undefined && Number.isInteger(code) && typeof words === "string";
  return isSound ? undefined : id;
}

/** The id of an answer, which servers write before or after the result. Only at the very ends: the middle is data. */
function idIn(head: string, tail: string): number | undefined {
  const found =
    /^\s*\{(?:"jsonrpc":"2\.0",)?"id":(\d+),/.exec(head)?.[1] ??
    /\},?"id":(\d+)\}\s*$/.exec(tail)?.[1] ??
    /"jsonrpc":"2\.0","id":(\d+)\}\s*$/.exec(tail)?.[1];
  return found === undefined ? undefined : Number(found);
}
