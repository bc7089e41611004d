import { grouped } from "@haft/core/tool";
/** Most bytes that are read of an answer: room for a whole file in a replaced input. */
export const ANSWER_BYTES = 8 * 1024 * 1024;

/** A handler's printed text, or why it cannot be an answer. */
export type Printed = { readonly text: string } | { readonly unreadable: string };

/** How a handler ended, before its output is interpreted. */
export type Ended =
  | { readonly how: "exit"; readonly code: number; readonly stdout: Printed; readonly stderr: string }
  /** An HTTP response with a 2xx status. */
  | { readonly how: "reply"; readonly body: Printed }
  /** It did not start, was stopped, crashed, or its server refused. */
  | { readonly how: "failed"; readonly why: string };

/** Input and environment of one handler run. */
export interface Running {
  /** The event as JSON. */
  readonly payload: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Collects bytes up to a limit and discards the rest. */
export function collector(limit: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    /** Returns whether all of it fitted. */
    add(chunk: Buffer): boolean {
      const room = limit - size;
      size += chunk.length;
      if (room > 0) chunks.push(chunk.subarray(0, room));
      return size <= limit;
    },
    /** Strict: an answer with broken characters or a missing end is unreadable. */
    printed(): Printed {
      if (size > limit) return { unreadable: `it printed more than ${grouped(limit)} bytes, which is too much` };
      try {
        return { text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)) };
      } catch {
        return { unreadable: "its output is not UTF-8" };
      }
    },
    /** Lenient, for people. */
    text: (): string => Buffer.concat(chunks).toString("utf8"),
  };
}
